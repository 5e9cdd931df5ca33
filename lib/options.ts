import type { AuthenticateOptions as PassportAuthenticateOptions } from 'passport'
import type { Dispatcher } from 'undici'
import type { RenderConfirmPage } from './pages/confirm-page'
import type { PendingLoginStore, StateParameter } from './pending-login/record'

/** Which endpoint the profile is read from: section 4.3 of the specification, or the legacy one of section 4.4. */
export type ProfileEndpoint = 'user/me' | 'get_user_info'

/** Options of the `SocialLoginClient`. */
export interface SocialLoginClientOptions {
  /**
   * `{base_url}` of the specification (section 1): the root of the versioned API. Ends in `/v1`; `{oauth_base}`, the
   * home of the login and authorize endpoints, is the part before it. `https`, or `http` on a loopback host.
   */
  readonly baseURL: string
  /** The application id (`app_id`), from the provider's dashboard. */
  readonly clientID: string
  /** The application secret (`app_secret`). It is sent to the authorize endpoint and nowhere else. */
  readonly clientSecret: string
  /** Milliseconds that a call may take in all, connection and body included. Default 10,000; 1 to 120,000. */
  readonly timeout?: number
  /** The most connections to the provider at one time. Default 128; 1 to 10,000. */
  readonly maxConnections?: number
  /**
   * The undici dispatcher to use instead of an own pool, for a proxy, a custom CA or a mock. You close it. Only its
   * `request` method is called, so one of another undici major serves too.
   */
  readonly dispatcher?: Pick<Dispatcher, 'request'>
  /**
   * Allows plain `http` to a host that is not loopback: whoever can read the network then reads the secret, the keys
   * and the tokens. Default false.
   */
  readonly allowInsecureHTTP?: boolean
}

/** Options of the {@link Strategy}. */
export interface StrategyOptions<WithRequest extends boolean = boolean>
  extends Omit<SocialLoginClientOptions, 'maxConnections'> {
  /**
   * The URL registered with the provider as "App Redirect URL", or its path. The path tells callbacks from starts;
   * the origin, if given, is the application's own. Without it the `Host` header stands in for the own origin.
   */
  readonly callbackURL: string
  /** The name given to `passport.authenticate`. Default `social-login`. Several providers need several names. */
  readonly name?: string
  /**
   * Milliseconds that the provider may take in all, over the exchange and the profile. Default 10,000; 1 to 120,000.
   * When they are over: error `provider_timeout`.
   */
  readonly timeout?: number
  /** Where the profile comes from. Default `user/me`; `get_user_info` for servers without the versioned API. */
  readonly profileEndpoint?: ProfileEndpoint
  /** Gives the request to the verify function as its first argument. Default false. */
  readonly passReqToCallback?: WithRequest
  /** Skips the profile request, always or as the function decides: verify then gets `undefined`. Default false. */
  readonly skipUserProfile?: boolean | SkipUserProfile
  /** Milliseconds that the verify function may take. Default 30,000; 1 to 600,000. Then: error `verify_timeout`. */
  readonly verifyTimeout?: number
  /** Logins that may wait for the provider at one time; others get error `overloaded`. Default 128; 1 to 10,000. */
  readonly maxConcurrentLogins?: number
  /** Where the login in progress is kept. Default: the session (`req.session`). */
  readonly store?: PendingLoginStore
  /**
   * What a start gets that carries no proof of coming from this application (typed, mailed, or redirected by a login
   * wall): `confirm`, a page whose button is the proof (default); `refuse`, fail `start_forbidden`; or `allow`, which
   * opens the application to login CSRF by a link.
   */
  readonly unprovenStart?: 'confirm' | 'refuse' | 'allow'
  /** Origins of sister sites whose links may start a login, such as `https://www.app.example`. Default none. */
  readonly allowedStartOrigins?: readonly string[]
  /** Further origins of the provider whose pages may lead to the callback. Default none: `baseURL`'s own origin. */
  readonly allowedCallbackOrigins?: readonly string[]
  /**
   * Replaces the confirm page: returns a whole HTML document whose link or form leads to `target`. It may use styles,
   * fonts and pictures of this origin, and no script. Default: a plain page in English.
   */
  readonly confirmPage?: RenderConfirmPage
  /**
   * Ties the login to the browser tab that started it, by a secret in the tab's `sessionStorage`: a hostile page in
   * another tab, or one that opened this tab, can then not slip its own callback into a login under way. The route of
   * the callback must accept POST too, and the people need JavaScript. Default false.
   */
  readonly tabBinding?: boolean
  /**
   * Sends a `state` to the login page. The specification has none and no known provider repeats it: `off` sends none
   * (default); `observe` refuses a wrong one and reports in `info.assurance` whether it came; `require` insists on it.
   */
  readonly stateParameter?: StateParameter
  /** Root of the provider's uploads: pictures given as relative paths are resolved below it. Default: left out. */
  readonly uploadsURL?: string
}

