import { providerNavigation } from '../../lib/testing'
import type { RunningExample } from '../support/example/example-app'
import { useExamples } from '../support/example/use-examples'
import { providerEnvironment, Visitor } from '../support/example/visitor'
import { sendBytes } from '../support/raw-requests'

const CALLBACK = '/auth/social-login/callback'
const HTTPS = { 'x-forwarded-proto': 'https' }

describe('the cookies of the example', () => {
  const examples = useExamples('all tests')
  let onHTTP: RunningExample

  beforeAll(async () => {
    onHTTP = await examples.start()
  })

  test('have names on https under which no sister subdomain can plant one: whole host, all paths, Secure', async () => {
    const { provider } = examples
    const application = provider.registerApplication({
      name: 'Secure',
      redirectURL: `https://app.example${CALLBACK}`,
    })
    const { appURL } = await examples.start(providerEnvironment(provider, application))
    const ada = new Visitor(provider, application, '2', HTTPS)
    const start = await ada.begin(appURL)
    expect(String(start.headers['set-cookie'])).toMatch(
      /^__Host-example-login=\S+; Max-Age=660; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const back = await ada.comeBack(appURL)
    const [session] = [back.headers['set-cookie'] ?? []].flat().filter((cookie) => cookie.includes('session'))
    expect(session).toMatch(/^__Host-example-session=s%3A\S+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/)
    const confirmation = await ada.question(appURL)
    const answer = await ada.submit(`${appURL}/login/confirm`, { confirmation, decision: 'continue' })
    const [known] = [answer.headers['set-cookie'] ?? ''].flat().filter((cookie) => cookie.includes('known-logins'))
    expect(known).toMatch(
      /^__Host-example-known-logins=s%3A\S+; Max-Age=\d+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    )
    const headers = { ...HTTPS, accept: 'application/json' }
    const cookie = await ada.browser.cookies(appURL.replace('http:', 'https:'))
    const statusWith = async (sent: string): Promise<number> =>
      (await fetch(`${appURL}/profile`, { headers: { ...headers, cookie: sent } })).status
    expect(await statusWith(cookie)).toBe(200)
    expect(await statusWith(cookie.replaceAll('__Host-', ''))).toBe(401)
  })

  test('follow the callback URL, however the visitor came', async () => {
    const { appURL } = onHTTP
    const start = await examples.visitor('2', HTTPS).begin(appURL)
    expect(String(start.headers['set-cookie'])).toMatch(
      /^example-login=[^;]+; Max-Age=660; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })

  test('believe a list of confirmed logins with the signature of the example alone', async () => {
    const NAME = 'example-known-logins'
    const { appURL } = onHTTP
    const ada = examples.visitor()
    await ada.signIn(appURL)
    const [, signed = ''] = new RegExp(`${NAME}=([^;]+)`).exec(await ada.browser.cookies(appURL)) ?? []
    const [, id = ''] = /^s%3A([\w-]+)\./.exec(signed) ?? []
    const leadsTo = async (cookie: string): Promise<string> => {
      const visitor = examples.visitor()
      await visitor.begin(appURL)
      const headers = { cookie: `${await visitor.browser.cookies(appURL)}; ${NAME}=${cookie}` }
      return (await visitor.browser.comeBack(`${appURL}${CALLBACK}?auth_key=${visitor.newKey()}`, { headers })).location
    }
    expect(id).toMatch(/^[\da-f-]{36}$/)
    expect(await leadsTo(signed)).toBe('/profile')
    const forged = [
      ...[id, `s%3A${id}`, `s%3A${id}.`, `s%3A${id}.${'A'.repeat(43)}`, `j%3A["${id}"]`, signed.replace('s%3A', '')],
    ]
    for (const cookie of forged) expect([cookie, await leadsTo(cookie)]).toStrictEqual([cookie, '/login/confirm'])
  })
})

describe('a key at an address of the example that is not the callback', () => {
  const examples = useExamples('all tests')
  let example: RunningExample
  let ada: Visitor

  beforeAll(async () => {
    example = await examples.start()
    ada = examples.visitor()
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
      expect([status, location]).toStrictEqual([303, '/login?reason=auth_key_malformed'])
      expect([sent['referrer-policy'], sent['cache-control']]).toStrictEqual(['no-referrer', 'no-store'])
    }
    const page = await ada.browser.follow(`${example.appURL}/login?reason=auth_key_malformed`)
    expect(page.body).toContain('a response that we could not read')
    expect(example.output()).not.toContain(key)
    expect(examples.exchanges()).toBe(0)
  })

  test('is no page either where the request fails: a form at the callback, a body that is too big', async () => {
    const url = `${example.appURL}${CALLBACK}?auth_key=${ada.newKey()}`
    const headers = { ...providerNavigation, 'content-type': 'application/x-www-form-urlencoded' }
    for (const body of ['a=b', 'x'.repeat(20_000)]) {
      const posted = await ada.browser.request(url, { method: 'POST', headers, body })
      expect([posted.status, posted.location]).toStrictEqual([303, '/login?reason=auth_key_malformed'])
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
