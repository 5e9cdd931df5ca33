import cookieSession from 'cookie-session'
import express5, { type ErrorRequestHandler, type RequestHandler } from 'express'
import express4 from 'express-4'
import { MemoryStore } from 'express-session'
import passport7 from 'passport'
import passport6 from 'passport-0-6'
import { type AuthenticateOptions, CookieStore, Strategy, type StrategyOptions } from '../../lib'
import { codeOf, keepSessions, type PassportInstance } from '../support/app'
import { Browser } from '../support/browser'
import { HookedStore } from '../support/hooked-store'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'

const passports = { '0.6': passport6.Passport, '0.7': passport7.Passport }
const frameworks = { 4: express4, 5: express5 }
type Which = Parameters<PassportInstance['authenticate']>[0]

interface Contract {
  readonly passport?: keyof typeof passports
  readonly express?: keyof typeof frameworks
  readonly sessions?: RequestHandler
  readonly strategy?: Omit<Partial<StrategyOptions<true>>, 'passReqToCallback'>
  readonly start?: AuthenticateOptions
  readonly callback?: AuthenticateOptions
  readonly which?: (strategy: Strategy) => Which
  readonly route?: (passport: PassportInstance) => RequestHandler
  readonly failsToSerialize?: boolean
}

const logins = useLogins()
let origin: string
let appID: string
let errors: unknown[]
const seen: unknown[] = []

beforeEach(() => {
  errors = []
  seen.length = 0
})

const memory = (): RequestHandler => keepSessions(new MemoryStore())

/** A slow store: every operation takes several turns of the event loop. */
function slowStore(): RequestHandler {
  const store = new HookedStore()
  store.before = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return keepSessions(store)
}

async function run(contract: Contract): Promise<void> {
  const app = frameworks[contract.express ?? 5]()
  origin = logins.stopLater(await listen(app)).origin
  const { provider } = logins
  const application = provider.registerApplication({ name: 'Contract', redirectURL: `${origin}/callback` })
  appID = application.appID
  const strategy = new Strategy(
    {
      baseURL: provider.baseURL,
      clientID: appID,
      clientSecret: application.appSecret,
      callbackURL: '/callback',
      passReqToCallback: true,
      ...contract.strategy,
    },
    (req, _accessToken, _refreshToken, profile) => {
      seen.push(req.path)
      return { id: profile.id }
    },
  )
  const passport = new passports[contract.passport ?? '0.7']()
  passport.use(strategy)
  passport.serializeUser((user, done) => done(contract.failsToSerialize ? new Error('cannot serialize') : null, user))
  passport.deserializeUser((user: Express.User, done) => done(null, user))
  if (contract.sessions) app.use(contract.sessions)
  app.use(passport.initialize())
  if (contract.callback?.session !== false) app.use(passport.session())
  // As other code does, which keeps whatever address was asked for.
  app.get('/before', (req, res) => {
    Object.assign(req.session, { cart: 'full', returnTo: req.query['to'] })
    res.json({})
  })
  const which = contract.which?.(strategy) ?? strategy.name
  app.get('/login', passport.authenticate(which, contract.start ?? {}))
  const tell: RequestHandler = (req, res) => {
    res.json({
      user: req.user ?? null,
      account: Reflect.get(req, 'account') ?? null,
      cart: Reflect.get(req.session ?? {}, 'cart') ?? null,
      returnTo: Reflect.get(req.session ?? {}, 'returnTo') ?? null,
    })
  }
  app.get('/callback', contract.route?.(passport) ?? passport.authenticate(which, contract.callback ?? {}), tell)
  app.get('/me', tell)
  const answerError: ErrorRequestHandler = (error, _req, res, _next) => {
    errors.push(error)
    res.status(error.status ?? 500).json({ message: error.message })
  }
  app.use(answerError)
}

interface Answer {
  readonly status: number
  readonly location: string
  readonly body: Record<string, unknown>
}

/** That of the last login. */
let lastCallback = ''

async function logIn(browser = new Browser(), query?: string): Promise<Answer> {
  const start = await browser.follow(`${origin}/login`)
  if (start.status !== 302) return { ...start, body: JSON.parse(start.body) }
  const key = logins.provider.issueAuthKey({ appID, userID: '1' })
  lastCallback = `${origin}/callback${query ?? `?auth_key=${key}`}`
  const answer = await browser.comeBack(lastCallback)
  return { ...answer, body: answer.body.startsWith('{') ? JSON.parse(answer.body) : {} }
}

const shownIn = async (browser: Browser): Promise<Answer['body']> =>
  JSON.parse((await browser.follow(`${origin}/me`)).body)
const me = async (browser: Browser): Promise<unknown> => (await shownIn(browser))['user']
const person = { id: '1' }

const libraries = (['0.6', '0.7'] as const).flatMap((passport) =>
  ([4, 5] as const).map((express) => ({ passport, express })),
)

