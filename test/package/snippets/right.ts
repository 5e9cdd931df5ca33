// As Express developers write it. Compiled against the packed tarball; each numbered snippet must compile.
import { channel, subscribe, tracingChannel } from 'node:diagnostics_channel'
import express from 'express'
import session from 'express-session'
import passport, { Passport } from 'passport'
import {
  type AuthenticateOptions,
  CookieStore,
  type JSONObject,
  type LoginInfo,
  OUTCOMES,
  type OutcomeCode,
  onPhaseEnd,
  type PendingLoginStore,
  type PendingLoginSummary,
  type Profile,
  SessionStore,
  SocialLoginClient,
  SocialLoginError,
  Strategy,
  type StrategyOptions,
  type TracedPhase,
  toProfile,
  type VerifyCallback,
  type VerifyFunction,
  type VerifyFunctionWithParams,
} from 'passport-social-login'
import { FakeProvider } from 'passport-social-login/testing'

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

// 1 The options of passport.authenticate, inline.
app.get('/1', passport.authenticate('social-login', { returnTo: '/x' }))
// 2
app.get('/2', passport.authenticate('social-login', { state: { cart: 7 } }))
// 3
app.get('/3', passport.authenticate('social-login', { state: 'cart-7', returnTo: env['HOME'], session: false }))
// 4
app.get('/4', passport.authorize('social-login', { returnTo: '/account', state: [1, 2] }))
// 5
app.get('/5', new Passport().authenticate('social-login', { returnTo: '/x', failureRedirect: '/login' }))
// 6
app.get('/6', passport.authenticate('social-login', { callbackURL: '/that/path', failureMessage: true }))
// 7
const start: AuthenticateOptions = { returnTo: '/inbox', keepSessionInfo: true }
app.get('/7', passport.authenticate(['social-login', 'other'], start))
app.get('/7', passport.authenticate(new Strategy(options, verify), start))

// 8 What a login brings back.
app.get('/8', passport.authenticate('social-login'), (req, res) => res.redirect(req.authInfo?.returnTo ?? '/'))
// 9
app.get('/9', passport.authenticate('social-login'), (req, res) => res.json(req.authInfo?.assurance?.age))
// 10
app.get('/10', passport.authenticate('social-login'), (req, res) => res.json(req.authInfo?.state))
// 11
// biome-ignore lint/style/noNonNullAssertion: users write it, and it must compile
app.get('/11', (req, res) => res.send(req.user!.id))
// 12
app.get('/12', (req, res) => res.send(req.user?.name ?? 'Nobody'))

// 13 Options apart from the strategy.
const o: StrategyOptions = { ...options, timeout: 5000, profileEndpoint: 'get_user_info', unverifiedStart: 'refuse' }
passport.use(new Strategy(o, verify))
// 14
passport.use(new Strategy({ ...options, store: key ? new CookieStore({ keys: [key] }) : undefined }, verify))
// 15
passport.use(new Strategy({ ...options, uploadsURL: env['U'] }, verify))
// 16
passport.use('another', new Strategy({ ...options, name: 'another', store: new SessionStore() }, verify))
// 17
passport.use(new Strategy({ ...options, allowedCallbackOrigins: ['https://login.social.example'] }, verify))
// 18
passport.use(new Strategy({ ...options, skipUserProfile: (token, done) => done(null, token.length > 9) }, verify))
// 19
passport.use(new Strategy({ ...options, skipUserProfile: async (token) => token.length > 9 }, verify))
// 20
passport.use(new Strategy({ ...options, confirmPage: ({ path }) => `<a href="${path}">Go on</a>` }, verify))
// 21
class CompanyStrategy extends Strategy {
  constructor(more: Omit<StrategyOptions, 'name'>, find: VerifyFunction) {
    super({ ...more, name: 'company' }, find)
  }
}
passport.use(new CompanyStrategy(options, verify))
// 22
const production: Partial<StrategyOptions> = env['NODE_ENV'] === 'production' ? { timeout: 3000 } : {}
const ways = { profileEndpoint: 'auto', exchangeMethod: 'get', userAgent: 'MyApp/1.0' } as const
passport.use(new Strategy({ ...options, ...ways, ...production, userRecord: (json) => json.response.profile }, verify))

