import type { PendingLoginStore } from '../../lib'
import { type AppOptions, codeOf, type RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

const TEN_MINUTES = 10 * 60 * 1000
const logins = useLogins()

afterEach(() => jest.restoreAllMocks())

describe.each(['session', 'cookie'] as const)('pendingLogin, with the record in the %s,', (keep) => {
  let app: RunningApp

  /** An application whose page `/pending` answers what `pendingLogin` tells. */
  const start = async (options: AppOptions = {}): Promise<Browser> => {
    app = await logins.startApp({
      keep,
      start: { returnTo: '/inbox', state: 'cart-7' },
      before: (express) => {
        express.get('/pending', async (req, res) => {
          const { callbackURL } = req.query
          res.json(
            (await app.strategy.pendingLogin(req, typeof callbackURL === 'string' ? { callbackURL } : {})) ?? null,
          )
        })
      },
      ...options,
    })
    return new Browser()
  }
  const pending = async (browser: Browser, query = ''): Promise<unknown> => {
    const { status, body } = await browser.follow(`${app.origin}/pending${query}`)
    return status === 200 ? JSON.parse(body) : status
  }
  const present = { startedAt: expect.any(String), expiresAt: expect.any(String), returnTo: '/inbox' }

  test('tells when the login began and ends, where it leads, and nothing else', async () => {
    const browser = await start()
    expect(await pending(browser)).toBeNull()
    const before = Date.now()
    await browser.follow(app.loginURL)
    const after = Date.now()
    const { startedAt, expiresAt, ...others } = Object(await pending(browser))
    expect(others).toEqual({ returnTo: '/inbox' })
    expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(startedAt)).toBeLessThanOrEqual(after)
    expect(Date.parse(expiresAt) - Date.parse(startedAt)).toBe(TEN_MINUTES)
  })

  test('changes nothing: no cookie is set, nobody is signed in, and the login ends well', async () => {
    const browser = await start()
    await browser.follow(app.loginURL)
    const stored = app.sessions()
    for (let visit = 0; visit < 2; visit++) {
      const page = await browser.follow(`${app.origin}/pending`)
      expect([page.status, page.headers['set-cookie']]).toStrictEqual([200, undefined])
    }
    expect(app.sessions()).toBe(stored)
    expect(await app.userOf(browser)).toBeNull()
    expect(logins.provider.requests).toStrictEqual([])
    expect((await browser.comeBack(app.approvedCallback())).status).toBe(200)
  })

  test('is gone when the login has ended, well or not, and stays while it can still end well', async () => {
    const browser = await start({ callback: { failureRedirect: '/failed' } })
    await browser.follow(app.loginURL)
    await browser.comeBack(app.callbackURL)
    expect(await pending(browser)).toEqual(present)
    await browser.comeBack(`${app.callbackURL}?auth_key=a-guess`)
    expect(await pending(browser)).toBeNull()
    await app.logIn(browser)
    expect(await pending(browser)).toBeNull()
  })

  test('is gone after ten minutes', async () => {
    const browser = await start()
    await browser.follow(app.loginURL)
    const { startedAt } = Object(await pending(browser))
    const clock = jest.spyOn(Date, 'now')
    clock.mockReturnValue(Date.parse(startedAt) + TEN_MINUTES)
    expect(await pending(browser)).toEqual(present)
    clock.mockReturnValue(Date.parse(startedAt) + TEN_MINUTES + 1)
    expect(await pending(browser)).toBeNull()
  })

  test('is not told to another browser, nor to another user in the same one', async () => {
    const browser = await start()
    await browser.follow(app.loginURL)
    expect(await pending(new Browser())).toBeNull()
    await browser.follow(`${app.origin}/become`)
    expect(await pending(browser)).toBeNull()
  })

  test('belongs to the callback URL that the start was given', async () => {
    const browser = await start({ start: { callbackURL: '/elsewhere', returnTo: '/inbox' } })
    await browser.follow(app.loginURL)
    expect(await pending(browser)).toBeNull()
    expect(await pending(browser, '?callbackURL=/elsewhere')).toEqual(present)
  })

  test('belongs to its strategy alone', async () => {
    const browser = await start({
      before: (express, passport) => {
        express.get('/other', passport.authenticate('other', { returnTo: '/inbox' }))
        express.get('/pending', async (req, res) => res.json((await app.strategy.pendingLogin(req)) ?? null))
      },
    })
    await browser.follow(`${app.origin}/other`)
    expect(await pending(browser)).toBeNull()
  })
})

const failing: PendingLoginStore = {
  save: async () => {},
  load: () => Promise.reject(new Error('redis://user:password@host is away')),
  consume: async () => {},
}

test.each<[string, AppOptions]>([
  ['there is no session', { session: false }],
  ['the store fails', { strategy: { store: failing } }],
])('pendingLogin rejects with session_unavailable where %s', async (_title, options) => {
  const app = await logins.startApp({
    ...options,
    before: (express) => {
      express.get('/pending', async (req, res) => res.json(await app.strategy.pendingLogin(req)))
    },
  })
  expect((await new Browser().follow(`${app.origin}/pending`)).status).toBe(503)
  expect(app.errors.map(codeOf)).toStrictEqual(['session_unavailable'])
})
