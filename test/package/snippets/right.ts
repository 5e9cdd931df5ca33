// As Express developers write it. Compiled against the packed tarball, as the examples of the doc comments are.
import express from 'express'
import session from 'express-session'
import passport, { Passport, type Profile as PassportProfile } from 'passport'
import {
  type AuthenticateOptions,
  CookieStore,
  type JSONObject,
  type LoginInfo,
  type OutcomeCode,
  type PendingLoginStore,
  type PendingLoginSummary,
  type Profile,
  SessionStore,
  SocialLoginClient,
  Strategy,
  type StrategyOptions,
  toProfile,
  type VerifyCallback,
  type VerifyFunction,
  type VerifyFunctionWithParams,
  type VerifyFunctionWithRequestAndParams,
} from 'passport-social-login'
import { FakeProvider } from 'passport-social-login/testing'
import { type CallbackResult, SocialLogin } from 'passport-social-login/web'

declare global {
  namespace Express {
    interface User {
      id: string
      name?: string
    }
  }
}

const app = express()
const env = process.env
const key = env['LOGIN_COOKIE_KEY']
const options = { baseURL: 'https://social.example/api/v1', clientID: 'id', clientSecret: 's', callbackURL: '/cb' }
const verify: VerifyFunction = async (_accessToken, _refreshToken, profile) => ({ id: profile.id })

// The options of passport.authenticate, inline and apart.
app.get('/', passport.authenticate('social-login', { state: 'cart-7', returnTo: env['HOME'], session: false }))
app.get('/', passport.authorize('social-login', { returnTo: '/account', state: [1, 2] }))
app.get('/', new Passport().authenticate('social-login', { returnTo: '/x', failureRedirect: '/login' }))
app.get('/', passport.authenticate('social-login', { callbackURL: '/that/path', failureMessage: true }))
app.get('/', passport.authenticate('social-login', { successReturnToOrRedirect: '/', failureRedirect: '/login' }))
const start: AuthenticateOptions = { returnTo: '/inbox', keepSessionInfo: true }
app.get('/', passport.authenticate(['social-login', 'other'], start))
app.get('/', passport.authenticate(new Strategy(options, verify), start))

// What a login brings back.
app.get('/', passport.authenticate('social-login'), (req, res) => res.redirect(req.authInfo?.returnTo ?? '/'))
app.get('/', passport.authenticate('social-login'), (req, res) => res.json(req.authInfo?.assurance?.age))
app.get('/', passport.authenticate('social-login'), (req, res) => res.json(req.authInfo?.state))
// biome-ignore lint/style/noNonNullAssertion: users write it, and it must compile
app.get('/', (req, res) => res.send(req.user!.id))
export const ofPassport = (profile: Profile): PassportProfile => profile
export const raw = (profile: Profile): JSONObject => profile._json
export const isFresh = ({ assurance }: LoginInfo): boolean => assurance.age < 60_000

// Options apart from the strategy.
const o: StrategyOptions = { ...options, timeout: 5000, profileEndpoint: 'get_user_info', unverifiedStart: 'refuse' }
passport.use(new Strategy(o, verify))
passport.use(new Strategy({ ...options, store: key ? new CookieStore({ keys: [key] }) : undefined }, verify))
passport.use(new Strategy({ ...options, uploadsURL: env['U'] }, verify))
passport.use('another', new Strategy({ ...options, name: 'another', store: new SessionStore() }, verify))
passport.use(new Strategy({ ...options, allowedCallbackOrigins: ['https://login.social.example'] }, verify))
passport.use(new Strategy({ ...options, skipUserProfile: (token, done) => done(null, token.length > 9) }, verify))
passport.use(new Strategy({ ...options, confirmPage: ({ path }) => `<a href="${path}">Go on</a>` }, verify))
class CompanyStrategy extends Strategy {
  constructor(more: Omit<StrategyOptions, 'name'>, find: VerifyFunction) {
    super({ ...more, name: 'company' }, find)
  }
}
passport.use(new CompanyStrategy(options, verify))
const production: Partial<StrategyOptions> = env['NODE_ENV'] === 'production' ? { timeout: 3000 } : {}
const ways = { profileEndpoint: 'auto', exchangeMethod: 'get', userAgent: 'MyApp/1.0' } as const
passport.use(new Strategy({ ...options, ...ways, ...production, userRecord: (json) => json.response.profile }, verify))