/** Decides per login whether to skip the profile request: returns the decision (or its promise), or calls `done`. */
export type SkipUserProfile =
  | ((accessToken: string) => boolean | Promise<boolean>)
  | ((accessToken: string, done: (error: unknown, skip?: boolean) => void) => void)

/** Options of one `passport.authenticate(name, options)`: Passport's own, and those of this strategy. */
export interface AuthenticateOptions extends PassportAuthenticateOptions {
  /**
   * A local path to go to after the login, such as `/inbox`. It comes back as `req.authInfo.returnTo`. Anything that
   * would lead to another origin, or is longer than 1,024 characters once percent-encoded, is ignored: it may well
   * come from a query.
   */
  readonly returnTo?: string
  /**
   * Up to 1,024 bytes to have back as `req.authInfo.state` after the login. Passport's types want a string; any JSON
   * value works.
   */
  readonly state?: string
  /** Replaces the strategy's `callbackURL` for this request: give it to the start and to the callback alike. */
  readonly callbackURL?: string
}

const MAX_URL_LENGTH = 2048

/** Validated options of the client. */
export interface ClientSettings {
  /** Origin of the provider. */
  readonly origin: string
  /** Path of `{base_url}`. */
  readonly basePath: string
  /** Path of `{oauth_base}`. */
  readonly oauthPath: string
  readonly timeout: number
  readonly maxConnections: number
}

/** @throws TypeError naming the option that is wrong and never its value */
export function readClientOptions(options: SocialLoginClientOptions): ClientSettings {
  if (typeof options !== 'object' || options === null) throw new TypeError('options must be an object')
  const base = readBaseURL(options.baseURL, readBoolean('allowInsecureHTTP', options.allowInsecureHTTP))
  requireText('clientID', options.clientID)
  requireText('clientSecret', options.clientSecret)
  const { dispatcher } = options
  if (dispatcher !== undefined && typeof dispatcher?.request !== 'function') {
    throw new TypeError('dispatcher must be an undici dispatcher: it has no request method')
  }
  return {
    origin: base.origin,
    basePath: base.pathname,
    oauthPath: base.pathname.slice(0, -'/v1'.length),
    timeout: readInteger('timeout', options.timeout, 10_000, 120_000),
    maxConnections: readInteger('maxConnections', options.maxConnections, 128, 10_000),
  }
}

