import { type Phase, SocialLoginError } from '../errors'
import { Deadline } from './deadline'
import { DispatcherTransport } from './http/dispatcher'
import { ProviderPool } from './http/pool'
import { type ProviderResponse, REQUEST_HEADERS, type RequestContext, sendRequest } from './http/request'
import { badResponse } from './http/response-reader'
import type { ProviderRequest, Transport } from './http/transport'
import { refusedWhenRetried } from './http/unreachable'
import { isObject, isTooComplex, type JSONObject, type JSONValue, ownProperty, parseJSON } from './json'
import { type ClientSettings, type ProfileEndpoint, readClientOptions, type SocialLoginClientOptions } from './options'
import { readUser, type SocialLoginUser, type UserResponse } from './user'

/**
 * Options of one call.
 *
 * @example
 * await client.getCurrentUser(accessToken, { signal: AbortSignal.timeout(2000) })
 */
export interface CallOptions {
  /** Aborts the call: it then rejects with the signal's reason (a `TimeoutError` becomes `provider_timeout`). */
  readonly signal?: AbortSignal
}

/**
 * The provider's response to an exchange: the token, and whatever else it sent.
 *
 * @example
 * const { access_token } = await client.exchangeAuthKey(authKey)
 */
export interface TokenResponse extends JSONObject {
  /** Authenticates API requests for one user and one application. Its lifetime is not specified: use it at once. */
  access_token: string
}

const EXCHANGE_HEADERS = { ...REQUEST_HEADERS, 'content-type': 'application/x-www-form-urlencoded' }
// The specification requires this header although the requests have no body.
const PROFILE_HEADERS = { ...REQUEST_HEADERS, 'content-type': 'application/json' }
const AUTH_KEY = /^[\x21-\x7e]{1,512}$/
const ACCESS_TOKEN = /^[\x21-\x7e]{1,4096}$/

/**
 * The provider's four endpoints without Passport, for any Node program. Every method rejects with a
 * {@link SocialLoginError}.
 *
 * @example
 * const client = new SocialLoginClient({ baseURL: 'https://social.example/api/v1', clientID, clientSecret })
 * const { access_token } = await client.exchangeAuthKey(authKey)
 * const user = await client.getCurrentUser(access_token)
 */
export class SocialLoginClient {
  readonly #settings: ClientSettings
  readonly #transport: Transport
  /** Undefined if the caller gave a dispatcher. */
  readonly #ownPool?: ProviderPool
  readonly #loginURL: string
  /** The form body of an exchange, up to the value of the key. */
  readonly #exchangeForm: string

  /** @throws TypeError naming the option that is wrong */
  constructor(options: SocialLoginClientOptions) {
    this.#settings = readClientOptions(options)
    const { origin, oauthPath, maxConnections, timeout } = this.#settings
    const { dispatcher, clientID, clientSecret } = options
    const limits = { connections: maxConnections, connectTimeout: timeout }
    if (dispatcher) this.#transport = new DispatcherTransport(dispatcher)
    else this.#transport = this.#ownPool = new ProviderPool(origin, limits)
    this.#exchangeForm = `${new URLSearchParams({ app_id: clientID, app_secret: clientSecret })}&auth_key=`
    this.#loginURL = `${origin}${oauthPath}/oauth?${new URLSearchParams({ app_id: clientID })}`
  }

  /** Where to send the browser to log in (specification, section 4.1). */
  loginURL(): string {
    return this.#loginURL
  }

  /**
   * Exchanges a one-time `auth_key` for an access token (specification, section 4.2). Retried only on a stale
   * kept-alive connection: if the retry is refused, the first request probably spent the key, and the outcome is
   * `provider_unreachable`.
   *
   * @throws SocialLoginError `auth_key_malformed` for a value that cannot be a key, `auth_key_rejected` when the
   *   provider grants
   *   no token, `provider_*` when it fails
   */
  exchangeAuthKey(authKey: string, options: CallOptions = {}): Promise<TokenResponse> {
    return this.#call(options, (context) => this.exchange(authKey, context))
  }

  /**
   * Reads the profile of the token's user from `{base_url}/user/me` (specification, section 4.3). Retried once after a
   * server error (5xx) or a failed connection, provided that, after any `Retry-After`, at least as much time is left
   * before the deadline as the first request took.
   *
   * @throws SocialLoginError `profile_unauthorized`, `profile_invalid`, or `provider_*`
   */
  async getCurrentUser(accessToken: string, options: CallOptions = {}): Promise<SocialLoginUser> {
    return (await this.fetchUser('user/me', accessToken, options)).user
  }

  /**
   * Reads the profile from the legacy endpoint `{oauth_base}/get_user_info` (specification, section 4.4). The token is
   * part of the URL and so ends up in the provider's logs: prefer {@link getCurrentUser}, which is the same otherwise.
   *
   * @throws SocialLoginError `profile_unauthorized`, `profile_invalid`, or `provider_*`
   */
  async getUserInfo(accessToken: string, options: CallOptions = {}): Promise<SocialLoginUser> {
    return (await this.fetchUser('get_user_info', accessToken, options)).user
  }

  /** {@link getCurrentUser} or {@link getUserInfo}, with the record as plain JSON and the text of the response. */
  fetchUser(endpoint: ProfileEndpoint, accessToken: string, options: CallOptions = {}): Promise<UserResponse> {
    return this.#call(options, (context) => this.fetchProfile(endpoint, accessToken, context))
  }

