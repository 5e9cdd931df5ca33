import { Strategy as OAuth2Strategy } from 'passport-oauth2'
import { captureActions, missingRedirect, perform, setHeaders, toAction } from './actions'
import { SocialLoginClient } from '../client/client'
import { PRIVATE_ANSWER_HEADERS } from '../errors'
import { LoginFlow } from '../login/login-flow'
import {
  readBoolean,
  readCallbackURL,
  readChoice,
  readInteger,
  readOrigins,
  readUploadsURL,
  requireText,
} from '../client/option-values'
import type { AuthenticateOptions, StrategyOptions } from './options'
import { digest, type PendingLoginStore } from '../login/pending-login'
import { SessionStore } from '../login/stores/session-store'
import { type Profile, profileOf } from '../client/profile'
import { Redeemer } from '../login/exchange'
import type {
  AnyVerifyFunction,
  Request,
  VerifyFunction,
  VerifyFunctionWithParams,
  VerifyFunctionWithRequest,
  VerifyFunctionWithRequestAndParams,
} from './verify'

/**
 * Signs users in through a provider that speaks the Social Login API. Mount it twice: on the route that starts the
 * login (GET or POST, linked from a page of yours), and on the route of the registered redirect URL.
 *
 * It extends passport-oauth2's strategy for its place in the Passport family; of what it inherits, nothing sends a
 * request: that client has no deadline, follows redirects, and shows the secret in its errors.
 *
 * @example
 * passport.use(new Strategy({
 *   baseURL: 'https://social.example/api/v1',
 *   clientID: process.env.SOCIAL_CLIENT_ID,
 *   clientSecret: process.env.SOCIAL_CLIENT_SECRET,
 *   callbackURL: 'https://app.example/auth/social-login/callback',
 * }, async (accessToken, refreshToken, profile) => users.findOrCreate(profile.provider, profile.id)))
 */
export class Strategy extends OAuth2Strategy {
  // TypeScript's `private`, not `#private`: Passport runs `Object.create(strategy)`, which has no private members.
  private readonly _flow: LoginFlow
  private readonly _close: () => Promise<void>
  private readonly _loadUser: (accessToken: string) => Promise<Profile>

  /**
   * @throws TypeError naming the option that is wrong, never its value
   */
  constructor(options: StrategyOptions<false>, verify: VerifyFunction)
  constructor(options: StrategyOptions<false>, verify: VerifyFunctionWithParams)
  constructor(options: StrategyOptions<true> & PassesRequest, verify: VerifyFunctionWithRequest)
  constructor(options: StrategyOptions<true> & PassesRequest, verify: VerifyFunctionWithRequestAndParams)
  constructor(options: StrategyOptions, verify: AnyVerifyFunction) {
    if (typeof verify !== 'function') throw new TypeError('Strategy needs a verify function after its options')
    const { client, settings } = readSettings(options)
    super(INHERITED_OPTIONS, () => {})
    // The inherited client holds no secret; whoever reaches for it is told where to go instead.
    Object.defineProperty(this, '_oauth2', { get: refuseInheritedClient, enumerable: false })
    this.name = settings.name
    this._loadUser = async (accessToken) =>
      profileOf(await client.fetchUser(settings.profileEndpoint, accessToken), settings.name, settings.uploadsURL)
    const redeemer = new Redeemer(client, settings)
    this._close = () => redeemer.close()
    this._flow = new LoginFlow({ ...settings, verify, redeemer })
  }

  /**
   * Passport calls this for every request to a route of `passport.authenticate`. It ends in exactly one of Passport's
   * actions, or in the confirm page or an empty answer of its own.
   */
  override authenticate(req: Request, options: AuthenticateOptions = {}): void {
    const actions = captureActions(this)
    const problem = missingRedirect(req, options)
    if (problem) return actions.error(problem)
    setHeaders(req, PRIVATE_ANSWER_HEADERS)
    const login = this._flow.handle(req, options).catch(toAction)
    // Never rejects: see perform.
    void login.then((action) => perform(action, actions, req))
  }

  /** Closes the connections to the provider, for a clean end of the process. Logins under way end first. */
  close(): Promise<void> {
    return this._close()
  }

  /**
   * Loads the profile of a token that the application already has. A login does not come this way: it reads the
   * profile under the same deadline as the exchange.
   */
  override userProfile(accessToken: string, done: (error?: unknown, profile?: Profile) => void): void {
    this._loadUser(accessToken).then((profile) => done(null, profile), done)
  }
}

/** The option is optional, but a verify function that takes the request is not typed without it. */
interface PassesRequest {
  readonly passReqToCallback: true
}

// passport-oauth2 demands these; its own client, the only one who would use them, is out of reach.
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

function readSettings(options: StrategyOptions) {
  if (typeof options !== 'object' || options === null) throw new TypeError('Strategy needs an options object')
  const { name = 'social-login', callbackURL, skipUserProfile = false, store = new SessionStore() } = options
  requireText('name', name)
  if (typeof skipUserProfile !== 'boolean' && typeof skipUserProfile !== 'function') {
    throw new TypeError('skipUserProfile must be true, false or a function')
  }
  const { confirmPage } = options
  if (confirmPage !== undefined && typeof confirmPage !== 'function')
    throw new TypeError('confirmPage must be a function')
  requireStore(store)
  const timeout = readInteger('timeout', options.timeout, 10_000, 120_000)
  const maxConcurrentLogins = readInteger('maxConcurrentLogins', options.maxConcurrentLogins, 128, 10_000)
  const client = new SocialLoginClient({ ...options, maxConnections: maxConcurrentLogins })
  const callback = readCallbackURL(callbackURL, options.allowInsecureHTTP)
  const providerOrigin = new URL(options.baseURL).origin
  return {
    client,
    settings: {
      name,
      store,
      skipUserProfile,
      maxConcurrentLogins,
      context: digest(name, options.baseURL, options.clientID),
      loginURL: client.loginURL(),
      timeout,
      storeTimeout: timeout,
      verifyTimeout: readInteger('verifyTimeout', options.verifyTimeout, 30_000, 600_000),
      profileEndpoint: readChoice('profileEndpoint', options.profileEndpoint, 'user/me', ['user/me', 'get_user_info']),
      passReqToCallback: readBoolean('passReqToCallback', options.passReqToCallback),
      uploadsURL: readUploadsURL(options.uploadsURL, options.allowInsecureHTTP),
      confirmPage,
      stateParameter: readChoice('stateParameter', options.stateParameter, 'off', ['off', 'observe', 'require']),
      rules: {
        callbackPath: callback.path,
        appOrigin: callback.origin,
        providerOrigin,
        allowedStartOrigins: readOrigins('allowedStartOrigins', options.allowedStartOrigins),
        allowedCallbackOrigins: readOrigins('allowedCallbackOrigins', options.allowedCallbackOrigins),
        unprovenStart: readChoice('unprovenStart', options.unprovenStart, 'confirm', ['confirm', 'refuse', 'allow']),
        tabBinding: readBoolean('tabBinding', options.tabBinding),
      },
    },
  }
}

function requireStore(store: PendingLoginStore): void {
  const methods = ['save', 'load', 'consume', 'remove'] as const
  if (methods.some((method) => typeof store?.[method] !== 'function')) {
    throw new TypeError('store must have the methods save, load, consume and remove')
  }
}
