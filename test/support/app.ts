import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import session, { MemoryStore, type SessionOptions, type Store } from 'express-session'
import { Passport, type Strategy as PassportStrategy } from 'passport'
import {
  type AuthenticateOptions,
  CookieStore,
  OUTCOMES,
  type OutcomeCode,
  type Profile,
  type Provider,
  type ProviderResult,
  SocialLoginError,
  Strategy,
  type StrategyOptions,
  type VerifyFunction,
} from '../../lib'
import type { CommonOptions } from '../../lib/login/providers/options'
import type { Application, FakeProvider } from '../../lib/testing'
import type { SocialLoginOptions } from '../../lib/web'
import { Browser, type BrowserAnswer } from './browser'
import { HookedStore } from './hooked-store'
import { type Listening, listen } from './listen'
import { type AnyLogin, makeLogin } from './remote-login'
import { type Records, webCallback, webStart } from './web-routes'

export { port, stopServer } from './listen'

export type PassportInstance = InstanceType<typeof Passport>

/** Options of the application under test. */
export interface AppOptions {
  /** Default: a new registration. */
  readonly application?: Application
  readonly strategy?: Partial<StrategyOptions<false>>
  readonly verify?: VerifyFunction
  /** Finds the only community by each request, as for many communities; a function may return another answer. */
  readonly provider?: true | ((provider: Provider, url: string) => ProviderResult)
  /** Creates the strategy in a custom way; `profiles` stays empty then. */
  readonly newStrategy?: (settings: StrategyOptions<false>) => Strategy
  /** Default: a new one. */
  readonly passport?: PassportInstance
  /** `false`: without any session. */
  readonly session?: Partial<Omit<SessionOptions, 'store'>> | false
  /** Default: a new memory store. */
  readonly store?: MemoryStore | HookedStore
  /** Where the login in progress is kept. Default: the session. */
  readonly keep?: Keep
  /** Given to the start. */
  readonly start?: AuthenticateOptions
  /** Default: `/callback`. */
  readonly callbackPath?: string
  /** Given to the callback. Default: `failureMessage: true`. */
  readonly callback?: AuthenticateOptions
  /** Gives the strategy object itself to `passport.authenticate`. */
  readonly byInstance?: boolean
  /** Routes and middleware that come before the login's. The strategies are in the Passport. */
  readonly before?: (app: Express, passport: PassportInstance) => void
}

/** Where a pending login is kept: by the strategy in the session or in a cookie, or by SocialLogin, which has a cookie. */
export type Keep = 'session' | 'cookie' | 'web'

/** For tests of logins: a typical application, listening on a free port. `await using` stops it at the end of the test. */
export interface RunningApp extends Omit<Listening, 'server'> {
  readonly loginURL: string
  readonly callbackURL: string
  /** The callback of a second strategy, `other`, of the same application. */
  readonly otherCallbackURL: string
  readonly application: Application
  readonly strategy: Strategy
  /** Instead of the strategy, under `keep: 'web'`. */
  readonly login: AnyLogin | undefined
  readonly passport: PassportInstance
  readonly store: MemoryStore | HookedStore
  /** Errors passed to the error handler. */
  readonly errors: unknown[]
  /** Profiles passed to the verify function. */
  readonly profiles: Profile[]
  /** The content of the session store. */
  sessions(): string
  /** A key that the provider issues to a user who approves the application. Default: user 1. */
  newKey(userID?: string): string
  /** The callback with such a key. */
  approvedCallback(userID?: string): string
  /** A whole login: the start, and the callback after an approval. @returns the callback's answer */
  logIn(browser?: Browser, userID?: string): Promise<BrowserAnswer>
  /** Who is signed in in the browser, or null. */
  userOf(browser: Browser): Promise<unknown>
}

export const SECRET_CANARY = 'app-secret-canary-5c1e9a7f'
export const COOKIE_KEY_CANARY = 'cookie-key-canary-d41c8f21a9e04b7c'