describe.each(libraries)('Passport $passport under Express $express', (library) => {
  const stores: [string, () => RequestHandler][] = [
    ['a store in memory', memory],
    ['a slow store', slowStore],
    ['cookie-session', () => cookieSession({ name: 's', secret: 's', sameSite: 'lax' })],
  ]

  test.each(stores)('signs in with %s, once, and stays signed in', async (title, sessions) => {
    // The usual workaround: Passport 0.6 and later regenerates the session, which cookie-session does not support.
    const completed: RequestHandler = (req, res, next) =>
      sessions()(req, res, (error?: unknown) => {
        if (req.session && !req.session.regenerate) {
          Object.defineProperties(req.session, {
            regenerate: { value: (done: () => void) => done() },
            save: { value: (done: () => void) => done() },
          })
        }
        next(error)
      })
    await run({ ...library, sessions: title === 'cookie-session' ? completed : sessions() })
    const browser = new Browser()
    expect(await logIn(browser)).toMatchObject({ status: 200, body: { user: person } })
    expect(await me(browser)).toEqual(person)
    expect(seen).toStrictEqual(['/callback'])
  })

  test('passes the user to assignProperty and signs nobody in', async () => {
    await run({ ...library, sessions: memory(), callback: { assignProperty: 'account' } })
    const browser = new Browser()
    expect(await logIn(browser)).toMatchObject({ status: 200, body: { user: null, account: person } })
    expect(await me(browser)).toBeNull()
  })

  test.each([
    [true, 'full'],
    [false, null],
  ])('with keepSessionInfo: %s the previous session content is %j', async (keepSessionInfo, cart) => {
    await run({ ...library, sessions: memory(), callback: { keepSessionInfo } })
    const browser = new Browser()
    await browser.follow(`${origin}/before`)
    expect(await logIn(browser)).toMatchObject({ status: 200, body: { user: person, cart } })
  })

  describe('with successReturnToOrRedirect', () => {
    const runWith = (start: AuthenticateOptions, more: AuthenticateOptions = {}): Promise<void> =>
      run({ ...library, sessions: memory(), start, callback: { successReturnToOrRedirect: '/home', ...more } })

    test.each([true, false])('leads to the returnTo of the login (keepSessionInfo: %s)', async (keepSessionInfo) => {
      await runWith({ returnTo: '/inbox?unread=1' }, { keepSessionInfo })
      const browser = new Browser()
      expect((await logIn(browser)).location).toBe('/inbox?unread=1')
      expect(await shownIn(browser)).toMatchObject({ user: person, returnTo: null })
    })

    test('never leads to another origin', async () => {
      await runWith({ returnTo: '//evil.example' })
      expect((await logIn()).location).toBe('/home')
    })

    test('leads to its own address where the login has no returnTo', async () => {
      await runWith({})
      const browser = new Browser()
      expect((await logIn(browser)).location).toBe('/home')
    })

    test('leads to the returnTo of the login even if other code has kept an address in the session', async () => {
      const visitor = async (): Promise<Browser> => {
        const browser = new Browser()
        await browser.follow(`${origin}/before?to=//evil.example`)
        return browser
      }
      // The danger: Passport itself leads wherever that code was told to.
      await runWith({}, { keepSessionInfo: true })
      expect((await logIn(await visitor())).location).toBe('//evil.example')
      await runWith({ returnTo: '/inbox' }, { keepSessionInfo: true })
      const browser = await visitor()
      expect((await logIn(browser)).location).toBe('/inbox')
      expect((await shownIn(browser))['returnTo']).toBeNull()
    })

    test('works without a session of its user (session: false), and leaves nothing to the next login', async () => {
      const store = new CookieStore({ keys: ['a cookie key of 32 characters at least'] })
      const callback = { successReturnToOrRedirect: '/home', session: false }
      await run({ ...library, sessions: memory(), strategy: { store }, start: { returnTo: '/inbox' }, callback })
      const browser = new Browser()
      expect((await logIn(browser)).location).toBe('/inbox')
      expect(await shownIn(browser)).toMatchObject({ user: null, returnTo: null })
    })
  })

  test('passes the user or the failure to a custom callback', async () => {
    const heard: unknown[] = []
    const route =
      (passport: PassportInstance): RequestHandler =>
      (req, res, next) => {
        passport.authenticate('social-login', (error: unknown, user: unknown, info: unknown, status: unknown) => {
          heard.push([error, user, Reflect.get(Object(info), 'code'), status])
          res.status(200).json({})
        })(req, res, next)
      }
    await run({ ...library, sessions: memory(), route })
    await logIn()
    await logIn(new Browser(), '?')
    expect(heard).toStrictEqual([
      [null, person, undefined, undefined],
      [null, false, 'auth_key_missing', 401],
    ])
  })

  test.each<[string, (strategy: Strategy) => Which]>([
    ['by name', (strategy) => strategy.name],
    ['by instance', (strategy) => strategy],
    ['in an array', (strategy) => [strategy.name]],
  ])('accepts the strategy %s', async (_, which) => {
    await run({ ...library, sessions: memory(), which })
    expect(await logIn()).toMatchObject({ status: 200, body: { user: person } })
    expect((await logIn(new Browser(), '?')).status).toBe(401)
  })

  test('passes a failing serializer’s error to the application, and signs nobody in', async () => {
    await run({ ...library, sessions: memory(), failsToSerialize: true })
    const browser = new Browser()
    expect(await logIn(browser)).toMatchObject({ status: 500, body: { message: 'cannot serialize' } })
    expect(await me(browser)).toBeNull()
  })

  test('names the missing session middleware', async () => {
    await run({ ...library, callback: { session: false } })
    expect((await logIn()).status).toBe(503)
    expect(errors.map(codeOf)).toStrictEqual(['session_unavailable'])
    expect(errors).toStrictEqual([expect.objectContaining({ message: expect.stringContaining('has no session') })])
  })
})

