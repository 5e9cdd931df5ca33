import { connect } from 'node:net'
import type { Express, Request, RequestHandler } from 'express'
import express4 from 'express-4'
import passport from 'passport'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { Strategy, type VerifyFunction } from '../../lib'
import type { Application } from '../../lib/testing'
import type { RunningApp } from '../support/app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { HookedStore } from '../support/hooked-store'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'
import {
  limitGuessing,
  linking,
  notFinished,
  reasons,
  returnTo,
  returnToOrRedirect,
  sessionFirst,
  unsafeLinking,
} from './docs/guides'
import { linkRoutes } from './docs/linking'

const CALLBACK = '/auth/social-login/callback'

/** Applications built from the guides in docs/guides. */
describe('guides of the documentation', () => {
  const logins = useLogins()
  let app: RunningApp

  const build = async (
    guide: (server: Express, application: Application) => void,
    verify?: VerifyFunction,
  ): Promise<void> => {
    const redirectURL = `http://localhost:3000${CALLBACK}`
    const application = logins.provider.registerApplication({ name: 'Guide', redirectURL })
    app = await logins.startApp({
      application,
      passport,
      ...(verify && { verify }),
      callbackPath: CALLBACK,
      before: (server) => guide(server.set('trust proxy', 'loopback'), application),
    })
  }
  const keepInCookie = async (store: HookedStore, before: typeof sessionFirst): Promise<void> => {
    const strategy = { pendingLogin: (req: Request) => app.strategy.pendingLogin(req) }
    app = await logins.startApp({
      store,
      keep: 'cookie',
      callbackPath: CALLBACK,
      // Not `failureMessage`, which saves a session.
      callback: {},
      before: (server) => before(server, strategy),
    })
  }
  const visitorAt = async (address: string): Promise<Browser> => {
    const browser = new Browser({ 'x-forwarded-for': address })
    expect((await browser.follow(app.loginURL)).status).toBe(302)
    return browser
  }
  const comeBack = (browser: Browser, key: string): Promise<BrowserAnswer> =>
    browser.comeBack(`${app.callbackURL}?auth_key=${key}`)

  test('"Telling people why": no page is shown at the address with the key, and nothing of an unknown reason', async () => {
    await build(reasons)
    const visitor = await visitorAt('203.0.113.7')
    const { status, location } = await comeBack(visitor, 'a-guess')
    expect([status, location]).toStrictEqual([302, '/login?reason=auth_key_rejected'])
    const page = async (path: string): Promise<string> => (await visitor.follow(`${app.origin}${path}`)).body
    expect(await page(location)).toContain('<p>The provider did not confirm the login.</p>')
    for (const reason of ['constructor', '<script>', 'overloaded']) {
      expect(await page(`/login?reason=${encodeURIComponent(reason)}`)).toContain('<p>Signing in did not succeed.')
    }
    expect(await page('/login')).toContain('<p></p>')
    expect((await visitor.follow(app.loginURL)).status).toBe(302)
    const key = app.newKey('1')
    for (const again of [key, key]) expect((await comeBack(visitor, again)).location).toBe('/profile')
  })

  test('"Telling people why": the link on the page leads back to where the login was to lead', async () => {
    await build((server) => {
      reasons(server)
      returnTo(server)
    })
    const visitor = new Browser()
    await visitor.follow(`${app.origin}/auth/social-login?returnTo=/inbox%3Fa=%26b`)
    const { location } = await comeBack(visitor, 'a-guess')
    const { body } = await visitor.follow(app.origin + location)
    expect(body).toContain('<p>The provider did not confirm the login.</p>')
    await visitor.follow(app.origin + /href="([^"<>]+)"/.exec(body)?.[1])
    expect((await comeBack(visitor, app.newKey('1'))).location).toBe('/inbox?a=&b')
  })

  test('"Telling people why": somebody whom verify refuses without a reason reads that', async () => {
    await build(reasons, async () => false)
    const visitor = new Browser()
    await visitor.follow(app.loginURL)
    const { location } = await comeBack(visitor, app.newKey('1'))
    expect((await visitor.follow(`${app.origin}${location}`)).body).toContain(
      '<p>This account may not sign in here.</p>',
    )
  })

  test.each([
    ['with a handler', returnTo],
    ['without one', returnToOrRedirect],
  ])('"Back to the page they came from": %s, a login ends where its link said, or at home', async (_title, guide) => {
    await build((server) => {
      guide(server)
      returnTo(server)
    })
    const logIn = async (query: string): Promise<string> => {
      const browser = new Browser()
      await browser.follow(`${app.origin}/auth/social-login${query}`)
      return (await comeBack(browser, app.newKey('1'))).location
    }
    expect(await logIn('?returnTo=/inbox')).toBe('/inbox')
    expect(await logIn('?returnTo=//evil.example')).toBe('/')
    expect(await logIn('')).toBe('/')
  })

  test.each([
    ['is lost without it', () => {}, 1, 403],
    ['is kept by it', sessionFirst, 0, 200],
  ] as const)(
    '"No session, or a strict one": while the session store is away, a login %s',
    async (_title, before, spent, status) => {
      const store = new HookedStore()
      await keepInCookie(store, before)
      const browser = new Browser()
      await browser.follow(app.loginURL)
      const key = app.newKey()
      store.before = () => Promise.reject(new Error('away'))
      expect((await comeBack(browser, key)).status).toBe(500)
      expect(logins.exchanges()).toBe(spent)
      store.before = undefined
      expect((await comeBack(browser, key)).status).toBe(status)
      expect(logins.exchanges()).toBe(1)
    },
  )

  const savesEachSession: typeof sessionFirst = (server) => {
    server.use(CALLBACK, (req, _res, next) => req.session.save(next))
  }

  test.each([
    ['a session in the store without the check for a login', savesEachSession, true],
    ['none with it', sessionFirst, false],
  ] as const)('"No session, or a strict one": a callback of anybody leaves %s', async (_title, before, isLeft) => {
    const store = new HookedStore()
    await keepInCookie(store, before)
    expect((await comeBack(new Browser(), 'a-guess')).status).toBe(403)
    expect(store.contents() !== '').toBe(isLeft)
  })

  test('"You did not finish signing in": the login page says so, and its link leads to the same place', async () => {
    await build((server, { appID: clientID, appSecret: clientSecret }) => {
      const settings = { baseURL: logins.provider.baseURL, clientID, clientSecret, callbackURL: CALLBACK }
      notFinished(server, settings, async (_accessToken, _refreshToken, { id }) => ({ id }))
      returnTo(server)
    })
    const browser = new Browser()
    const show = async (): Promise<string> => (await browser.follow(`${app.origin}/login`)).body
    expect(await show()).toBe('<a href="/auth/social-login">Sign in</a>')
    await browser.follow(`${app.origin}/auth/social-login?returnTo=/inbox%3Fa=%22%3E%26b`)
    const page = await show()
    expect(page).toMatch(/^<p>You did not finish signing in\.<\/p><a href="[^"<>]+">Sign in<\/a>$/)
    await browser.follow(app.origin + /href="([^"]+)"/.exec(page)?.[1])
    expect((await comeBack(browser, app.newKey('1'))).location).toBe('/inbox?a=%22%3E&b')
    expect(await show()).toBe('<a href="/auth/social-login">Sign in</a>')
  })

  test('"You did not finish signing in": a store that fails is an error of the request, also in Express 4', async () => {
    const server = express4()
    const provider = {
      baseURL: logins.provider.baseURL,
      clientID: 'a',
      clientSecret: 'b',
      callbackURL: `http://localhost${CALLBACK}`,
    }
    // Without session middleware, as when express-session knows that its store is disconnected.
    notFinished(server, provider, async () => ({ id: '1' }))
    await using listening = await listen(server)
    const page = fetch(`${listening.origin}/login`, { signal: AbortSignal.timeout(3000) })
    expect((await page).status).toBe(503)
  })

  test('"Limiting guesses": an outage delays people while it lasts, and locks nobody out', async () => {
    await build(limitGuessing)
    const hung = await Promise.all(Array.from({ length: 10 }, () => visitorAt('203.0.113.7')))
    const next = await visitorAt('203.0.113.7')
    logins.provider.failNext('authorize', { status: 503, delay: 800 }, { times: 10 })
    const waiting = hung.map((browser) => comeBack(browser, app.newKey('1')))
    while (logins.exchanges() < 10) await new Promise((resolve) => setImmediate(resolve))
    expect((await comeBack(next, app.newKey('1'))).status).toBe(429)
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(502)
    // Key and pending login are unspent: a reload succeeds.
    const key = app.newKey('1')
    expect((await comeBack(next, key)).location).toBe('/profile')
    for (let count = 0; count < 15; count++) {
      expect((await comeBack(next, key)).location).toBe('/login')
      const prefetch = { headers: { 'sec-purpose': 'prefetch' } }
      expect((await next.comeBack(`${app.callbackURL}?auth_key=x`, prefetch)).status).toBe(503)
      expect((await comeBack(await visitorAt('203.0.113.7'), app.newKey('2'))).location).toBe('/profile')
    }
  })

  // A client that leaves responses unread controls when they finish, and so when a count of running callbacks drops.
  test.each([
    ['of guesses', ''],
    ['that only load a page in advance', 'Sec-Purpose: prefetch\r\n'],
  ])(
    '"Limiting guesses": callbacks %s whose responses are never read are no longer counted',
    async (_title, header) => {
      let seen = 0
      await build((server) => {
        server.get('/large', (_req, res) => void res.send('x'.repeat(5_000_000)))
        server.use(CALLBACK, (_req, _res, next) => {
          seen += 1
          next()
        })
        limitGuessing(server)
      })
      const visitor = await visitorAt('127.0.0.1')
      const callback = `GET ${CALLBACK}?auth_key=a-guess HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`
      const socket = connect(Number(new URL(app.origin).port), 'localhost').pause()
      socket.write(`GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n${callback.repeat(30)}`)
      while (seen < 30) await new Promise((resolve) => setImmediate(resolve))
      const { location } = await comeBack(visitor, app.newKey('1'))
      socket.destroy()
      expect(location).toBe('/profile')
    },
  )

  test('"Limiting guesses": a store that fails is an error of the request, also in Express 4', async () => {
    const broken = jest.spyOn(RateLimiterMemory.prototype, 'get').mockRejectedValue(new Error('the store is away'))
    const server = express4()
    limitGuessing(server)
    await using listening = await listen(server)
    // Without `next`, the rejection of the handler would end the process, and the request would never be answered.
    const callback = fetch(`${listening.origin}${CALLBACK}?auth_key=x`, { signal: AbortSignal.timeout(3000) })
    expect((await callback.finally(() => broken.mockRestore())).status).toBe(500)
  })

  const LINK = '/account/link/callback'
  const linkRoutesWith =
    (routes: typeof linkRoutes): Parameters<typeof linking>[1] =>
    (passport, options, userIDOf, link) =>
      routes(passport, options, (user) => userIDOf({ id: String(Reflect.get(user, 'id')) }), link)

  /** @param links gets the user and the account of each link, unless another user has the account */
  const linkingAt = async (links: Array<[string, string]>): Promise<void> => {
    const addLogin = async (userID: string, { subject }: { subject: string }): Promise<boolean> => {
      const [owner] = links.find(([, linked]) => linked === subject) ?? []
      if (owner === undefined) links.push([userID, subject])
      return (owner ?? userID) === userID
    }
    await build((server, { appID, appSecret }) => {
      const ofLogin = { baseURL: logins.provider.baseURL, clientID: 'a', clientSecret: 'b', callbackURL: CALLBACK }
      limitGuessing(server)
      server.get('/become/:id', ({ login, params: { id } }, res, next) => {
        login.call(res.req, { id }, { session: true, keepSessionInfo: true }, (error) =>
          error ? next(error) : res.end(),
        )
      })
      linking(
        server,
        linkRoutesWith(linkRoutes),
        { options: ofLogin, LINK_CLIENT_ID: appID, LINK_CLIENT_SECRET: appSecret },
        { addLogin },
      )
    })
  }
  const signedIn = async (): Promise<Browser> => {
    const ada = await visitorAt('203.0.113.7')
    await comeBack(ada, app.newKey('1'))
    return ada
  }
  const startLink = (browser: Browser): Promise<BrowserAnswer> =>
    browser.follow(`${app.origin}/account/link`, { method: 'POST', headers: { origin: app.origin } })
  const finishLink = (browser: Browser, userID: string): Promise<BrowserAnswer> =>
    browser.comeBack(`${app.origin}${LINK}?auth_key=${app.newKey(userID)}`)
  const question = async (browser: Browser): Promise<string> =>
    (await browser.follow(`${app.origin}/account/link/confirm`)).body
  const idIn = (page: string): string => /name="id" value="([^"]+)"/.exec(page)?.[1] ?? 'none'
  const press = (browser: Browser, id: string, headers: Record<string, string> = {}): Promise<BrowserAnswer> => {
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
    return browser.follow(`${app.origin}/account/link/confirm`, { method: 'POST', headers: form, body: `id=${id}` })
  }

  test('"Linking accounts": the two routes alone link the account of whoever has the callback opened', async () => {
    const links: unknown[] = []
    await build((server, { appID: clientID, appSecret: clientSecret }) => {
      const settings = { baseURL: logins.provider.baseURL, clientID, clientSecret, callbackURL: LINK }
      passport.use('social-login-link', new Strategy(settings, (_access, _refresh, { id }) => ({ id })))
      const requireUser: RequestHandler = (_req, _res, next) => next()
      unsafeLinking(server, requireUser, async (user, account) => void links.push([user, account]))
    })
    const ada = await signedIn()
    await startLink(ada)
    await finishLink(ada, '2')
    expect(links).toStrictEqual([[expect.objectContaining({ id: '1' }), { id: '2' }]])
  })

  test('"Linking accounts": the file links an account only after a question on a page of its own', async () => {
    const links: Array<[string, string]> = []
    await linkingAt(links)
    const stranger = new Browser()
    expect((await startLink(stranger)).location).toBe('/login')
    const ada = await signedIn()
    expect((await ada.follow(`${app.origin}/account/link/confirm`)).location).toBe('/account')
    logins.provider.updateUser('2', { user_firstname: '<b>"Alan"', user_lastname: '' })
    await startLink(ada)
    expect((await finishLink(ada, '2')).location).toBe('/account/link/confirm')
    const page = await ada.follow(`${app.origin}/account/link/confirm`)
    expect(page.headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' })
    expect(page.body).toContain('<p>&#60;b&#62;&#34;Alan&#34; could')
    expect((await press(ada, idIn(page.body), { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect(links).toStrictEqual([])
    expect((await press(ada, idIn(page.body))).location).toBe('/account?notice=linked')
    expect(links).toStrictEqual([['1', '2']])
  })

  test('"Linking accounts": an account of the user stays as it is, and one of another user is in use', async () => {
    const links: Array<[string, string]> = [
      ['1', '2'],
      ['4', '3'],
    ]
    await linkingAt(links)
    const ada = await signedIn()
    const add = async (userID: string): Promise<string> => {
      await startLink(ada)
      await finishLink(ada, userID)
      return (await press(ada, idIn(await question(ada)))).location
    }
    expect(await add('2')).toBe('/account?notice=linked')
    expect(await add('3')).toBe('/account?notice=in-use')
    expect(links).toHaveLength(2)
    expect(app.errors).toStrictEqual([])
    await startLink(ada)
    const refused = await ada.comeBack(`${app.origin}${LINK}?auth_key=a-guess`)
    expect(refused.location).toBe('/account?notice=not-linked')
  })

  test('"Linking accounts": the question of a user who has left is not shown to the next one', async () => {
    const links: Array<[string, string]> = []
    await linkingAt(links)
    const ada = await signedIn()
    await startLink(ada)
    await finishLink(ada, '2')
    const id = idIn(await question(ada))
    // Ada's question stays in the session of whoever signs in next.
    expect((await ada.follow(`${app.origin}/become/3`)).status).toBe(200)
    expect((await ada.follow(`${app.origin}/account/link/confirm`)).location).toBe('/account')
    await press(ada, id)
    expect(links).toStrictEqual([])
  })

  test('"Linking accounts": a sign-out while the provider is asked stays one', async () => {
    await linkingAt([])
    const ada = await signedIn()
    await startLink(ada)
    const cookie = await ada.cookies(app.origin)
    const userOf = async (): Promise<unknown> =>
      JSON.parse((await new Browser().follow(`${app.origin}/me`, { headers: { cookie } })).body).user
    expect(await userOf()).not.toBeNull()
    const before = logins.exchanges()
    logins.provider.failNext('authorize', { delay: 500, rewrite: (body) => body })
    const back = finishLink(ada, '2')
    while (logins.exchanges() === before) await new Promise((resolve) => setImmediate(resolve))
    await ada.follow(`${app.origin}/logout`, { method: 'POST' })
    expect((await back).location).toBe('/login')
    expect(await userOf()).toBeNull()
  })

  test('"Linking accounts": a link that fails is an error of the request, also in Express 4', async () => {
    let routes = linkRoutes
    jest.isolateModules(() => {
      jest.doMock('express', () => express4)
      routes = jest.requireActual<typeof import('./docs/linking')>('./docs/linking').linkRoutes
    })
    jest.dontMock('express')
    const server = express4()
    server.use((req, _res, next) => {
      Object.assign(req, {
        user: { id: '1' },
        session: { question: { id: 'question', userID: '1', account: { id: '2' } } },
      })
      next()
    })
    const options = { baseURL: logins.provider.baseURL, clientID: 'a', clientSecret: 'b', callbackURL: LINK }
    const userID = (): string => '1'
    server.use(routes(passport, options, userID, () => Promise.reject(new Error('the database is away'))))
    await using listening = await listen(server)
    // Without `next`, the rejection of the handler would end the process, and the request would never be answered.
    const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' }
    const request = { method: 'POST', headers, body: 'id=question', signal: AbortSignal.timeout(3000) }
    expect((await fetch(`${listening.origin}/account/link/confirm`, request)).status).toBe(500)
  })

  test('"Linking accounts": the button of one link does not add the account of another', async () => {
    const links: Array<[string, string]> = []
    await linkingAt(links)
    const ada = await signedIn()
    const ask = async (userID: string): Promise<string> => {
      await startLink(ada)
      await finishLink(ada, userID)
      return idIn(await question(ada))
    }
    const [aboutAlan, aboutGrace] = [await ask('2'), await ask('3')]
    // The danger: whichever button was pressed, this is the account now waiting.
    expect(await question(ada)).toContain('Sinéad')
    for (const stale of [aboutAlan, '', 'undefined']) {
      expect((await press(ada, stale)).location).toBe('/account/link/confirm')
    }
    expect(links).toStrictEqual([])
    expect((await press(ada, aboutGrace)).location).toBe('/account?notice=linked')
    expect((await press(ada, aboutGrace)).location).toBe('/account/link/confirm')
    expect(links).toStrictEqual([['1', '3']])
  })
})
