import type { RequestHandler } from 'express'
import type { AppOptions, RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { HookedStore } from '../support/hooked-store'
import { useLogins } from '../support/logins'

// What stands behind a callback runs for a login, and never for a repetition: whoever is signed in, and on every route.

const logins = useLogins()

const HTML = { headers: { accept: 'text/html' } }

type Refused = readonly [status: number, hasCode: boolean, hasText: boolean]

const KINDS: readonly [string, AppOptions][] = [
  ['passport.authenticate, with the session', {}],
  ['passport.authenticate, with a CookieStore', { keep: 'cookie' }],
  ['passport.authenticate, with keepSessionInfo', { callback: { keepSessionInfo: true } }],
  ['passport.authenticate, with successRedirect', { callback: { successRedirect: '/me' } }],
  ['passport.authenticate, with successReturnToOrRedirect', { callback: { successReturnToOrRedirect: '/me' } }],
  ['passport.authenticate, without a session of its user', { callback: { session: false } }],
  ['passport.authorize', { callback: { assignProperty: 'account' } }],
  ['SocialLogin', { keep: 'web' }],
]

async function signedIn(options: AppOptions): Promise<{ app: RunningApp; browser: Browser }> {
  const app = await logins.startApp(options)
  const browser = new Browser()
  await browser.follow(`${app.origin}/become`)
  return { app, browser }
}

async function refused(browser: Browser, callback: string): Promise<Refused> {
  const { status, body } = await browser.comeBack(callback, HTML)
  return [status, body.includes('login_not_started'), body.includes('nothing left to finish here')]
}

const NOTHING_LEFT: Refused = [403, true, true]

describe.each(KINDS)('%s', (_title, options) => {
  test('refuses the callback of a login that has succeeded', async () => {
    const { app, browser } = await signedIn(options)
    await browser.follow(app.loginURL)
    const callback = app.approvedCallback()
    expect((await browser.comeBack(callback)).status).toBeLessThan(400)
    const [user, sent] = [await app.userOf(browser), logins.provider.requests.length]
    expect(await refused(browser, callback)).toEqual(NOTHING_LEFT)
    expect([await app.userOf(browser), logins.provider.requests.length]).toStrictEqual([user, sent])
  })

  test('refuses the callback of a login that has failed, whoever opens it again', async () => {
    const { app, browser } = await signedIn(options)
    await browser.follow(app.loginURL)
    const invented = `${app.callbackURL}?auth_key=invented`
    expect((await browser.comeBack(invented)).status).toBe(401)
    expect(await refused(browser, invented)).toEqual(NOTHING_LEFT)
    expect([await app.userOf(browser), logins.exchanges()]).toStrictEqual([{ id: 'another' }, 1])
  })

  test('refuses a callback that belongs to no login', async () => {
    const { app, browser } = await signedIn(options)
    expect(await refused(browser, app.approvedCallback())).toEqual(NOTHING_LEFT)
    expect([await app.userOf(browser), logins.exchanges()]).toStrictEqual([{ id: 'another' }, 0])
  })
})

test.each(['session', 'cookie'] as const)(
  'an account that verify has refused is not let in by a reload in a signed-in browser (%s)',
  async (keep) => {
    const { app, browser } = await signedIn({ keep, verify: async () => false })
    await browser.follow(app.loginURL)
    const callback = app.approvedCallback()
    expect((await browser.comeBack(callback)).status).toBe(401)
    expect(await refused(browser, callback)).toEqual(NOTHING_LEFT)
    expect(await app.userOf(browser)).toEqual({ id: 'another' })
  },
)

test('a callback that comes while its login runs shares its result, and one that comes afterwards does not', async () => {
  const app = await logins.startApp({ keep: 'cookie' })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  const callback = app.approvedCallback()
  const cookie = await browser.cookies(callback)
  logins.provider.failNext('authorize', { delay: 300 })
  const again = (): ReturnType<Browser['comeBack']> => new Browser().comeBack(callback, { headers: { cookie } })
  const [first, second] = await Promise.all([browser.comeBack(callback), again()])
  expect([first.status, second.status, (await again()).status]).toStrictEqual([200, 200, 403])
  expect(logins.exchanges()).toBe(1)
})

test('nothing is put into the session that Passport renews', async () => {
  const store = new HookedStore()
  const app = await logins.startApp({ store })
  await app.logIn()
  expect(Object.keys(JSON.parse(app.sessions())).sort()).toStrictEqual(['cookie', 'passport'])
})

test('a page of failureRedirect that redirects signed-in users spares them the failure', async () => {
  const page: RequestHandler = (req, res) => (req.user ? res.redirect('/me') : res.status(401).send('Sign in'))
  const app = await logins.startApp({
    callback: { failureRedirect: '/login', successRedirect: '/me' },
    before: (express) => express.get('/login', page),
  })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  const callback = app.approvedCallback()
  expect((await browser.comeBack(callback)).location).toBe('/me')
  expect((await browser.comeBack(callback)).location).toBe('/login')
  expect((await browser.follow(`${app.origin}/login`)).location).toBe('/me')
})
