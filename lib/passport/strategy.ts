import { Strategy as OAuth2Strategy } from 'passport-oauth2'
import { Deadline } from '../client/deadline'
import { type Profile, profileOf } from '../client/profile'
import { PRIVATE_HEADERS } from '../errors'
import { storeOf } from '../login/browser-store'
import type { LoginAction, LoginRequest, Verdict } from '../login/context'
import type { LoginInfo } from '../login/info'
import { Login } from '../login/login'
import type { PendingLoginSummary } from '../login/pending-login'
import { captureActions, missingRedirect, type Outcome, perform, replayDestination, setHeaders } from './actions'
import type { AuthenticateOptions, MultiSiteStrategyOptions, StrategyOptions } from './options'
import { canLogIn, currentUserKey, httpRequest } from './request'
import { readSettings, type StrategySettings } from './settings'
import {
  type AnyVerifyFunction,
  callVerify,
  type Request,
  type VerifyFunction,
  type VerifyFunctionWithParams,
  type VerifyFunctionWithRequest,
  type VerifyFunctionWithRequestAndParams,
} from './verify'

/**
 * Signs users in through a provider that speaks the Social Login API. Mount it twice: on the route that starts the
 * login (GET or POST, linked from a page of yours), and on the route of the registered redirect URL.
 *
 * It extends passport-oauth2's strategy for compatibility only (`instanceof`, types). The inherited HTTP client is
 * never used: it has no deadline, follows redirects, and exposes the secret in its errors.
 *
 * @example
 * const { SOCIAL_CLIENT_ID = '', SOCIAL_CLIENT_SECRET = '' } = process.env
 * passport.use(new Strategy({
 *   baseURL: 'https://social.example/api/v1',
 *   clientID: SOCIAL_CLIENT_ID,
 *   clientSecret: SOCIAL_CLIENT_SECRET,
 *   callbackURL: 'https://app.example/auth/social-login/callback',
 * }, async (accessToken, refreshToken, profile) => users.findOrCreate(profile)))
 */
export class Strategy extends OAuth2Strategy {
  // TypeScript's `private`, not `#private`: Passport runs `Object.create(strategy)`, which has no private members.
  private readonly _login: Login
  private readonly _authenticate: (req: Request, options: AuthenticateOptions) => Promise<LoginAction>
  private readonly _pendingLogin: (
    req: Request,
    options: Pick<AuthenticateOptions, 'callbackURL'>,
  ) => Promise<PendingLoginSummary | undefined>
  private readonly _loadProfile: (accessToken: string) => Promise<Profile>

  /**
   * @throws TypeError naming the invalid option, never its value
   */
  constructor(options: StrategyOptions, verify: VerifyFunction)
  constructor(options: StrategyOptions, verify: VerifyFunctionWithParams)
  constructor(options: StrategyOptions<true> & PassesRequest, verify: VerifyFunctionWithRequest)
  constructor(options: StrategyOptions<true> & PassesRequest, verify: VerifyFunctionWithRequestAndParams)
  constructor(options: MultiSiteStrategyOptions, verify: VerifyFunction)
  constructor(options: MultiSiteStrategyOptions, verify: VerifyFunctionWithParams)
  constructor(options: MultiSiteStrategyOptions<true> & PassesRequest, verify: VerifyFunctionWithRequest)
  constructor(options: MultiSiteStrategyOptions<true> & PassesRequest, verify: VerifyFunctionWithRequestAndParams)
  // Repeated, because TypeScript reports errors against the last overload.
  constructor(options: StrategyOptions, verify: VerifyFunction)
  constructor(options: StrategyOptions<boolean> | MultiSiteStrategyOptions<boolean>, verify: AnyVerifyFunction) {
    if (typeof verify !== 'function') throw new TypeError('Strategy needs a verify function after its options')
    const settings = readSettings(options)
    super(INHERITED_OPTIONS, () => {})
    // The inherited client holds no secret. Reading it throws an error that names the alternatives.
    Object.defineProperty(this, '_oauth2', { get: refuseInheritedClient, enumerable: false })
    this.name = settings.name
    const login = new Login(settings)
    this._login = login
    this._authenticate = (req, options) => login.handle(adapt(req, options, verify, settings))
    this._pendingLogin = (req, options) =>
      login.pending({
        options,
        store: storeOf(settings.store, req),
        currentUserKey: () => currentUserKey(req),
        findSite: () => settings.findSite(req),
      })
    this._loadProfile = (accessToken) => loadProfile(settings, accessToken)
  }

