import { Strategy as OAuth2Strategy } from 'passport-oauth2'
import { ACCESS_TOKEN_KIND } from '../client/endpoints'
import type { Profile } from '../client/response/profile'
import { PRIVATE_HEADERS } from '../errors'
import type { RequestAdapter } from '../login/context'
import { Login } from '../login/login'
import type { PendingLoginSummary } from '../login/pending-login/pending-login'
import { browserStore, WITH_REQUEST } from '../login/pending-login/store'
import { checkArguments, func, object, optional, parseFor, text, typeName } from '../values'
import { addCookies, captureActions, missingRedirect, runLogin, setHeaders } from './actions'
import {
  canSignIn,
  currentUserHint,
  currentUserKey,
  foreignRequest,
  httpRequest,
  warnOfMissingPassportSession,
} from './incoming-message'
import {
  type AuthenticateOptions,
  type MultiProviderStrategyOptions,
  misplacedOption,
  parseStrategyOptions,
  type StrategyOptions,
  type StrategySettings,
} from './options'
import { callVerify } from './verify'
import type {
  AnyVerifyFunction,
  Request,
  VerifyFunction,
  VerifyFunctionWithParams,
  VerifyFunctionWithRequest,
  VerifyFunctionWithRequestAndParams,
} from './verify-types'

/**
 * Signs users in through a provider that speaks the Social Login API. Mount it twice: on the route that starts the
 * login (GET or POST, linked from a page of yours), and on the route of the registered redirect URL.
 *
 * It extends passport-oauth2's strategy for `instanceof` and types only. The inherited HTTP client is never used: it
 * has no deadline, follows redirects, and exposes the secret in its errors.
 * @example
 * const { SOCIAL_CLIENT_ID = '', SOCIAL_CLIENT_SECRET = '' } = process.env
 * passport.use(new Strategy({
 *   baseURL: 'https://social.example/api/v1',
 *   clientID: SOCIAL_CLIENT_ID,
 *   clientSecret: SOCIAL_CLIENT_SECRET,
 *   callbackURL: 'https://app.example/auth/social-login/callback',
 * }, async (accessToken, refreshToken, profile) => users.findOrCreate(profile)))
 */
export class Strategy<User = Express.User> extends OAuth2Strategy {
  // TypeScript's `private`, not `#private`: Passport runs `Object.create(strategy)`, which has no private members.
  private readonly _login: Login
  private readonly _newAdapter: (req: Request, options: AuthenticateOptions) => RequestAdapter

  /** @throws TypeError naming the invalid option, never its value */
  constructor(options: EitherOptions, verify: VerifyFunction<User>)
  constructor(options: EitherOptions, verify: VerifyFunctionWithParams<User>)
  constructor(options: EitherOptions<true> & PassesRequest, verify: VerifyFunctionWithRequest<User>)
  constructor(options: EitherOptions<true> & PassesRequest, verify: VerifyFunctionWithRequestAndParams<User>)
  // TypeScript reports errors against the last overload.
  constructor(options: StrategyOptions, verify: VerifyFunction<User>)
  constructor(options: EitherOptions<boolean>, verify: AnyVerifyFunction) {
    if (typeof verify !== 'function')
      throw new TypeError(`Strategy needs a verify function after its options, not ${typeName(verify)}`)
    // A new option is a member and a parser in login/providers/options.ts (for all adapters) or ./options.ts (for this
    // one), and a row in docs/options.md, which a test compares. Settings and their types follow the tables of parsers.
    const settings = parseFor(Strategy, () => parseStrategyOptions(options))
    super(INHERITED_OPTIONS, () => {})
    Object.defineProperty(this, '_oauth2', { get: refuseInheritedClient, enumerable: false })
    this.name = settings.providers.name
    this._login = new Login(settings.providers)
    this._newAdapter = (req, perCall) => newAdapter(req, perCall, verify, settings)
  }

  /**
   * Passport calls this for every request to a route of `passport.authenticate`. The request ends in one of these ways:
   *
   * - `redirect` to the provider at a start;
   * - `success(user, info)` after a login. The info is the verify function's (an object, or a string as `message`),
   *   overlaid with the `LoginInfo`. Passport makes `req.authInfo` of it once the user is signed in;
   * - `fail(info, 401)` if the verify function gives no user, and `fail({ code, message }, status)` for an outcome that
   *   the user can fix (type `failure` in `OUTCOMES`);
   * - `error` for an outcome that the operator must see, and for what the application throws;
   * - a response of its own: the confirm page, the pages of a tab, or the refusal of a script or a prefetch.
   */
  override authenticate(req: Request, options: AuthenticateOptions = {}): void {
    const actions = captureActions(this, Object(options))
    const problem = foreignRequest(req) ?? misplacedOption(options) ?? missingRedirect(req, options)
    if (problem) return actions.error(problem)
    setHeaders(req, PRIVATE_HEADERS)
    warnOfMissingPassportSession(req)
    // `runLogin` never rejects.
    void runLogin(() => this._login.handle(this._newAdapter(req, options)), actions, req, options)
  }

  /**
   * The login that this browser has begun and can still finish, for a page that says so. Changes nothing.
   * @param options the `callbackURL` given to the start, if any
   * @returns undefined if there is none, or it is finished, expired, of another strategy, or of another user
   * @throws SocialLoginError `session_unavailable` when the store fails
   * @throws TypeError for wrong arguments
   */
  async pendingLogin(
    req: Request,
    options: Pick<AuthenticateOptions, 'callbackURL'> = {},
  ): Promise<PendingLoginSummary | undefined> {
    checkArguments('pendingLogin', PENDING_LOGIN, [req, options])
    return this._login.pending(this._newAdapter(req, options))
  }

  /** Closes the connections to the provider once the logins that wait for it have ended, for a clean shutdown. */
  close(): Promise<void> {
    return this._login.close()
  }

  /**
   * Loads the profile for a token that the application already has. Not used by a login.
   * @throws TypeError or RangeError for wrong arguments
   */
  override userProfile(accessToken: string, done: (error?: unknown, profile?: Profile) => void): void {
    checkArguments('userProfile', USER_PROFILE, [accessToken, done])
    this._login.loadProfile(accessToken).then((profile) => done(null, profile), done)
  }
}

const PENDING_LOGIN = {
  ...WITH_REQUEST,
  options: object('an object of options', { callbackURL: optional(text) }),
}
const USER_PROFILE = { accessToken: ACCESS_TOKEN_KIND, done: func }

function newAdapter(
  req: Request,
  options: AuthenticateOptions,
  verify: AnyVerifyFunction,
  settings: StrategySettings,
): RequestAdapter {
  const currentUser = settings.currentUser && (() => settings.currentUser?.(req))
  return {
    http: httpRequest(req),
    options,
    store: browserStore(settings.store, req),
    findProvider: () => settings.findProvider(req),
    currentUserKey: () => currentUserKey(req, currentUser),
    currentUserHint: () => currentUserHint(req, currentUser),
    canSignIn: () => canSignIn(req, options),
    addCookies: (lines) => addCookies(req, lines),
    skipUserProfile: settings.skipUserProfile,
    verify: (login, loginInfo) => callVerify(verify, req, login, loginInfo, settings),
  }
}

type EitherOptions<WithRequest extends boolean = false> =
  | StrategyOptions<WithRequest>
  | MultiProviderStrategyOptions<WithRequest>

/** Optional in `StrategyOptions`, but required to type a verify function that takes the request. */
interface PassesRequest {
  readonly passReqToCallback: true
}

// The constructor of passport-oauth2 requires these options; they are never used.
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
