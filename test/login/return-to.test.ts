import express5 from 'express'
import express4 from 'express-4'
import { MemoryStore } from 'express-session'
import passport7 from 'passport'
import passport6 from 'passport-0-6'
import { type AuthenticateOptions, CookieStore, Strategy } from '../../lib'
import { keepSessions, newPassport } from '../support/app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'

const passports = { '0.6': passport6.Passport, '0.7': passport7.Passport }
const frameworks = { 4: express4, 5: express5 }
const libraries = (['0.6', '0.7'] as const).flatMap((passport) =>
  ([4, 5] as const).map((express) => ({ passport, express })),
)

const logins = useLogins()

interface Site {
  readonly origin: string
  /** A login that begins with this query. */
  logIn(browser: Browser, query?: string): Promise<BrowserAnswer>
}

describe.each(libraries)('successReturnToOrRedirect with Passport $passport under Express $express', (library) => {
  const start = async (callback: AuthenticateOptions): Promise<Site> => {
    const app = frameworks[library.express]()
    const { origin } = logins.stopLater(await listen(app))
    const application = logins.provider.registerApplication({ name: 'Site', redirectURL: `${origin}/callback` })
    const { appID: clientID, appSecret: clientSecret } = application
    const settings = { baseURL: logins.provider.baseURL, clientID, clientSecret, callbackURL: '/callback' }
    const store = new CookieStore({ keys: ['a cookie key of 32 characters at least'] })
    const strategy = new Strategy({ ...settings, store }, async (_accessToken, _refreshToken, { id }) => ({ id }))
    const passport = newPassport([strategy], new passports[library.passport]())
    app.use(keepSessions(new MemoryStore()), passport.initialize(), passport.session())
    // As other packages do, which keep whatever address was asked for.
    app.get('/wall', (req, res) => res.json(Object.assign(req.session, { returnTo: req.query['to'] })))
    app.get('/login', (req, res, next) => {
      const { returnTo } = req.query
      passport.authenticate('social-login', typeof returnTo === 'string' ? { returnTo } : {})(req, res, next)
    })
    app.get('/callback', passport.authenticate('social-login', callback))
    app.get('/session', (req, res) => res.json({ user: req.user ?? null, ...req.session, cookie: undefined }))
    return {
      origin,
      logIn: async (browser, query = '') => {
        await browser.follow(`${origin}/login${query}`)
        return browser.comeBack(
          `${origin}/callback?auth_key=${logins.provider.issueAuthKey({ appID: clientID, userID: '1' })}`,
        )
      },
    }
  }
  const sessionOf = async ({ origin }: Site, browser: Browser): Promise<Record<string, unknown>> =>
    JSON.parse((await browser.follow(`${origin}/session`)).body)

  test.each([true, false])('leads to the returnTo of the login (keepSessionInfo: %s)', async (keepSessionInfo) => {
    const site = await start({ successReturnToOrRedirect: '/home', keepSessionInfo })
    const browser = new Browser()
    expect((await site.logIn(browser, '?returnTo=/inbox%3Funread=1')).location).toBe('/inbox?unread=1')
    const { user, returnTo } = await sessionOf(site, browser)
    expect([user, returnTo]).toEqual([{ id: '1' }, undefined])
  })

  test('leads to its own address where the login has no returnTo, and for a reload', async () => {
    const site = await start({ successReturnToOrRedirect: '/home' })
    const browser = new Browser()
    expect((await site.logIn(browser)).location).toBe('/home')
    expect((await browser.comeBack(`${site.origin}/callback?auth_key=spent`)).location).toBe('/home')
  })

  test('never leads to another origin by the returnTo of a query', async () => {
    const site = await start({ successReturnToOrRedirect: '/home' })
    for (const returnTo of ['https://evil.example', '//evil.example', '/\\evil.example', '/.//evil.example']) {
      const query = `?${new URLSearchParams({ returnTo })}`
      expect((await site.logIn(new Browser(), query)).location).toBe('/home')
    }
  })

  test('leads to the returnTo of the login even if other code has kept an address in the session', async () => {
    const site = await start({ successReturnToOrRedirect: '/home', keepSessionInfo: true })
    const visitor = async (): Promise<Browser> => {
      const browser = new Browser()
      await browser.follow(`${site.origin}/wall?to=//evil.example`)
      return browser
    }
    // The danger: Passport itself leads wherever that code was told to.
    expect((await site.logIn(await visitor())).location).toBe('//evil.example')
    const browser = await visitor()
    expect((await site.logIn(browser, '?returnTo=/inbox')).location).toBe('/inbox')
    expect((await sessionOf(site, browser))['returnTo']).toBeUndefined()
  })

  test('works without a session of its user, and a second login in the same browser has its own returnTo', async () => {
    const site = await start({ successReturnToOrRedirect: '/home', session: false })
    const browser = new Browser()
    expect((await site.logIn(browser, '?returnTo=/first')).location).toBe('/first')
    expect((await site.logIn(browser, '?returnTo=/second')).location).toBe('/second')
    expect((await site.logIn(browser)).location).toBe('/home')
    expect(await sessionOf(site, browser)).toEqual({ user: null })
  })
})