/** Starts an application with one strategy, `/auth` (start), `/callback`, `/me` and `POST /logout`. */
export async function startApp(provider: FakeProvider, options: AppOptions = {}): Promise<RunningApp> {
  const app = express()
  const { server: _, ...listening } = await listen(app)
  const { origin } = listening
  const { callbackPath = '/callback', store = new MemoryStore() } = options
  const loginURL = `${origin}/auth`
  const callbackURL = origin + callbackPath
  const otherCallbackURL = `${origin}/other-callback`
  const appSecret = `${SECRET_CANARY}-${new URL(origin).port}`
  const application =
    options.application ?? provider.registerApplication({ name: 'Test', redirectURL: callbackURL, appSecret })
  const profiles: Profile[] = []
  const errors: unknown[] = []
  const common = {
    baseURL: provider.baseURL,
    clientID: application.appID,
    clientSecret: application.appSecret,
    ...(options.keep === 'cookie' && { store: new CookieStore({ keys: [COOKIE_KEY_CANARY] }) }),
  }
  const settings = { ...common, callbackURL, ...options.strategy }
  const strategy = options.newStrategy?.(settings) ?? newStrategy(settings, profiles, options)
  const other = new Strategy({ ...common, callbackURL: otherCallbackURL, name: 'other' }, () => false)
  const passport = newPassport([strategy, other], options.passport)
  const login =
    options.keep === 'web' ? newSocialLogin({ ...common, callbackURL }, options.strategy, options.provider) : undefined
  const routes = login
    ? webRoutes(
        login,
        newSocialLogin({ ...common, callbackURL: otherCallbackURL, name: 'other' }),
        { errors, profiles },
        options,
      )
    : passportRoutes(passport, strategy, options)
  mount(app, passport, routes, store, errors, options)
  const newKey = (userID = '1'): string => provider.issueAuthKey({ appID: application.appID, userID })
  const approvedCallback = (userID?: string): string => `${callbackURL}?auth_key=${newKey(userID)}`
  return {
    ...listening,
    ...{ loginURL, callbackURL, otherCallbackURL, application, strategy, login, passport, store, errors, profiles },
    sessions: () => (store instanceof HookedStore ? store.contents() : JSON.stringify(Reflect.get(store, 'sessions'))),
    newKey,
    approvedCallback,
    logIn: async (browser = new Browser(), userID) => {
      await browser.follow(loginURL)
      return browser.comeBack(approvedCallback(userID))
    },
    userOf: async (browser) => JSON.parse((await browser.follow(`${origin}/me`)).body).user,
  }
}

function newStrategy(
  settings: StrategyOptions<false>,
  profiles: Profile[],
  { verify = takeID, provider }: AppOptions,
): Strategy {
  const takeProfile: VerifyFunction = (accessToken, refreshToken, profile, done) => {
    profiles.push(profile)
    return verify(accessToken, refreshToken, profile, done)
  }
  if (provider === undefined) return new Strategy(settings, takeProfile)
  const { shared, find } = findingProvider(settings, provider)
  return new Strategy({ ...shared, provider: (req) => find(req.originalUrl) }, takeProfile)
}

/** Options for many providers that find the only one. */
function findingProvider<T extends CommonOptions>(settings: T, answer: NonNullable<AppOptions['provider']>) {
  const { baseURL, clientID, clientSecret, callbackURL, exchangeMethod, profileEndpoint, uploadsURL, ...others } =
    settings
  const { provider: _, ...shared } = others
  const { name = 'social-login' } = settings
  const only: Provider = {
    name,
    baseURL,
    clientID,
    clientSecret,
    callbackURL,
    exchangeMethod,
    profileEndpoint,
    uploadsURL,
  }
  const find = (url: string): ProviderResult => (answer === true ? only : answer(only, url))
  return { shared: { ...shared, allowPrivateAddresses: true }, find }
}

const takeID: VerifyFunction = async (_accessToken, _refreshToken, { id }) => ({ id })

