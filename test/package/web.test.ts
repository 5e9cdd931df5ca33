import { type Context, Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import type { Profile, SocialLogin } from '../../lib/web'
import { useLogins } from '../support/logins'
import { WebBrowser } from '../support/web-browser'
import { linking, ownHeaders, quickStart, reasons, type Sessions } from './docs/web'

/** The recipes of docs/web.md. */
describe('recipes for Request and Response', () => {
  const ORIGIN = 'https://app.example'
  const LOGIN_COOKIE_KEY = 'cookie-key-canary-d41c8f21a9e04b7c'
  const logins = useLogins()

  const registration = (redirectURL: string) => {
    const { provider } = logins
    const { appID, appSecret } = provider.registerApplication({ name: 'Web', redirectURL })
    return { baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret, LOGIN_COOKIE_KEY }
  }
  const newKey = (appID: string): string => logins.provider.issueAuthKey({ appID, userID: '1' })
  const sessions: Sessions = {
    userOf: (c: Context) => /\bsid=(\w+)/.exec(c.req.header('cookie') ?? '')?.[1],
    signIn: async (c: Context, profile: Profile) =>
      c.header('Set-Cookie', `sid=${profile.id}; Path=/`, { append: true }),
  }

  test('the quick start signs in, keeps its cookie, and leads to returnTo', async () => {
    const registered = registration(`${ORIGIN}/auth/callback`)
    const app = quickStart(registered, sessions)
    const browser = new WebBrowser(ORIGIN)
    const fetch = async (request: Request): Promise<Response> => app.fetch(request)
    const callback = (): Promise<Response> =>
      browser.send(`/auth/callback?auth_key=${newKey(registered.clientID)}`, 'cross-site', fetch)
    expect((await callback()).status).toBe(403)
    expect((await browser.send('/auth?next=/inbox', 'same-origin', fetch)).status).toBe(302)
    const answer = await callback()
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/inbox'])
    expect([answer.headers.get('cache-control'), answer.headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ])
    expect(browser.cookie).toBe('sid=1')
    expect((await callback()).headers.get('location')).toBe('/')
  })

  test('headers of the application’s own, which would replace those of the login, leave its routes out', async () => {
    const policies = async (app: Hono): Promise<unknown[]> => {
      quickStart(registration(`${ORIGIN}/auth/callback`), sessions, app).get('/', (c) => c.text('Hello'))
      const fetch = async (request: Request): Promise<Response> => app.fetch(request)
      const policy = async (path: string, site: 'same-origin' | 'cross-site'): Promise<string | null> =>
        (await new WebBrowser(ORIGIN).send(path, site, fetch)).headers.get('referrer-policy')
      return [
        await policy('/', 'same-origin'),
        await policy('/auth', 'same-origin'),
        await policy('/auth', 'cross-site'),
      ]
    }
    const naive = new Hono()
    naive.use(secureHeaders())
    expect(await policies(naive)).toEqual(['no-referrer', 'no-referrer', 'no-referrer'])
    const app = new Hono()
    ownHeaders(app)
    expect(await policies(app)).toEqual(['no-referrer', null, 'same-origin'])
  })

  test('failureRedirect by a function tells the page why', async () => {
    const { LOGIN_COOKIE_KEY: key, ...registered } = registration(`${ORIGIN}/auth/callback`)
    const login = reasons({ ...registered, callbackURL: `${ORIGIN}/auth/callback`, keys: [key] })
    const result = await login.callback(new Request(`${ORIGIN}/auth/callback`), { user: null })
    if (result.type !== 'failure') throw new Error(result.type)
    expect(result.response.headers.get('location')).toBe('/login?error=auth_key_missing')
  })

  describe('linking', () => {
    const linked: string[] = []
    let login: SocialLogin
    let send: (browser: WebBrowser, path: string, site: 'same-origin' | 'cross-site') => Promise<Response>
    let appID: string

    beforeEach(() => {
      linked.length = 0
      const { LOGIN_COOKIE_KEY: key, ...registered } = registration(`${ORIGIN}/link/callback`)
      appID = registered.clientID
      login = reasons({ ...registered, callbackURL: `${ORIGIN}/auth/callback`, keys: [key] })
      const app = quickStart({ ...registered, LOGIN_COOKIE_KEY: key }, sessions)
      linking(login, app, sessions, async (user, profile) => void linked.push(`${user}: ${profile.id}`))
      send = (browser, path, site) =>
        browser.send(path, site, async (request) =>
          app.fetch(path === '/link' ? new Request(request, { method: 'POST' }) : request),
        )
    })

    test('adds the account to the user who began it', async () => {
      const browser = new WebBrowser(ORIGIN, 'sid=7')
      expect((await send(browser, '/link', 'same-origin')).status).toBe(302)
      const answer = await send(browser, `/link/callback?auth_key=${newKey(appID)}`, 'cross-site')
      expect([answer.headers.get('location'), linked]).toEqual(['/account', ['7: 1']])
    })

    test('links nothing for nobody, and nothing that began as a login', async () => {
      const nobody = new WebBrowser(ORIGIN)
      await send(nobody, '/link', 'same-origin')
      const unknown = await send(nobody, `/link/callback?auth_key=${newKey(appID)}`, 'cross-site')
      expect(unknown.headers.get('location')).toBe('/login')
      const browser = new WebBrowser(ORIGIN, 'sid=7')
      await send(browser, '/auth', 'same-origin')
      const refused = await send(browser, `/link/callback?auth_key=${newKey(appID)}`, 'cross-site')
      expect([refused.headers.get('location'), linked]).toEqual(['/login?error=context_mismatch', []])
    })
  })
})