  /**
   * Opens a connection to the provider in the background for an expected login. The strategy does so at every start.
   * Never fails; keeps at most one spare connection.
   */
  preconnect(): void {
    this.#ownPool?.preconnect()
  }

  /** Closes the connections to the provider after pending calls have ended. Your own `dispatcher` stays open. */
  async close(): Promise<void> {
    await this.#ownPool?.close()
  }

  /** @internal {@link exchangeAuthKey} as part of a login, whose two requests share one deadline. */
  async exchange(authKey: string, context: RequestContext): Promise<TokenResponse> {
    if (!isAuthKey(authKey)) throw new SocialLoginError('auth_key_malformed', 'exchange')
    const { origin, oauthPath } = this.#settings
    const path = `${oauthPath}/authorize`
    const body = this.#exchangeForm + encodeURIComponent(authKey)
    const request = { origin, method: 'POST', path, headers: EXCHANGE_HEADERS, body } as const
    const response = await sendRequest(this.#transport, 'exchange', request, context)
    try {
      return readToken(response)
    } catch (error) {
      const refused = error instanceof SocialLoginError && error.code === 'auth_key_rejected'
      throw refused && response.retried ? refusedWhenRetried() : error
    }
  }

  /** @internal {@link fetchUser} as part of a login. */
  async fetchProfile(endpoint: ProfileEndpoint, accessToken: string, context: RequestContext): Promise<UserResponse> {
    // Without the check of the type, undefined would be tested, and sent, as the text "undefined".
    if (typeof accessToken !== 'string' || !ACCESS_TOKEN.test(accessToken))
      throw new SocialLoginError('profile_unauthorized', 'profile')
    const request = this.#profileRequest(endpoint, accessToken)
    return readProfile(await sendRequest(this.#transport, 'profile', request, context))
  }

  #profileRequest(endpoint: ProfileEndpoint, accessToken: string): ProviderRequest {
    const { origin, basePath, oauthPath } = this.#settings
    const get = { origin, method: 'GET', body: null } as const
    if (endpoint === 'user/me') {
      const headers = { ...PROFILE_HEADERS, authorization: `Bearer ${accessToken}` }
      return { ...get, path: `${basePath}/user/me`, headers }
    }
    const path = `${oauthPath}/get_user_info?access_token=${encodeURIComponent(accessToken)}`
    return { ...get, path, headers: PROFILE_HEADERS }
  }

  async #call<T>({ signal }: CallOptions, work: (context: RequestContext) => Promise<T>): Promise<T> {
    const deadline = new Deadline(this.#settings.timeout, signal)
    try {
      return await work({ deadline })
    } finally {
      deadline.clear()
    }
  }
}

function readToken({ status, text }: ProviderResponse): TokenResponse {
  const body = tryParse(text)
  if (status >= 400) throw refusedExchange(status, body)
  if (!isObject(body)) throw notJSON('exchange', text, 'The exchange must be answered with a JSON object.')
  // Deployed servers refuse with status 200 and {"error": true}.
  const token = ownProperty(body, 'error') === true ? '' : (ownProperty(body, 'access_token') ?? '')
  if (token === '') throw new SocialLoginError('auth_key_rejected', 'exchange')
  if (typeof token !== 'string' || !ACCESS_TOKEN.test(token)) {
    throw badResponse('exchange', 'The access_token must be a string of 1 to 4,096 visible ASCII characters.')
  }
  return { ...body, access_token: token }
}

/** A refusal is JSON or has status 400, 401 or 403; any other response comes from a server without this endpoint. */
function refusedExchange(status: number, body: unknown): SocialLoginError {
  const refused = isObject(body) || status === 400 || status === 401 || status === 403
  if (refused) return new SocialLoginError('auth_key_rejected', 'exchange')
  return badResponse('exchange', 'There seems to be no authorize endpoint at that address.')
}

function readProfile({ status, text }: ProviderResponse): UserResponse {
  const body = tryParse(text)
  if (status >= 400) throw refusedProfile(status, body)
  if (body === undefined) throw notJSON('profile', text, 'The profile must be answered with JSON.')
  return readUser(body, text)
}

function refusedProfile(status: number, body: unknown): SocialLoginError {
  const refused = (isObject(body) && ownProperty(body, 'error') === true) || status === 401 || status === 403
  if (refused) return new SocialLoginError('profile_unauthorized', 'profile')
  return badResponse('profile', 'There seems to be no such profile endpoint: see profileEndpoint.')
}

/** The parsed JSON, or undefined if the text is invalid. */
function tryParse(text: string): JSONValue | undefined {
  try {
    return parseJSON(text)
  } catch {
    return undefined
  }
}

function notJSON(phase: Phase, text: string, hint: string): SocialLoginError {
  const isComplex = /^\s*[[{]/.test(text) && isTooComplex(text)
  return badResponse(
    phase,
    isComplex ? 'The JSON of the response has more than 500 values, or is nested too deeply.' : hint,
  )
}

/** Whether the value can be an `auth_key`. Deployed servers use 32 hexadecimal digits; nothing promises that. */
export function isAuthKey(value: unknown): value is string {
  return typeof value === 'string' && AUTH_KEY.test(value)
}