/** A Passport with these strategies that stores whole users in the session. */
export function newPassport(strategies: readonly PassportStrategy[], passport = new Passport()): PassportInstance {
  for (const strategy of strategies) passport.use(strategy)
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user, done) => done(null, typeof user === 'object' && user !== null ? user : {}))
  return passport
}

/** The middleware of express-session. */
export function keepSessions(store: Store, options: Partial<SessionOptions> = {}): RequestHandler {
  return session({ secret: 'session-secret', resave: false, saveUninitialized: false, store, ...options })
}

/** The application's three routes for logins. */
interface LoginRoutes {
  readonly start: RequestHandler
  readonly callback: RequestHandler
  readonly otherCallback: RequestHandler
}

function passportRoutes(passport: PassportInstance, strategy: Strategy, options: AppOptions): LoginRoutes {
  const { start = {}, callback = { failureMessage: true } } = options
  const which = options.byInstance ? strategy : strategy.name
  return {
    start: passport.authenticate(which, start),
    callback: passport.authenticate(which, callback),
    otherCallback: passport.authenticate('other', callback),
  }
}

function webRoutes(login: AnyLogin, other: AnyLogin, records: Records, options: AppOptions): LoginRoutes {
  const { start = {}, callback = {} } = options
  return {
    start: webStart(login, start),
    callback: webCallback(login, callback, records),
    otherCallback: webCallback(other, callback, records),
  }
}

type RequiredOptions = Pick<SocialLoginOptions, 'baseURL' | 'clientID' | 'clientSecret' | 'callbackURL' | 'name'>

/** @param strategy options of the strategy, of which SocialLogin gets those that it has */
function newSocialLogin(
  required: RequiredOptions,
  strategy: AppOptions['strategy'] = {},
  provider?: AppOptions['provider'],
): AnyLogin {
  const { passReqToCallback: _, skipUserProfile: _skip, verifyTimeout: _timeout, store: _store, ...common } = strategy
  const settings = { ...required, ...common }
  const keys = [COOKIE_KEY_CANARY]
  if (provider === undefined) return makeLogin({ ...settings, keys })
  const { shared, find } = findingProvider(settings, provider)
  return makeLogin({ ...shared, keys, provider: (request) => find(request.url) })
}

function mount(
  app: Express,
  passport: PassportInstance,
  routes: LoginRoutes,
  store: Store,
  errors: unknown[],
  { callbackPath = '/callback', ...options }: AppOptions,
): void {
  if (options.session !== false) app.use(keepSessions(store, options.session), passport.session())
  options.before?.(app, passport)
  app.all('/auth', routes.start)
  app.all(callbackPath, routes.callback, answerMe)
  app.all('/other-callback', routes.otherCallback)
  app.get('/me', answerMe)
  app.get('/become', (req, res, next) => {
    req.logIn({ id: String(req.query['id'] ?? 'another') }, { session: true, keepSessionInfo: true }, (error) =>
      error ? next(error) : res.json({}),
    )
  })
  app.post('/logout', (req, res, next) => req.logout((error) => (error ? next(error) : res.redirect('/'))))
  app.use(recordErrors(errors))
}

const answerMe: RequestHandler = (req, res) => {
  res.json({ user: req.user ?? null, info: req.authInfo ?? null })
}

function recordErrors(errors: unknown[]): ErrorRequestHandler {
  return (error, _req, _res, next) => {
    errors.push(error)
    next(error)
  }
}

/** The code of an error that this package raised. */
export function codeOf(error: unknown): string {
  return error instanceof SocialLoginError ? error.code : `no SocialLoginError: ${String(error)}`
}

/** The failure whose message Passport left in a session (`failureMessage: true`). */
export function failureIn(sessions: string): OutcomeCode | undefined {
  const codes = Object.keys(OUTCOMES).filter(isOutcomeCode)
  return codes.find((code) => sessions.includes(OUTCOMES[code].message))
}

function isOutcomeCode(code: string): code is OutcomeCode {
  return Object.hasOwn(OUTCOMES, code)
}
