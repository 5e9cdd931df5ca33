import cookieSession from 'cookie-session'
import type { RequestHandler } from 'express'
import type { RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

const NAME = '__Host-social-login'

const logins = useLogins()

describe('an Express application without any session', () => {
  let app: RunningApp

  beforeEach(async () => {
    app = await logins.startApp({
      keep: 'cookie',
      session: false,
      start: { session: false },
      callback: { session: false },
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

  // The limit of __Host-: an attacker who can set cookies for this very host (malware, a hostile proxy) can plant a
  // pending login. Beside the browser's own, it ends both: see security/sessions.test.ts.
  test('accepts a cookie planted from another browser, in one without its own', async () => {
    const attacker = new Browser()
    await attacker.follow(app.loginURL)
    const planted = await attacker.cookies(app.origin)
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
