import { CookieStore, Strategy } from '../../lib'
import { sameOriginNavigation } from '../../lib/testing'
import { SocialLogin } from '../../lib/web'
import { COOKIE_KEY_CANARY, type RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

const logins = useLogins()
const keys = [COOKIE_KEY_CANARY]

const namesOf = (lines: readonly string[]): string[] => lines.map((line) => line.split('=')[0] ?? '')

function newLogin(
  callbackURL: string,
  more: Pick<Exclude<ConstructorParameters<typeof SocialLogin>[0], { store: object }>, 'cookie'> = {},
): SocialLogin {
  const { baseURL } = logins.provider
  const login = new SocialLogin({ baseURL, clientID: '1', clientSecret: 'secret', callbackURL, keys, ...more })
  logins.stopLater({ stop: () => login.close() })
  return login
}

const startWith = (login: SocialLogin, url: string): Promise<Response> =>
  login.start(new Request(url, { headers: sameOriginNavigation }), { user: null })

function withCookieStore(callbackURL?: string, options = {}): Promise<RunningApp> {
  const store = new CookieStore({ keys, ...options })
  return logins.startApp({
    newStrategy: (settings) =>
      new Strategy({ ...settings, store, ...(callbackURL && { callbackURL }) }, async (_a, _r, { id }) => ({ id })),
  })
}

describe('hosting that passes one cookie, by its name', () => {
  test('is served by a cookie of that name, Secure and without a prefix', async () => {
    const app = await withCookieStore('/callback', { name: '__session', hostPrefix: false })
    const { headers } = await new Browser().follow(app.loginURL)
    const lines = [headers['set-cookie'] ?? []].flat().filter((line) => !line.startsWith('connect.sid'))
    expect(lines).toStrictEqual([
      expect.stringMatching(/^__session=\S+; Max-Age=660; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ])
    const only = lines.map((line) => line.split(';')[0]).join()
    const answer = await new Browser().comeBack(app.approvedCallback(), { headers: { cookie: only } })
    expect([answer.status, JSON.parse(answer.body).user]).toStrictEqual([200, { id: '1' }])
  })

  test('is served by SocialLogin alike, and a wrong option of the cookie is named', async () => {
    const url = 'https://app.example/callback'
    const login = newLogin(url, { cookie: { name: '__session', hostPrefix: false } })
    const started = await startWith(login, 'https://app.example/auth')
    expect(started.headers.getSetCookie()).toStrictEqual([expect.stringMatching(/^__session=\S+;.* Secure;/)])
    expect(() => newLogin(url, { cookie: { name: 'a b' } })).toThrow(/^name must have 1 to 64/)
    expect(() => Reflect.construct(SocialLogin, [{ ...{ callbackURL: url, keys, cookie: { nme: 'x' } } }])).toThrow(
      TypeError,
    )
  })
})

describe('on plain http of this machine, where Safari and test agents keep no Secure cookie', () => {
  test.each([
    'http://localhost:3000/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:3000/callback',
    'http://app.localhost/callback',
  ])('a login at %s sets a cookie without Secure as well, by which it can end', async (callbackURL) => {
    const lines = (await startWith(newLogin(callbackURL), new URL('/auth', callbackURL).href)).headers.getSetCookie()
    expect(namesOf(lines)).toStrictEqual(['__Host-social-login', 'social-login'])
    expect(lines.map((line) => line.includes('Secure'))).toStrictEqual([true, false])
  })

  test.each(['https://localhost/callback', 'https://app.example/callback', 'https://127.0.0.1.example/callback'])(
    'a login at %s does not',
    async (callbackURL) => {
      const lines = (await startWith(newLogin(callbackURL), new URL('/auth', callbackURL).href)).headers.getSetCookie()
      expect(namesOf(lines)).toStrictEqual(['__Host-social-login'])
    },
  )

  /** The cookies that such a browser keeps. */
  async function keptBy(app: RunningApp): Promise<string> {
    const { headers } = await new Browser().follow(app.loginURL)
    const kept = [headers['set-cookie'] ?? []].flat().filter((line) => !/;\s*secure/i.test(line))
    return kept.map((line) => line.split(';')[0]).join('; ')
  }

  test('CookieStore does so in a strategy that has the whole callbackURL', async () => {
    const app = await withCookieStore()
    const answer = await new Browser().comeBack(app.approvedCallback(), { headers: { cookie: await keptBy(app) } })
    expect([answer.status, JSON.parse(answer.body).user]).toStrictEqual([200, { id: '1' }])
  })

  test('in one that has the path only, the failure says what to do', async () => {
    const app = await withCookieStore('/callback')
    const answer = await new Browser().comeBack(app.approvedCallback(), { headers: { cookie: await keptBy(app) } })
    expect(answer.status).toBe(403)
    expect(answer.body).toContain('Safari and some test agents keep no such cookie. With the whole callbackURL')
    const proxied = { cookie: 'a=b', 'x-forwarded-proto': 'https' }
    const other = await new Browser().comeBack(app.approvedCallback(), { headers: proxied })
    expect(other.body).not.toContain('Safari')
  })
})
