import connect from 'connect'
import cookieSession from 'cookie-session'
import type { RequestHandler } from 'express'
import { CookieStore, SocialLoginError, Strategy } from '../../lib'
import { COOKIE_KEY_CANARY, newPassport, type RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'

const NAME = '__Host-social-login'

const logins = useLogins()
afterEach(() => jest.restoreAllMocks())

describe('an Express application without any session', () => {
  let app: RunningApp

  beforeEach(async () => {
    app = await logins.startApp({
      keep: 'cookie',
      session: false,
      start: { session: false },
      callback: { session: false },
      before: (server) =>
        server.use((_req, res, next) => next(void res.append('Set-Cookie', ['cart=1; Path=/', 'theme=dark; Path=/']))),
    })
  })

  test('signs in once, and not again with the same record', async () => {
    const browser = new Browser()
    expect((await browser.follow(app.loginURL)).status).toBe(302)
    const cookies = await browser.cookies(app.origin)
    const answer = await browser.comeBack(app.approvedCallback())
    expect(JSON.parse(answer.body).user).toEqual({ id: '1' })
    // The browser's record is deleted, and a copy of it is useless.
    expect(await browser.cookies(app.origin)).not.toContain(NAME)
    expect((await browser.comeBack(app.approvedCallback())).status).toBe(403)
    expect((await browser.comeBack(app.approvedCallback(), { headers: { cookie: cookies } })).status).toBe(403)
    expect(logins.exchanges()).toBe(1)
  })

  test('keeps the other cookies of its responses', async () => {
    const browser = new Browser()
    for (const answer of [await browser.follow(app.loginURL), await browser.comeBack(app.approvedCallback())]) {
      const lines = [answer.headers['set-cookie'] ?? []].flat()
      expect(lines.slice(0, 2)).toEqual(['cart=1; Path=/', 'theme=dark; Path=/'])
      expect(lines.slice(2).map((line) => line.split('=')[0])).toEqual([NAME])
    }
  })

  // The limit of __Host-: an attacker who can set cookies for this very host (malware, a hostile proxy) can plant a
  // pending login. A planted cookie beside the browser's own ends both logins.
  test('accepts a cookie planted from another browser, unless the browser has one of its own', async () => {
    const attacker = new Browser()
    await attacker.follow(app.loginURL)
    const planted = await attacker.cookies(app.origin)
    const victim = new Browser()
    await victim.follow(app.loginURL)
    const both = `${await victim.cookies(app.origin)}; ${planted}`
    expect((await victim.comeBack(app.approvedCallback(), { headers: { cookie: both } })).status).toBe(403)
    expect(logins.exchanges()).toBe(0)
    const answer = await new Browser().comeBack(app.approvedCallback(), { headers: { cookie: planted } })
    expect(answer.status).toBe(200)
  })
})

describe('under a session that is a cookie itself (cookie-session)', () => {
  const keep = cookieSession({ secret: 'secret', sameSite: 'lax' })
  const done = { value: (callback: () => void) => callback() }
  // Passport needs two methods that cookie-session does not have.
  const completed: RequestHandler = (req, res, next) =>
    keep(req, res, (error?: unknown) => {
      Object.defineProperties(req.session, { regenerate: done, save: done })
      next(error)
    })

  test.each([
    ['undone with the pending login in that session: a known limit', 'session', { id: 'another' }],
    ['kept with the CookieStore', 'cookie', null],
  ] as const)('a logout while a login waits for the provider is %s', async (_title, store, user) => {
    const app = await logins.startApp({
      keep: store,
      session: false,
      verify: async () => false,
      callback: {},
      before: (server, passport) => server.use(completed, passport.session()),
    })
    const browser = new Browser()
    await whileLoginWaits(app, browser, () => browser.follow(`${app.origin}/logout`, { method: 'POST' }))
    expect(await app.userOf(browser)).toEqual(user)
  })
})

test.each([
  ['lost with the pending login in a session whose cookie has a maxAge: a known limit', 'session', null],
  ['kept with the CookieStore', 'cookie', { id: 'another' }],
] as const)('a new sign-in while a login waits for the provider is %s', async (_title, keep, user) => {
  const session = { cookie: { maxAge: 60_000 } }
  const app = await logins.startApp({ keep, session, verify: async () => false, callback: {} })
  const browser = new Browser()
  await whileLoginWaits(app, browser, () => browser.follow(`${app.origin}/become`))
  expect(await app.userOf(browser)).toEqual(user)
})

/** Signs somebody in, begins a login, and does something while the provider takes its time over the exchange. */
async function whileLoginWaits(app: RunningApp, browser: Browser, act: () => Promise<unknown>): Promise<void> {
  await browser.follow(`${app.origin}/become`)
  await browser.follow(app.loginURL)
  logins.provider.failNext('authorize', { delay: 300 })
  let hasEnded = false
  const late = browser.comeBack(app.approvedCallback()).finally(() => {
    hasEnded = true
  })
  while (logins.exchanges() === 0 && !hasEnded) await new Promise((resolve) => setImmediate(resolve))
  await act()
  await late
}

describe('a Connect application', () => {
  const errors: unknown[] = []

  /** @returns its origin, and a callback with a good key */
  async function start(givesResponse: boolean): Promise<{ origin: string; callback: string }> {
    const { provider } = logins
    const { server, origin } = logins.stopLater(await listen())
    const callbackURL = `${origin}/callback`
    const { appID, appSecret } = provider.registerApplication({ name: 'Connect', redirectURL: callbackURL })
    const store = new CookieStore({ keys: [COOKIE_KEY_CANARY] })
    const settings = { baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret, store, callbackURL }
    const passport = newPassport([new Strategy(settings, async (_token, _refresh, { id }) => ({ id }))])
    const routes = connect()
    if (givesResponse) routes.use((req, res, next) => next(void Object.assign(req, { res })))
    const login = passport.authenticate('social-login', { session: false })
    routes.use('/auth', login).use('/callback', login)
    routes.use('/callback', (req: connect.IncomingMessage, res) => res.end(JSON.stringify(Reflect.get(req, 'user'))))
    routes.use((error: unknown, _req: unknown, _res: unknown, next: (error: unknown) => void) => {
      errors.push(error)
      next(error)
    })
    server.on('request', routes)
    return { origin, callback: `${callbackURL}?auth_key=${provider.issueAuthKey({ appID, userID: '1' })}` }
  }

  test('signs in with the response at req.res', async () => {
    const { origin, callback } = await start(true)
    const browser = new Browser()
    expect((await browser.follow(`${origin}/auth`)).status).toBe(302)
    expect(JSON.parse((await browser.comeBack(callback)).body)).toEqual({ id: '1' })
  })

  test('without it gets an error that names req.res', async () => {
    const { origin } = await start(false)
    const answer = await new Browser().follow(`${origin}/auth`)
    expect(answer.status).toBe(503)
    const [error] = errors.splice(0)
    expect(error).toBeInstanceOf(SocialLoginError)
    expect(error).toMatchObject({ code: 'session_unavailable', phase: 'start' })
    expect(String(error)).toContain('CookieStore needs req.res: set it to the response before passport.authenticate().')
  })
})
