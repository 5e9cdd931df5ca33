import { openDatabase } from '../../../example-app/storage/open-database'
import type { BrowserAnswer } from '../../support/browser'
import type { RunningExample } from '../../support/example/example-app'
import { useExamples } from '../../support/example/use-examples'
import { usePostgres } from '../../support/example/use-postgres'
import type { Visitor } from '../../support/example/visitor'
import { describeWithPostgres } from '../../support/postgres/postgres'

const TRY_AGAIN = '/login?reason=database_unavailable'

const seen = ({ status, headers, location }: BrowserAnswer) => ({
  status,
  retryAfter: headers['retry-after'],
  location,
})
const unavailable = { status: 503, retryAfter: '5', location: '' }

describeWithPostgres('while Postgres is away, the example', () => {
  const examples = useExamples('each test')
  const postgres = usePostgres(examples)
  let url: string
  let example: RunningExample
  let ada: Visitor

  beforeEach(async () => {
    url = await postgres.newDatabase()
    example = await postgres.startOn(url)
    ada = examples.visitor()
    await ada.signIn(example.appURL)
  })

  test('asks everyone on every route to try again in a few seconds, and continues after it', async () => {
    await postgres.cluster.halt()
    for (const path of ['/', '/login', '/profile', '/account', '/login/confirm', '/auth/social-login', '/nowhere']) {
      const page = await ada.browser.follow(`${example.appURL}${path}`)
      expect([path, seen(page)]).toStrictEqual([path, unavailable])
      expect(page.body).toContain('<a class="button" href="">Try again</a>')
    }
    for (const path of ['/auth/social-login', '/logout', '/profile/reload', '/account/link', '/login/confirm']) {
      const page = await ada.submit(`${example.appURL}${path}`)
      expect([path, seen(page)]).toStrictEqual([path, unavailable])
      const retry = path === '/login/confirm' ? '' : '/login'
      expect(page.body).toContain(`<a class="button" href="${retry}">Try again</a>`)
    }
    const newcomer = examples.visitor('2')
    expect(seen(await newcomer.begin(example.appURL))).toEqual(unavailable)
    const json = await ada.browser.request(`${example.appURL}/profile`, { headers: { accept: 'application/json' } })
    expect(seen(json)).toEqual(unavailable)
    expect(Object.keys(JSON.parse(json.body))).toStrictEqual(['error', 'requestID'])

    await postgres.cluster.resume()
    expect((await ada.whoAmI(example.appURL))?.['id']).toBe('1')
    expect(await newcomer.signIn(example.appURL)).toBe('/profile')
  })

  test('tells a user whose second login it could not add, once it is back', async () => {
    await ada.submit(`${example.appURL}/account/link`)
    await postgres.cluster.halt()
    expect((await ada.comeBack(example.appURL)).location).toBe(TRY_AGAIN)
    await postgres.cluster.resume()
    const page = await ada.browser.follow(`${example.appURL}${TRY_AGAIN}`)
    expect([page.status, page.location]).toStrictEqual([303, '/account?notice=database_unavailable'])
    expect((await ada.browser.follow(`${example.appURL}${page.location}`)).body).toContain('could not be reached')
  })

  test('keeps the question about a second login that it could not add, and redirects back to it', async () => {
    await ada.submit(`${example.appURL}/account/link`)
    expect((await ada.comeBack(example.appURL, examples.newKey('2'))).location).toBe('/login/confirm')
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
