import { type Application, FakeProvider, providerNavigation } from '../../lib/testing'
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
    // However the visitor came: all cookies follow the callback URL.
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

  test('costs no more with a form of more fields than any page has: it is not parsed', async () => {
    const statusOf = async (fields: number): Promise<number> => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const request = { method: 'POST', headers, body: 'a=b&'.repeat(fields).slice(0, -1) } as const
      return (await ada.browser.follow(`${example.appURL}/nowhere`, request)).status
    }
    expect(await statusOf(10)).toBe(404)
    expect(await statusOf(11)).toBe(413)
  })
})