function readBaseURL(value: unknown, allowInsecureHTTP: unknown): URL {
  const url = requireURL('baseURL', value, allowInsecureHTTP)
  if (/[?#]/.test(url.href)) throw new TypeError('baseURL must have no query and no fragment')
  if (!url.pathname.endsWith('/v1')) {
    throw new TypeError('baseURL must end in /v1 (the version of the API), without a slash after it')
  }
  return url
}

/** Where callbacks arrive: their path, and the application's origin where the option gives it. */
export interface CallbackLocation {
  readonly path: string
  readonly origin: string | undefined
}

/** @throws TypeError when `value` is neither a path nor an http(s) URL */
export function readCallbackURL(value: unknown, allowInsecureHTTP?: unknown): CallbackLocation {
  requireText('callbackURL', value)
  if (value.includes('#')) {
    throw new TypeError(
      'callbackURL must have no fragment: browsers keep it, and the auth_key behind it, to themselves',
    )
  }
  if (!value.startsWith('/')) {
    const url = requireURL('callbackURL', value, allowInsecureHTTP)
    return { path: url.pathname, origin: url.origin }
  }
  if (/^\/[/\\]/.test(value) || !URL.canParse(value, 'http://localhost')) {
    throw new TypeError('callbackURL must be a path such as /auth/social-login/callback, or an absolute URL')
  }
  return { path: new URL(value, 'http://localhost').pathname, origin: undefined }
}

/** @throws TypeError when `values` is not a list of http(s) origins */
export function readOrigins(name: string, values: unknown): ReadonlySet<string> {
  if (values === undefined) return new Set()
  if (!Array.isArray(values)) throw new TypeError(`${name} must be an array of origins such as https://www.app.example`)
  return new Set(values.map((value) => readOrigin(name, value)))
}

function readOrigin(name: string, value: unknown): string {
  const origin = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (
    !origin ||
    !/^https?:$/.test(origin.protocol) ||
    origin.hostname.includes('*') ||
    origin.origin !== String(value).toLowerCase()
  ) {
    throw new TypeError(`${name} must hold origins such as https://www.app.example, without a path`)
  }
  return origin.origin
}

/** @throws TypeError when `value` is no http(s) URL; a missing slash at its end is added */
export function readUploadsURL(value: unknown, allowInsecureHTTP: unknown): URL | undefined {
  if (value === undefined) return undefined
  const url = requireURL('uploadsURL', value, allowInsecureHTTP)
  if (url.search || url.hash) throw new TypeError('uploadsURL must have no query and no fragment')
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

/** @throws TypeError when `value` is no whole number from 1 to `max` */
export function readInteger(name: string, value: unknown, fallback: number, max: number): number {
  if (value === undefined) return fallback
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > max) {
    throw new TypeError(`${name} must be a whole number from 1 to ${max.toLocaleString('en')}`)
  }
  return value
}

/** @throws TypeError when `value` is none of `allowed` */
export function readChoice<T extends string>(name: string, value: unknown, fallback: T, allowed: readonly T[]): T {
  if (value === undefined) return fallback
  const choice = allowed.find((candidate) => candidate === value)
  if (choice === undefined) throw new TypeError(`${name} must be one of: ${allowed.join(', ')}`)
  return choice
}

/** @throws TypeError when `value` is no boolean */
export function readBoolean(name: string, value: unknown): boolean {
  if (value !== undefined && typeof value !== 'boolean') throw new TypeError(`${name} must be true or false`)
  return value ?? false
}

/** @throws TypeError when `value` is no text */
export function requireText(name: string, value: unknown): asserts value is string {
  if (typeof value !== 'string' || value.trim() === '') throw new TypeError(`${name} must be a non-empty string`)
  if (value !== value.trim()) throw new TypeError(`${name} must not begin or end with white space (a line break?)`)
  if (value.length > MAX_URL_LENGTH) throw new TypeError(`${name} must have at most 2,048 characters`)
}

function requireURL(name: string, value: unknown, allowInsecureHTTP: unknown): URL {
  requireText(name, value)
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError(`${name} must be an absolute http(s) URL`)
  if (url.username || url.password) throw new TypeError(`${name} must hold no user name or password`)
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !readBoolean('allowInsecureHTTP', allowInsecureHTTP)) {
    throw new TypeError(`${name} must be https: plain http is for loopback hosts (see allowInsecureHTTP)`)
  }
  return url
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}
