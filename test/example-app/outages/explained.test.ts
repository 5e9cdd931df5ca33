import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Libsql from 'libsql'
import { openDatabase } from '../../../example-app/storage/open-database'
import { type Application, FakeProvider } from '../../../lib/testing'
import { type BrowserAnswer, closeBrowsers } from '../../support/browser'
import { type RunningExample, startExample, temporaryFolder } from '../../support/example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../../support/example/visitor'
import { describeWithPostgres, startPostgres } from '../../support/postgres/postgres'

const SECRET = { SESSION_SECRET: 'a secret of sixteen or more' }
const TRY_AGAIN = '/login?reason=database_unavailable'

let provider: FakeProvider
let application: Application
let example: RunningExample

const exchanges = (): number => provider.requests.filter(({ endpoint }) => endpoint === 'authorize').length
const seen = ({ status, headers, location }: BrowserAnswer) => ({
  status,
  retryAfter: headers['retry-after'],
  location,
})
const unavailable = { status: 503, retryAfter: '5', location: '' }

beforeEach(async () => {
  provider = await FakeProvider.start()
  application = registerExample(provider)
})

afterEach(async () => {
  await example.stop('SIGKILL')
  await provider.stop()
})

afterAll(() => closeBrowsers())

describeWithPostgres('while Postgres is away, the example', () => {
  let cluster: Awaited<ReturnType<typeof startPostgres>>
  let url: string
  let ada: Visitor

  beforeAll(async () => {
    cluster = await startPostgres()
  }, 30_000)

  afterAll(() => cluster.stop())

  beforeEach(async () => {
    url = await cluster.createDatabase(`outage_${Date.now()}`)
    example = await startExample({ ...SECRET, DATABASE_URL: url, ...providerEnvironment(provider, application) })
    ada = new Visitor(provider, application, '1')
    await ada.signIn(example.appURL)
  })

  // A test that fails leaves it halted.
  afterEach(async () => {
    await cluster.halt()
    await cluster.resume()
  })

  test('asks everybody on every route to come back in a few seconds, and goes on after it', async () => {
    await cluster.halt()
    for (const path of ['/', '/login', '/profile', '/account', '/login/confirm', '/auth/social-login', '/nowhere']) {
      const page = await ada.browser.follow(`${example.appURL}${path}`)
      expect([path, seen(page)]).toEqual([path, unavailable])
      expect(page.body).toContain('<a class="button" href="">Try again</a>')
    }
    for (const path of ['/auth/social-login', '/logout', '/profile/reload', '/account/link', '/login/confirm']) {
      const page = await ada.submit(`${example.appURL}${path}`)
      expect([path, seen(page)]).toEqual([path, unavailable])
      const retry = path === '/login/confirm' ? '' : '/login'
      expect(page.body).toContain(`<a class="button" href="${retry}">Try again</a>`)
    }
    const newcomer = new Visitor(provider, application, '2')
    expect(seen(await newcomer.begin(example.appURL))).toEqual(unavailable)
    const json = await ada.browser.request(`${example.appURL}/profile`, { headers: { accept: 'application/json' } })
    expect(seen(json)).toEqual(unavailable)
    expect(Object.keys(JSON.parse(json.body))).toEqual(['error', 'requestID'])

    await cluster.resume()
    expect((await ada.whoAmI(example.appURL))?.['id']).toBe('1')
    expect(await newcomer.signIn(example.appURL)).toBe('/profile')
  }, 30_000)

  test('leads a callback away from its key without spending it, and one click signs in after the outage', async () => {
    const [bob, carol] = [new Visitor(provider, application, '2'), new Visitor(provider, application, '3')]
    await bob.begin(example.appURL)
    await carol.begin(example.appURL)
    const [bobsKey, before] = [bob.newKey(), exchanges()]
    await cluster.halt()
    for (const [visitor, key] of [[bob, bobsKey] as const, [carol, carol.newKey()] as const]) {
      const back = await visitor.comeBack(example.appURL, key)
      expect(seen(back)).toEqual({ status: 303, retryAfter: '5', location: TRY_AGAIN })
      expect(back.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      const page = await visitor.browser.follow(`${example.appURL}${TRY_AGAIN}`)
      expect([page.status, page.body.includes('Our database could not be reached')]).toEqual([200, true])
      expect(page.body).not.toContain(key)
      expect(seen(await visitor.begin(example.appURL))).toEqual(unavailable)
    }
    expect(exchanges()).toBe(before)

    await cluster.resume()
    const page = await carol.browser.follow(`${example.appURL}${TRY_AGAIN}`)
    expect([page.status, page.body.includes('Our database could not be reached')]).toEqual([200, true])
    expect(await carol.signIn(example.appURL)).toBe('/profile')
    // Whoever goes back to the callback instead, ten minutes at most after the start, finds the key as it was.
    expect((await bob.comeBack(example.appURL, bobsKey)).location).toBe('/login/confirm')
  }, 30_000)

  test('tells a person whose second login it could not add, once it is back', async () => {
    const vera = new Visitor(provider, application, '3')
    await vera.signIn(example.appURL)
    await vera.submit(`${example.appURL}/account/link`)
    await cluster.halt()
    expect((await vera.comeBack(example.appURL)).location).toBe(TRY_AGAIN)
    await cluster.resume()
    const page = await vera.browser.follow(`${example.appURL}${TRY_AGAIN}`)
    expect([page.status, page.location]).toEqual([303, '/account?notice=database_unavailable'])
    expect((await vera.browser.follow(`${example.appURL}${page.location}`)).body).toContain('could not be reached')
  }, 30_000)

  test('keeps the question about a second login that it could not add, and leads back to it', async () => {
    await ada.submit(`${example.appURL}/account/link`)
    const key = provider.issueAuthKey({ appID: application.appID, userID: '2' })
    expect((await ada.comeBack(example.appURL, key)).location).toBe('/login/confirm')
    const fields = { confirmation: await ada.question(example.appURL), decision: 'continue' }
    const database = openDatabase(url, '')
    await database.query(`create function shut_down() returns trigger language plpgsql
      as 'begin raise exception using errcode = ''57P01''; end'`)
    await database.query(
      'create trigger outage before update of user_id on federated_credentials execute function shut_down()',
    )
    const page = await ada.submit(`${example.appURL}/login/confirm`, fields)
    expect(seen(page)).toEqual(unavailable)
    expect(page.body).toContain('<a class="button" href="">')
    await database.query('drop trigger outage on federated_credentials')
    await database.close()
    expect(await ada.question(example.appURL)).toBe(fields.confirmation)
    expect((await ada.submit(`${example.appURL}/login/confirm`, fields)).location).toBe('/account?notice=linked')
  })
})

describe('while another process keeps the libsql file locked, the example', () => {
  const folder = temporaryFolder()
  afterAll(() => folder.remove())

  test('leads a callback away without spending its key, and asks to try again', async () => {
    const dataDir = join(folder.path, 'data')
    mkdirSync(dataDir)
    example = await startExample({ ...SECRET, DATA_DIR: dataDir, ...providerEnvironment(provider, application) })
    const ada = new Visitor(provider, application, '1')
    await ada.begin(example.appURL)
    const key = ada.newKey()
    const other = new Libsql(join(dataDir, 'app.db'))
    other.exec('begin immediate')
    expect(seen(await ada.comeBack(example.appURL, key))).toEqual({ status: 303, retryAfter: '5', location: TRY_AGAIN })
    expect(exchanges()).toBe(0)
    other.exec('rollback')
    other.close()
    expect((await ada.comeBack(example.appURL, key)).location).toBe('/login/confirm')
  }, 40_000)
})
