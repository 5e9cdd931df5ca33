import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import session, { MemoryStore, type SessionOptions } from 'express-session'
import { Passport } from 'passport'
import {
  type AuthenticateOptions,
  CookieStore,
  OUTCOMES,
  type OutcomeCode,
  type Profile,
  SocialLoginError,
  Strategy,
  type StrategyOptions,
  type VerifyFunction,
} from '../../lib'
import type { Application, FakeProvider } from '../../lib/testing'

/** What a test may change about its application. */
export interface AppOptions {
  readonly provider: FakeProvider
  readonly strategy?: Partial<StrategyOptions<false>>
  readonly verify?: VerifyFunction
  readonly session?: Partial<Omit<SessionOptions, 'store'>>
  /** Default: a new memory store. */
  readonly store?: MemoryStore
  /** Where the login in progress is kept. Default: the session. */
  readonly keep?: Keep
  /** Given to the start. */
  readonly start?: AuthenticateOptions
  /** Given to the callback. Default: `failureMessage: true`. */
  readonly callback?: AuthenticateOptions
  /** Gives the strategy object itself to `passport.authenticate`. */
  readonly byInstance?: boolean
  /** Routes and middleware that come before the login's. */
  readonly before?: (app: Express) => void
}

/** The two places for a login in progress. */
export type Keep = 'session' | 'cookie'

/** An application as people write it, listening on a free port. */
export interface RunningApp {
  readonly origin: string
  readonly loginURL: string
  readonly callbackURL: string
  /** The callback of a second strategy, `other`, of the same application. */
  readonly otherCallbackURL: string
  readonly application: Application
  readonly strategy: Strategy
  readonly passport: InstanceType<typeof Passport>
  readonly store: MemoryStore
  /** Errors that came to the error handler. */
  readonly errors: unknown[]
  /** Profiles that came to the verify function. */
  readonly profiles: Profile[]
  /** What lies in the session store. */
  sessions(): string
  stop(): Promise<void>
}

export const SECRET_CANARY = 'app-secret-canary-5c1e9a7f'
export const COOKIE_KEY_CANARY = 'cookie-key-canary-d41c8f21a9e04b7c'

/** Starts an application with one strategy, `/login`, `/auth` (start), `/callback`, `/me` and `POST /logout`. */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  const app = express()
  const server = createServer(app)
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const origin = `http://localhost:${port(server)}`
  const callbackURL = `${origin}/callback`
  const { provider } = options
  const application = provider.registerApplication({
    name: 'Test',
    redirectURL: callbackURL,
    appSecret: `${SECRET_CANARY}-${port(server)}`,
  })
  const profiles: Profile[] = []
  const verify = options.verify ?? (async (_accessToken, _refreshToken, profile) => ({ id: profile.id }))
  const common = {
    baseURL: provider.baseURL,
    clientID: application.appID,
    clientSecret: application.appSecret,
    ...(options.keep === 'cookie' && { store: new CookieStore({ keys: [COOKIE_KEY_CANARY] }) }),
  }
  const strategy = new Strategy(
    { ...common, callbackURL, ...options.strategy },
    (accessToken, refreshToken, profile, done) => {
      profiles.push(profile)
      return verify(accessToken, refreshToken, profile, done)
    },
  )
  const otherCallbackURL = `${origin}/other-callback`
  const other = new Strategy({ ...common, callbackURL: otherCallbackURL, name: 'other' }, () => false)
  const { store = new MemoryStore() } = options
  const errors: unknown[] = []
  const passport = mount(app, [strategy, other], store, errors, options)
  return {
    origin,
    loginURL: `${origin}/auth`,
    callbackURL,
    otherCallbackURL,
    application,
    strategy,
    passport,
    store,
    errors,
    profiles,
    sessions: () => JSON.stringify(Reflect.get(store, 'sessions')),
    stop: () => stopServer(server),
  }
}

function mount(
  app: Express,
  [strategy, other]: [Strategy, Strategy],
  store: MemoryStore,
  errors: unknown[],
  options: AppOptions,
): InstanceType<typeof Passport> {
  const passport = new Passport()
  passport.use(strategy).use(other)
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user, done) => done(null, asUser(user)))
  const which = options.byInstance ? strategy : strategy.name
  app.use(session({ secret: 'session-secret', resave: false, saveUninitialized: false, store, ...options.session }))
  app.use(passport.session())
  options.before?.(app)
  app.all('/auth', passport.authenticate(which, options.start ?? {}))
  app.all('/callback', passport.authenticate(which, options.callback ?? { failureMessage: true }), answerMe)
  app.all('/other-callback', passport.authenticate('other', { failureMessage: true }))
  app.get('/me', answerMe)
  app.get('/become', (req, res, next) => {
    req.logIn({ id: 'another' }, { session: true, keepSessionInfo: true }, (error) =>
      error ? next(error) : res.json({}),
    )
  })
  app.post('/logout', (req, res, next) => req.logout((error) => (error ? next(error) : res.redirect('/'))))
  app.use(recordErrors(errors))
  return passport
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

function asUser(value: unknown): Express.User {
  return typeof value === 'object' && value !== null ? value : {}
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

export function port(server: Pick<Server, 'address'>): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return address.port
}

export async function stopServer(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}