// 23 Functions of every shape.
passport.use(new Strategy(options, (_accessToken, _refreshToken, profile) => ({ id: profile.id })))
// 24
passport.use(new Strategy(options, async (_accessToken, _refreshToken, profile) => ({ id: profile.id, name: 'x' })))
// 25
passport.use(new Strategy(options, (_accessToken, _refreshToken, profile, done) => done(null, { id: profile.id })))
// 26
passport.use(
  new Strategy(options, (accessToken: string, refreshToken: string, profile: Profile, done) => {
    done(null, { id: profile.id, name: accessToken + refreshToken })
  }),
)
// 27
passport.use(
  new Strategy(options, (_accessToken: string, _refreshToken: string, profile: Profile, done: VerifyCallback) =>
    done(null, { id: profile.id }),
  ),
)
// 28
passport.use(new Strategy(options, async () => undefined))
// 29
passport.use(
  new Strategy(options, (_accessToken, _refreshToken, _profile, done) => done(null, false, { message: 'No' })),
)
// 30
const withParams: VerifyFunctionWithParams = (_accessToken, _refreshToken, params, profile, done) =>
  done(null, { id: profile.id, name: String(params['expires_in']) })
passport.use(new Strategy(options, withParams))
// 31
passport.use(
  new Strategy({ ...options, passReqToCallback: true }, async (req, _accessToken, _refreshToken, profile) => ({
    id: profile.id,
    name: req.ip ?? '',
  })),
)
// 32
passport.use(
  new Strategy({ ...options, passReqToCallback: true }, (req, _accessToken, _refreshToken, profile, done) =>
    done(null, { id: profile.id, name: req.authInfo?.returnTo ?? '' }),
  ),
)

// 33 Passport around it.
passport.serializeUser((user, done) => done(null, user.id))
// 34
passport.deserializeUser((id: string, done) => done(null, { id }))
// 35
app.use(session({ secret: 's', resave: false, saveUninitialized: false }), passport.session())
// 36
app.get('/36', (req, res, next) => {
  passport.authenticate(
    'social-login',
    (error: unknown, user?: Express.User | false | null, info?: { code?: OutcomeCode }) => {
      if (error) return next(error)
      if (!user) return res.send(info?.code)
      req.logIn(user, next)
    },
  )(req, res, next)
})
// 37
app.use(((error, _req, res, next) => {
  if (error instanceof SocialLoginError) res.status(error.status).send(OUTCOMES[error.code].message)
  else next(error)
}) satisfies express.ErrorRequestHandler)

// 38 Stores.
export class MapStore implements PendingLoginStore {
  readonly #session = new SessionStore()
  save: PendingLoginStore['save'] = (req, record) => this.#session.save(req, record)
  load: PendingLoginStore['load'] = (req) => this.#session.load(req)
  consume: PendingLoginStore['consume'] = (req, record) => this.#session.consume(req, record)
}
// 39
passport.use(new Strategy({ ...options, store: new MapStore() }, verify))

// 40 Around the strategy.
export async function whoIs(authKey: string): Promise<string> {
  const { baseURL, clientID, clientSecret } = options
  const client = new SocialLoginClient({ baseURL, clientID, clientSecret })
  const { access_token } = await client.exchangeAuthKey(authKey)
  return toProfile(await client.fetchUser('user/me', access_token)).displayName
}
// 41
export const raw = (profile: Profile): JSONObject => profile._json
// 42
export const isFresh = ({ assurance }: LoginInfo): boolean => assurance.age < 60_000
// 43
tracingChannel<unknown, TracedPhase>('passport-social-login:exchange').asyncEnd.subscribe((message) => {
  console.log(message)
})
// 44
export const provider = async (): Promise<string> =>
  (await FakeProvider.start()).issueAuthKey({ appID: 'a', userID: '1' })
// 45
channel('tracing:passport-social-login:exchange:asyncEnd').subscribe((message) => console.log(message))
// 46
subscribe('tracing:passport-social-login:exchange:error', (message) => console.log(message))
// 47
export const stopListening = onPhaseEnd('exchange', ({ duration = 0, code }) => console.log(duration.toFixed(), code))
// 48
app.get('/48', passport.authenticate('social-login', { successReturnToOrRedirect: '/', failureRedirect: '/login' }))
// 49
const strategy = new Strategy(options, verify)
app.get('/49', async (req, res) => {
  const pending: PendingLoginSummary | undefined = await strategy.pendingLogin(req)
  res.send(pending ? `You began at ${pending.startedAt.toLocaleTimeString()}.` : 'Sign in')
})
// 50 As Express developers read the environment, without noPropertyAccessFromIndexSignature.
app.listen(Number(process.env.PORT ?? 3000))
