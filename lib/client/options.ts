import type { RequestDispatcher } from './http/dispatcher'
import { readBaseURL, readBoolean, readChoice, readInteger, readUserAgent, requireText } from './option-values'

/**
 * Which endpoint the profile is read from: section 4.3 of the specification, the legacy one of section 4.4, or `auto`:
 * the first, and where it does not exist (404) the second, with the same token. Once the second has answered with a
 * profile, the client requests it first, until it answers without one. At the legacy endpoint the token is part of the
 * URL, hence of the provider's logs.
 *
 * @example
 * const profileEndpoint: ProfileEndpoint = 'get_user_info' // a server that answers 404 to /v1/user/me
 */
export type ProfileEndpoint = 'user/me' | 'get_user_info' | 'auto'

/**
 * How a key is exchanged: by a POST with a form (section 4.2 of the specification), or by a GET with a query, as
 * servers up to about version 3.13 demand. By GET the application secret is part of a URL, hence of the provider's logs.
 *
 * @example
 * const exchangeMethod: ExchangeMethod = 'get' // a server that answers "invalid app_id" to a POST
 */
export type ExchangeMethod = 'post' | 'get'

/**
 * Options of the `SocialLoginClient`.
 *
 * @example
 * new SocialLoginClient({ baseURL: 'https://social.example/api/v1', clientID, clientSecret, timeout: 5000 })
 */
export interface SocialLoginClientOptions {
  /**
   * `{base_url}` of the specification (section 1): the root of the versioned API. Ends in `/v1`; `{oauth_base}`, the
   * root of the login and authorize endpoints, is the part before it. `https`, or `http` on a loopback host.
   */
  readonly baseURL: string
  /** The application id (`app_id`), from the provider's dashboard. */
  readonly clientID: string
  /** The application secret (`app_secret`). Sent only to the authorize endpoint. */
  readonly clientSecret: string
  /** The `User-Agent` of every request, which firewalls demand. Default `passport-social-login/VERSION`. */
  readonly userAgent?: string | undefined
  /** Default `post`. With `get`, for servers that know nothing else, the secret is part of a URL. Never tried by itself. */
  readonly exchangeMethod?: ExchangeMethod | undefined
  /**
   * Milliseconds for a whole call, connection and body included. Default 10,000; 1 to 120,000. While a connection cannot
   * be opened, it is tried again for up to three seconds, at most a third of this.
   */
  readonly timeout?: number | undefined
  /**
   * Maximum of calls under way, and so of connections to the provider, besides one spare and those of requests that are
   * retried. Default 128; 1 to 10,000.
   */
  readonly maxConnections?: number | undefined
  /**
   * The dispatcher to use instead of the built-in pool, for a proxy, a custom CA or a mock. You close it. Only its
   * `request` method is called: dispatchers of undici 6, 7 and 8 work.
   */
  readonly dispatcher?: RequestDispatcher | undefined
  /**
   * Allows plain `http` to a host that is not loopback: anyone who can read the network traffic sees the secret, the
   * keys and the tokens. Default false.
   */
  readonly allowInsecureHTTP?: boolean | undefined
}

/** Validated options of the client. */
export interface ClientSettings {
  /** Origin of the provider. */
  readonly origin: string
  /** Path of `{base_url}`. */
  readonly basePath: string
  /** Path of `{oauth_base}`. */
  readonly oauthPath: string
  readonly clientID: string
  readonly clientSecret: string
  readonly userAgent: string
  readonly exchangeMethod: ExchangeMethod
  readonly timeout: number
  readonly maxConnections: number
  readonly dispatcher: RequestDispatcher | undefined
}

/** The default of `userAgent`. A constant, so that bundled applications need no package.json; a test compares the two. */
export const USER_AGENT = 'passport-social-login/0.1.0'

/** @throws TypeError naming the invalid option, never its value */
export function readClientOptions(options: SocialLoginClientOptions): ClientSettings {
  if (typeof options !== 'object' || options === null) throw new TypeError('SocialLoginClient needs an options object')
  const base = readBaseURL(options.baseURL, readBoolean('allowInsecureHTTP', options.allowInsecureHTTP))
  const { clientID, clientSecret, dispatcher } = options
  requireText('clientID', clientID)
  requireText('clientSecret', clientSecret)
  if (dispatcher !== undefined && typeof dispatcher?.request !== 'function') {
    const cure = 'Bun replaces undici by a stub: there, import it as undici/index.js'
    throw new TypeError(`dispatcher must be an undici dispatcher: it has no request method (${cure})`)
  }
  return {
    origin: base.origin,
    basePath: base.pathname,
    oauthPath: base.pathname.slice(0, -'/v1'.length),
    clientID,
    clientSecret,
    dispatcher,
    userAgent: readUserAgent(options.userAgent, USER_AGENT),
    exchangeMethod: readChoice('exchangeMethod', options.exchangeMethod, 'post', ['post', 'get']),
    timeout: readInteger('timeout', options.timeout, 10_000, 120_000),
    maxConnections: readInteger('maxConnections', options.maxConnections, 128, 10_000),
  }
}