// Verify functions of every shape.
passport.use(new Strategy(options, (_accessToken, _refreshToken, profile) => ({ id: profile.id })))
passport.use(new Strategy(options, (_accessToken, _refreshToken, profile, done) => done(null, { id: profile.id })))
passport.use(
  new Strategy(options, (accessToken: string, refreshToken: string, profile: Profile, done: VerifyCallback) => {
    done(null, { id: profile.id, name: accessToken + refreshToken })
  }),
)
passport.use(new Strategy(options, async () => undefined))
passport.use(
  new Strategy(options, (_accessToken, _refreshToken, _profile, done) => done(null, false, { message: 'No' })),
)
passport.use(
  new Strategy({ ...options, passReqToCallback: true }, async (req, _accessToken, _refreshToken, profile) => ({
    id: profile.id,
    name: req.ip ?? '',
  })),
)
passport.use(
  new Strategy({ ...options, passReqToCallback: true }, (req, _accessToken, _refreshToken, profile, done) =>
    done(null, { id: profile.id, name: req.authInfo?.returnTo ?? '' }),
  ),
)
const withParams: VerifyFunctionWithParams = (_accessToken, _refreshToken, params, profile, done) =>
  done(null, { id: profile.id, name: params.access_token + String(params['expires_in']) })
passport.use(new Strategy(options, withParams))
const withBoth: VerifyFunctionWithRequestAndParams = (req, _accessToken, _refreshToken, params, profile, done) =>
  done(null, { id: profile.id, name: req.path + params.access_token })
passport.use(new Strategy({ ...options, passReqToCallback: true }, withBoth))
const ofPerson: VerifyFunction<{ id: string }> = async (_accessToken, _refreshToken, profile) => ({ id: profile.id })
passport.use(new Strategy(options, ofPerson))

// Passport around it.
passport.serializeUser((user, done) => done(null, user.id))
passport.deserializeUser((id: string, done) => done(null, { id }))
app.use(session({ secret: 's', resave: false, saveUninitialized: false }), passport.session())
app.get('/', (req, res, next) => {
  passport.authenticate(
    'social-login',
    (error: unknown, user?: Express.User | false | null, info?: { code?: OutcomeCode }) => {
      if (error) return next(error)
      if (!user) return res.send(info?.code)
      req.logIn(user, next)
    },
  )(req, res, next)
})

// Stores.
export class MapStore implements PendingLoginStore {
  readonly #session = new SessionStore()
  save: PendingLoginStore['save'] = (req, record) => this.#session.save(req, record)
  load: PendingLoginStore['load'] = (req) => this.#session.load(req)
  consume: PendingLoginStore['consume'] = (req, record) => this.#session.consume(req, record)
}
passport.use(new Strategy({ ...options, store: new MapStore() }, verify))

// Around the strategy.
export async function whoIs(authKey: string): Promise<string> {
  const { baseURL, clientID, clientSecret } = options
  const client = new SocialLoginClient({ baseURL, clientID, clientSecret, exchangeMethod: 'get' })
  const { access_token } = await client.exchangeAuthKey(authKey)
  const { user_verified } = await client.getCurrentUser(access_token)
  const { displayName } = toProfile(await client.fetchUser('auto', access_token))
  return user_verified ? displayName : ''
}
export const provider = async (): Promise<string> =>
  (await FakeProvider.start({ mode: 'as-deployed', port: 0 })).issueAuthKey({ appID: 'a', userID: '1' })
const strategy = new Strategy(options, verify)
app.get('/', async (req, res) => {
  const pending: PendingLoginSummary | undefined = await strategy.pendingLogin(req)
  res.send(pending ? `You began at ${pending.startedAt.toLocaleTimeString()}.` : 'Sign in')
})
// As Express developers read the environment, without noPropertyAccessFromIndexSignature.
app.listen(Number(process.env.PORT ?? 3000))

// The adapter for Request and Response.
const login = new SocialLogin({ ...options, keys: ['a'.repeat(32)], failureRedirect: ({ code }) => `/login?e=${code}` })
export async function finish(request: Request): Promise<Response> {
  const next = new URL(request.url).searchParams.get('next')
  for (const user of ['ada', 1, 1n, null, undefined]) await login.start(request, { user, returnTo: next })
  const pending = await login.pendingLogin(request, { user: null })
  const result: CallbackResult = await login.callback(request, { user: pending?.returnTo })
  if (result.type === 'failure' || result.type === 'error') console.error(result.code, result.status, result.message)
  if (result.type !== 'success') return result.response
  result.headers.append('Set-Cookie', `user=${result.profile.id}`)
  return result.finish(result.redirect(result.info.returnTo ?? '/'))
}