  /**
   * Passport calls this for every request to a route of `passport.authenticate`. It ends in exactly one of Passport's
   * actions, or in the confirm page or an empty response of its own.
   */
  override authenticate(req: Request, options: AuthenticateOptions = {}): void {
    const actions = captureActions(this)
    setHeaders(req, PRIVATE_HEADERS)
    const problem = missingRedirect(req, options)
    if (problem) return actions.error(problem)
    const outcome: Promise<Outcome> = this._authenticate(req, options).catch((error) => ({ type: 'error', error }))
    // Never rejects: see perform.
    void outcome.then((ended) => perform(ended, actions, req, options))
  }

  /**
   * The login that this browser has begun and can still finish, for a login page that says so: a person who cancels at
   * the provider does not come back by a callback. Reads the store and changes nothing; nobody is signed in by it.
   *
   * @param options the `callbackURL` given to the start, if any
   * @returns undefined if there is none, or it is finished, expired, of another strategy, or of another user
   * @throws SocialLoginError `session_unavailable` when the store fails
   */
  pendingLogin(
    req: Request,
    options: Pick<AuthenticateOptions, 'callbackURL'> = {},
  ): Promise<PendingLoginSummary | undefined> {
    return this._pendingLogin(req, options)
  }

  /** Closes the connections to the provider once pending logins have ended, for a clean shutdown. */
  close(): Promise<void> {
    return this._login.close()
  }

  /**
   * Loads the profile for a token that the application already has. Not used by a login, which reads the profile under
   * the same deadline as the exchange.
   */
  override userProfile(accessToken: string, done: (error?: unknown, profile?: Profile) => void): void {
    this._loadProfile(accessToken).then((profile) => done(null, profile), done)
  }
}

/** Adapts a Passport request for the login. */
function adapt(
  req: Request,
  options: AuthenticateOptions,
  verify: AnyVerifyFunction,
  settings: StrategySettings,
): LoginRequest {
  const { passReqToCallback } = settings
  return {
    http: httpRequest(req),
    options,
    findSite: () => settings.findSite(req),
    store: storeOf(settings.store, req),
    currentUserKey: () => currentUserKey(req),
    canSignIn: () => canLogIn(req, options),
    // The route of passport.authorize expects `req.account`, which a repeated callback does not set.
    mayContinueOnReplay: replayDestination(options) !== undefined || !options.assignProperty,
    verify: (login, info) => {
      const call = () => callVerify(verify, req, login, settings)
      return passReqToCallback ? withAuthInfo(req, info, call) : call()
    },
  }
}

/** Verify finds the info at `req.authInfo`, where the application's later handlers take it for a sign of a login. */
async function withAuthInfo(req: Request, info: LoginInfo, verify: () => Promise<Verdict>): Promise<Verdict> {
  const { authInfo } = req
  let user: unknown
  Object.assign(req, { authInfo: info })
  try {
    const verdict = await verify()
    user = verdict.user
    return verdict
  } finally {
    if (!user) Object.assign(req, { authInfo })
  }
}

async function loadProfile({ sites, timeout }: StrategySettings, accessToken: string): Promise<Profile> {
  if (!sites.fixed) throw new TypeError('userProfile() cannot know the site of a token: use SocialLoginClient')
  const { endpoints, profileEndpoint, name, uploadsURL } = sites.fixed
  const deadline = new Deadline(timeout)
  try {
    return profileOf(await endpoints.fetchProfile(profileEndpoint, accessToken, { deadline }), name, uploadsURL)
  } finally {
    deadline.clear()
  }
}

/** Optional in `StrategyOptions`, but required to type a verify function that takes the request. */
interface PassesRequest {
  readonly passReqToCallback: true
}

// Required by the constructor of passport-oauth2, and never used.
const INHERITED_OPTIONS = {
  authorizationURL: 'unused:',
  tokenURL: 'unused:',
  clientID: 'unused',
  clientSecret: 'unused',
}

function refuseInheritedClient(): never {
  throw new TypeError(
    'passport-social-login does not use the HTTP client of passport-oauth2: use SocialLoginClient, or the dispatcher option for proxies and certificates',
  )
}
