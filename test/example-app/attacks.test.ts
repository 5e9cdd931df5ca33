import { once } from 'node:events'
import express from 'express'
import { type Application, FakeProvider, providerNavigation } from '../../lib/testing'
import { port, stopServer } from '../support/app'
import { Browser, closeBrowsers } from '../support/browser'
import { type RunningExample, startExample, temporaryFolder } from '../support/example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../support/example/visitor'
import { sendBytes } from '../support/raw-requests'

const CALLBACK = '/auth/social-login/callback'
const HTTPS = { 'x-forwarded-proto': 'https' }

afterAll(() => closeBrowsers())

describe('a cookie that a sister subdomain plants at the example', () => {
  const folder = temporaryFolder()
  let provider: FakeProvider
  let plain: RunningExample
  let secure: RunningExample
  let application: Application
  let secureApplication: Application

  beforeAll(async () => {
    provider = await FakeProvider.start()
    application = registerExample(provider)
    const redirectURL = `https://app.example${CALLBACK}`
    secureApplication = provider.registerApplication({ name: 'Secure', redirectURL })
    const environment = { TRUST_PROXY: 'loopback', SESSION_SECRET: 'a secret of sixteen or more' }
    plain = await startExample({
      ...environment,
      DATA_DIR: `${folder.path}/plain`,
      ...providerEnvironment(provider, application),
    })
    secure = await startExample({
      ...environment,
      DATA_DIR: `${folder.path}/secure`,
      ...providerEnvironment(provider, secureApplication),
    })
  }, 20_000)

  afterAll(async () => {
    await plain.stop('SIGKILL')
    await secure.stop('SIGKILL')
    await provider.stop()
    folder.remove()
  })

  const profileOf = async (example: RunningExample, cookie: string): Promise<number> => {
    const headers = { ...HTTPS, accept: 'application/json', cookie }
    return (await new Browser().request(`${example.appURL}/profile`, { headers })).status
  }

  test('signs its victim in as somebody else where the session has a plain name, and not on https', async () => {
    const attacker = new Visitor(provider, application, '1', HTTPS)
    await attacker.signIn(plain.appURL)
    const [planted] = /example-session=[^;]+/.exec(await attacker.browser.cookies(plain.appURL)) ?? []
    expect(planted).toBeDefined()
    // Browsers send the cookie with the longer path first, and the first one counts.
    expect(await profileOf(plain, `${planted}; example-session=s%3Avictim.signature`)).toBe(200)

    const mallory = new Visitor(provider, secureApplication, '1', HTTPS)
    await mallory.signIn(secure.appURL)
    expect((await mallory.whoAmI(secure.appURL))?.['id']).toBe('1')
    const cookies = await mallory.browser.cookies(secure.appURL)
    const [own = ''] = /__Host-example-session=[^;]+/.exec(cookies) ?? []
    expect(await profileOf(secure, own)).toBe(200)
    expect(await profileOf(secure, own.replace('__Host-', ''))).toBe(401)
    expect(await profileOf(secure, `${own.replace('__Host-', '')}; __Host-example-session=s%3Avictim.signature`)).toBe(
      401,
    )
  })

  test('is refused by browsers under the names in use on https: whole host, all paths, Secure', async () => {
    const ada = new Visitor(provider, secureApplication, '2', HTTPS)
    const start = await ada.begin(secure.appURL)
    expect(String(start.headers['set-cookie'])).toMatch(
      /^__Host-example-login=\S+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const back = await ada.comeBack(secure.appURL)
    const [session] = [back.headers['set-cookie'] ?? []].flat().filter((cookie) => cookie.includes('session'))
    expect(session).toMatch(/^__Host-example-session=s%3A\S+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/)
    const confirmation = await ada.question(secure.appURL)
    const answer = await ada.submit(`${secure.appURL}/login/confirm`, { confirmation, decision: 'continue' })
    const [known] = [answer.headers['set-cookie'] ?? ''].flat().filter((cookie) => cookie.includes('known-logins'))
    expect(known).toMatch(
      /^__Host-example-known-logins=s%3A\S+; Max-Age=\d+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    )
    // Not by http, however the visitor came: all cookies follow the callback URL.
    const byHTTP = await new Visitor(provider, secureApplication, '2').begin(secure.appURL)
    expect(byHTTP.headers['set-cookie']).toBeUndefined()
    const byProxy = await new Visitor(provider, application, '2', HTTPS).begin(plain.appURL)
    expect(String(byProxy.headers['set-cookie'])).toMatch(
      /^example-login=[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })
})

describe('a key at an address of the example that is not the callback', () => {
  const folder = temporaryFolder()
  let provider: FakeProvider
  let example: RunningExample
  let ada: Visitor

  beforeAll(async () => {
    provider = await FakeProvider.start()
    const application = registerExample(provider)
    example = await startExample({ DATA_DIR: folder.path, ...providerEnvironment(provider, application) })
    ada = new Visitor(provider, application, '1')
  }, 20_000)

  afterAll(async () => {
    await example.stop('SIGKILL')
    await provider.stop()
    folder.remove()
  })

  test.each([
    `${CALLBACK}&auth_key=KEY`,
    `${CALLBACK}%3Fauth_key=KEY`,
    `${CALLBACK}%253Fauth_key=KEY`,
    `${CALLBACK};auth_key=KEY`,
    `${CALLBACK}/auth_key=KEY`,
    `${CALLBACK}/auth_key/KEY`,
    `${CALLBACK}/?auth_key=KEY`,
    `${CALLBACK}/%61uth_key=KEY`,
    `${CALLBACK}/AUTH%5FKEY=KEY`,
    `/AUTH/social-login/callback?auth_key=KEY`,
    '/?auth_key=KEY',
    '/login?auth_key=KEY',
    '/nowhere?x[auth_key]=KEY',
    '/auth/social-login?auth_key=KEY',
    '/style.css?auth_key=KEY',
    '/healthz?auth_key=KEY',
  ])('is not shown, not logged and not exchanged: %s', async (path) => {
    const key = ada.newKey()
    for (const headers of [{}, { accept: 'application/json' }]) {
      await ada.begin(example.appURL)
      const url = `${example.appURL}${path.replace('=KEY', `=${key}`).replace('/KEY', `/${key}`)}`
      const { status, location, headers: sent } = await ada.browser.comeBack(url, { headers })
      expect([status, location]).toEqual([303, '/login?reason=auth_key_malformed'])
      expect([sent['referrer-policy'], sent['cache-control']]).toEqual(['no-referrer', 'no-store'])
    }
    const page = await ada.browser.follow(`${example.appURL}/login?reason=auth_key_malformed`)
    expect(page.body).toContain('a response that we could not read')
    expect(example.output()).not.toContain(key)
    expect(provider.requests.filter(({ endpoint }) => endpoint === 'authorize')).toEqual([])
  })

  test('is no page either where the request fails: a form at the callback, a body that is too big', async () => {
    const url = `${example.appURL}${CALLBACK}?auth_key=${ada.newKey()}`
    const headers = { ...providerNavigation, 'content-type': 'application/x-www-form-urlencoded' }
    for (const body of ['a=b', 'x'.repeat(20_000)]) {
      const posted = await ada.browser.request(url, { method: 'POST', headers, body })
      expect([posted.status, posted.location]).toEqual([303, '/login?reason=auth_key_malformed'])
    }
    const answer = await sendBytes(
      example.appURL,
      `GET ${CALLBACK}?auth_key=K HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Encoding: rot13\r\nContent-Length: 3\r\nConnection: close\r\n\r\na=b`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 303 [\s\S]*\r\nLocation: \/login\?reason=auth_key_malformed\r\n/)
  })

  test('is not searched for in an address longer than the strategy reads, which shows no page either', async () => {
    const long = '%25'.repeat(1365)
    for (const [path, expected] of [
      [`/${long}`, [404, '']],
      [`/${long}%61`, [303, '/login?reason=auth_key_malformed']],
      [`/nowhere?${long}`, [303, '/login?reason=auth_key_malformed']],
    ] as const) {
      const { status, location } = await ada.browser.follow(example.appURL + path)
      expect([path.length, status, location]).toEqual([path.length, ...expected])
    }
  })

  test('costs no more with a form of more fields than any page has: it is not parsed', async () => {
    const statusOf = async (fields: number): Promise<number> => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const request = { method: 'POST', headers, body: 'a=b&'.repeat(fields).slice(0, -1) } as const
      return (await ada.browser.follow(`${example.appURL}/nowhere`, request)).status
    }
    expect(await statusOf(10)).toBe(404)
    expect(await statusOf(11)).toBe(413)
  })

  test('costs no more with a list of accepted types longer than that of any browser: it is not read', async () => {
    const answerTo = async (accept: string): Promise<unknown> =>
      (await new Browser().request(`${example.appURL}/profile`, { headers: { accept } })).status
    expect(await answerTo('application/json')).toBe(401)
    expect(await answerTo(`application/json, ${'a/b, '.repeat(100)}c/d`)).toBe(401)
    expect(await answerTo(`application/json, ${'a/b, '.repeat(200)}c/d`)).toBe(303)
  })
})

describe('a form in a thousand chunks of one byte', () => {
  const folder = temporaryFolder()
  const form = 'POST /logout HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n'
  const unfinished = `${form}Transfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(1000)}`

  afterAll(() => folder.remove())

  test('is read piece by piece by an application that parses forms', async () => {
    let pieces = 0
    const naive = express()
    naive.use((req, _res, next) => {
      req.on('data', () => {
        pieces += 1
      })
      next()
    })
    naive.use(express.urlencoded({ extended: false, limit: '10kb' }))
    naive.post('/logout', (_req, res) => void res.set('Connection', 'close').end())
    const server = naive.listen(0, '127.0.0.1')
    await once(server, 'listening')
    await sendBytes(`http://127.0.0.1:${port(server)}`, `${unfinished}0\r\n\r\n`)
    expect(pieces).toBe(1000)
    await stopServer(server)
  })

  test('is refused by the example before its end, and not read further', async () => {
    const example = await startExample({ DATA_DIR: folder.path })
    expect(await sendBytes(example.appURL, unfinished)).toMatch(/^HTTP\/1\.1 411 [\s\S]*\r\nConnection: close\r\n/)
    await example.stop('SIGKILL')
  })
})
