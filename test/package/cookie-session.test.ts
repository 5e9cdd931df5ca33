import cookieSession from 'cookie-session'
import type { RequestHandler } from 'express'
import passport7 from 'passport'
import passport6 from 'passport-0-6'
import type { PassportInstance, RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'
import { cookieSessions } from './docs/guides'

const passports: [string, () => PassportInstance][] = [
  ['0.6', () => new passport6.Passport()],
  ['0.7', () => new passport7.Passport()],
]

/** The shim that the web knows: `regenerate` renews nothing. */
const naive = [
  cookieSession({ keys: ['session key'], sameSite: 'lax' }),
  (req, _res, next) => {
    const ignore = { value: (done: () => void) => done() }
    next(void Object.defineProperties(req.session, { regenerate: ignore, save: ignore }))
  },
] satisfies RequestHandler[]

/** "cookie-session" of docs/guides/without-session.md. */
describe.each(passports)('the guide for cookie-session with Passport %s', (_version, newPassport) => {
  const logins = useLogins()

  const start = (sessions: 'guide' | 'naive' = 'guide'): Promise<RunningApp> =>
    logins.startApp({
      passport: newPassport(),
      session: false,
      keep: 'cookie',
      before: (app, passport) => {
        if (sessions === 'guide') cookieSessions(app, passport, 'session key')
        else app.use(naive, passport.session())
        app.get('/cart', (req, res) => void res.json(Object.assign(req.session, { cart: 'full' })))
        app.get('/session', (req, res) => void res.json(req.session))
      },
    })
  const sessionOf = async (app: RunningApp, browser: Browser): Promise<unknown> =>
    JSON.parse((await browser.follow(`${app.origin}/session`)).body)

  test('signs in, stays signed in, and signs out', async () => {
    const app = await start()
    const browser = new Browser()
    expect((await app.logIn(browser)).status).toBe(200)
    expect(await app.userOf(browser)).toEqual({ id: '1' })
    await browser.follow(`${app.origin}/logout`, { method: 'POST' })
    expect(await app.userOf(browser)).toBeNull()
    expect((await app.logIn(browser, '2')).status).toBe(200)
    expect(await app.userOf(browser)).toEqual({ id: '2' })
    expect(app.errors).toStrictEqual([])
  })

  test('empties the session at a login, which the usual shim does not', async () => {
    for (const [sessions, left] of [
      ['naive', { cart: 'full', passport: { user: { id: '1' } } }],
      ['guide', { passport: { user: { id: '1' } } }],
    ] as const) {
      const app = await start(sessions)
      const browser = new Browser()
      await browser.follow(`${app.origin}/cart`)
      await app.logIn(browser)
      expect(await sessionOf(app, browser)).toEqual(left)
    }
  })
})