test.each<AuthenticateOptions>([{ successRedirect: '' }, { successReturnToOrRedirect: '' }])(
  'an empty destination is none, as Passport takes it: %j',
  async (callback) => {
    await run({ sessions: memory(), start: { returnTo: '/inbox' }, callback })
    const browser = new Browser()
    expect(await logIn(browser)).toMatchObject({ status: 200, body: { user: person, returnTo: null } })
    expect(await shownIn(browser)).toMatchObject({ user: person, returnTo: null })
    expect(logins.exchanges()).toBe(1)
  },
)

test.each(['regenerate', 'save'])(
  'a session that lacks only %s is one with which Passport cannot sign in',
  async (lacking) => {
    const sessions: RequestHandler = (req, _res, next) => {
      Object.assign(req, { session: { regenerate: () => {}, save: () => {}, [lacking]: undefined } })
      next()
    }
    await run({ sessions })
    expect((await logIn()).status).toBe(500)
    expect(errors.map(codeOf)).toStrictEqual(['session_unsupported'])
  },
)

describe.each(['0.6', '0.7'] as const)(
  'unmodified cookie-session, whose sessions Passport %s cannot renew,',
  (passport) => {
    const sessions = cookieSession({ name: 's', secret: 's', sameSite: 'lax' })

    test('is refused at the start, by name, before anything is kept', async () => {
      await run({ passport, sessions })
      const browser = new Browser()
      const answer = await logIn(browser)
      expect(answer.status).toBe(500)
      expect(answer.body['message']).toContain('cookie-session')
      expect(errors).toStrictEqual([
        expect.objectContaining({ code: 'session_unsupported', phase: 'start', retryable: false }),
      ])
      expect(await browser.cookies(origin)).toBe('')
    })

    test('is refused at the start that has no proof, too, instead of the confirm page', async () => {
      await run({ passport, sessions })
      expect((await new Browser().request(`${origin}/login`)).status).toBe(500)
      expect(errors.map(codeOf)).toStrictEqual(['session_unsupported'])
    })

    test('is refused at a callback that would sign in, and the key is not sent', async () => {
      await run({ passport, sessions, start: { session: false } })
      expect((await logIn()).status).toBe(500)
      expect(errors).toStrictEqual([expect.objectContaining({ code: 'session_unsupported', phase: 'callback' })])
      expect(logins.exchanges()).toBe(0)
    })

    test.each<[string, AuthenticateOptions]>([
      ['session: false', { session: false }],
      ['passport.authorize', { assignProperty: 'account' }],
    ])('keeps the login in progress under %s, where Passport renews nothing', async (_title, options) => {
      await run({ passport, sessions, start: options, callback: options })
      expect((await logIn()).status).toBe(200)
      expect(seen).toStrictEqual(['/callback'])
    })
  },
)

test.each(['tabBinding', 'unverifiedStart', 'passReqToCallback', 'name'])(
  'the option %s of the strategy is refused among those of passport.authenticate(), at the start and at the callback',
  async (name) => {
    const misplaced = { [name]: true }
    const app = await logins.startApp({ start: misplaced, callback: misplaced })
    const browser = new Browser()
    for (const answer of [await browser.follow(app.loginURL), await browser.comeBack(app.approvedCallback())])
      expect(answer.status).toBe(500)
    expect(app.errors.map(String)).toEqual(Array(2).fill(expect.stringContaining(`TypeError: ${name} is an option of`)))
    expect(logins.exchanges()).toBe(0)
  },
)

// Passport's guide "Authorize" links accounts by a second strategy, whose callback this provider does not know.
test('a second strategy of one application comes back to the first, which says what is missing at the provider', async () => {
  const app = await logins.startApp({
    before: (server, passport) => server.get('/link', passport.authorize('other')),
    callback: { failureMessage: true },
  })
  const browser = new Browser()
  await app.logIn(browser)
  await browser.follow(`${app.origin}/link`)
  const { status } = await browser.comeBack(app.approvedCallback('2'))
  expect(status).toBe(403)
  expect(app.sessions()).toContain('its own callbackURL and its own application at the provider')
})
