import { DEFAULT_CONNECTIONS, DEFAULT_TIMEOUT_MS, MAX_CONNECTIONS, MAX_TIMEOUT_MS } from '../limits'
import {
  choice,
  integer,
  type OptionTable,
  type ParsedOptions,
  parseBoolean,
  parseFunction,
  parseOptions,
  parseText,
  refuseUnknown,
} from '../values'
import type { RequestDispatcher } from './http/transport'
import type { UserRecord } from './response/user'
import { parseBaseURL, parsePageURL, parseUserAgent } from './url-options'

/**
 * Which endpoint the profile is read from: `user/me` (specification, section 4.3), the legacy `get_user_info` (section
 * 4.4), or `auto`: the first, and where it does not exist (404) the second, with the same token. Once the second has
 * answered with a profile, the client requests it first, until it answers without one. At the legacy endpoint the token
 * is part of the URL, and so ends up in the provider's logs.
 * @example
 * const profileEndpoint: ProfileEndpoint = 'get_user_info' // a server that answers 404 to /v1/user/me
 */
export type ProfileEndpoint = 'user/me' | 'get_user_info' | 'auto'

/**
 * How a key is exchanged: by a POST with a form (section 4.2 of the specification), or by a GET with a query, as
 * servers up to about version 3.13 demand. By GET, the application secret is part of a URL, and so ends up in the
 * provider's logs.
 * @example
 * const exchangeMethod: ExchangeMethod = 'get' // a server that answers "invalid app_id" to a POST
 */
export type ExchangeMethod = 'post' | 'get'

/**
 * Options of the `SocialLoginClient`.
 * @example
 * new SocialLoginClient({ baseURL: 'https://social.example/api/v1', clientID, clientSecret, timeout: 5000 })
 */
export interface SocialLoginClientOptions {
  /**
   * `{base_url}` of the specification (section 1): the root of the versioned API, ending in `/v1`. The part before that
   * is `{oauth_base}`, the root of the login and authorize endpoints. `https`, or `http` on a loopback host.
   */
  readonly baseURL: string
  /**
   * The login page as browsers reach it (specification, section 4.1). Default `{oauth_base}/oauth`. For a provider that
   * browsers reach at a different address than the server does, as between containers.
   */
  readonly authorizationURL?: string | undefined
  /** The application id (`app_id`), from the provider's dashboard. */
  readonly clientID: string
  /** The application secret (`app_secret`). Sent only to the authorize endpoint. */
  readonly clientSecret: string
  /** The `User-Agent` of every request, which firewalls demand. Default `passport-social-login/VERSION`. */
  readonly userAgent?: string | undefined
  /** Default `post`. `get` is for servers that refuse POST, and puts the secret into a URL. Never tried by itself. */
  readonly exchangeMethod?: ExchangeMethod | undefined
  /**
   * Milliseconds for a whole call, connection and body included. Default 10,000; 1 to 120,000. While a connection
   * cannot be opened, it is tried again for a part of this.
   */
  readonly timeout?: number | undefined
  /**
   * Maximum of calls under way, and so of connections to the provider, besides one spare. Default 128; 1 to 10,000.
   */
  readonly maxConnections?: number | undefined
  /**
   * The dispatcher to use instead of the built-in pool, for a proxy, a custom CA or a mock. You close it. Only its
   * `request` method is called: dispatchers of undici 6, 7 and 8 work.
   */
  readonly dispatcher?: RequestDispatcher | undefined
  /** Allows plain `http` beyond loopback: anyone who reads the traffic sees secret, keys and tokens. Default false. */
  readonly allowInsecureHTTP?: boolean | undefined
  /**
   * Returns the user's record from the JSON of a profile endpoint. Default: the whole JSON, or its member `user_info`
   * or `data`, whichever has a `user_id`.
   */
  readonly userRecord?: UserRecord | undefined
}

/** It is a constant, so that bundled applications need no package.json; a test compares the two. */
export const USER_AGENT = 'passport-social-login/1.0.0-rc.2'

type ClientProviderOptions = Pick<
  SocialLoginClientOptions,
  'baseURL' | 'authorizationURL' | 'clientID' | 'clientSecret' | 'exchangeMethod'
>

export const CLIENT_PROVIDER_OPTIONS = {
  baseURL: parseBaseURL,
  authorizationURL: parsePageURL,
  clientID: parseText,
  clientSecret: parseText,
  exchangeMethod: choice<ExchangeMethod>('post', 'get'),
} as const satisfies OptionTable<ClientProviderOptions>

export const CLIENT_SHARED_OPTIONS = {
  userAgent: (value = USER_AGENT, name) => parseUserAgent(value, name),
  timeout: integer(DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS),
  dispatcher: parseDispatcher,
  allowInsecureHTTP: parseBoolean,
  userRecord: parseFunction<UserRecord | undefined>,
} as const satisfies OptionTable<Omit<SocialLoginClientOptions, keyof ClientProviderOptions | 'maxConnections'>>

export const CLIENT_OPTIONS = {
  ...CLIENT_PROVIDER_OPTIONS,
  ...CLIENT_SHARED_OPTIONS,
  maxConnections: integer(DEFAULT_CONNECTIONS, MAX_CONNECTIONS),
}

/** Options of the strategy, which the client does not have. */
const INSTEAD_OF = { profileEndpoint: 'give it to fetchUser()', uploadsURL: 'give it to toProfile()' }

type Parsed = ParsedOptions<typeof CLIENT_OPTIONS>

export interface ClientSettings
  extends Omit<Parsed, 'baseURL' | 'allowInsecureHTTP'>,
    ReturnType<typeof parseBaseURL> {}

/** @throws TypeError naming the option that is wrong, never its value */
export function parseClientOptions(options: SocialLoginClientOptions): ClientSettings {
  refuseUnknown('SocialLoginClient', options, Object.keys(CLIENT_OPTIONS), INSTEAD_OF)
  const { baseURL, ...others } = parseOptions(CLIENT_OPTIONS, options)
  return { ...others, ...baseURL }
}

function parseDispatcher(value: RequestDispatcher | undefined, name: string): RequestDispatcher | undefined {
  if (value === undefined || typeof value?.request === 'function') return value
  const cure = 'Bun replaces undici by a stub: there, import it as undici/index.js'
  throw new TypeError(`${name} must be an undici dispatcher: it has no request method (${cure})`)
}
