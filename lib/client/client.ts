import { SocialLoginError } from '../errors'
import { Deadline } from './deadline'
import { DispatcherTransport } from './http/dispatcher'
import { ProviderPool } from './http/pool'
import { type ProviderResponse, type RequestContext, sendRequest } from './http/request'
import type { ProviderRequest, Transport } from './http/transport'
import { refusedWhenRetried } from './http/unreachable'
import { type ClientSettings, type ProfileEndpoint, readClientOptions, type SocialLoginClientOptions } from './options'
import { ACCESS_TOKEN, readProfile, readToken, type TokenResponse } from './responses'
import type { SocialLoginUser, UserResponse } from './user'

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

const AUTH_KEY = /^[\x21-\x7e]{1,512}$/

/**
 * The provider's four endpoints without Passport, for any Node program. Every method that returns a promise rejects with
 * a {@link SocialLoginError}.
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
  /** No encoding is negotiated. */
  readonly #exchangeHeaders: Readonly<Record<string, string>>
  readonly #profileHeaders: Readonly<Record<string, string>>
  readonly #loginURL: string
  /** The form of an exchange, up to the value of the key. */
  readonly #exchangeForm: string
  /** Whether `auto` has found that only the legacy endpoint exists. */
  #isLegacyOnly = false

  /** @throws TypeError naming the option that is wrong */
  constructor(options: SocialLoginClientOptions) {
    this.#settings = readClientOptions(options)
    const { origin, oauthPath, maxConnections, timeout, userAgent, exchangeMethod } = this.#settings
    const { dispatcher, clientID, clientSecret } = options
    const limits = { connections: maxConnections, connectTimeout: timeout }
    if (dispatcher) this.#transport = new DispatcherTransport(dispatcher)
    else this.#transport = this.#ownPool = new ProviderPool(origin, limits)
    const headers = { 'user-agent': userAgent, accept: 'application/json', 'accept-encoding': 'identity' }
    const isForm = exchangeMethod === 'post'
    this.#exchangeHeaders = { ...headers, ...(isForm && { 'content-type': 'application/x-www-form-urlencoded' }) }
    // The specification requires this header although the requests have no body.
    this.#profileHeaders = { ...headers, 'content-type': 'application/json' }
    this.#exchangeForm = `${new URLSearchParams({ app_id: clientID, app_secret: clientSecret })}&auth_key=`
    this.#loginURL = `${origin}${oauthPath}/oauth?${new URLSearchParams({ app_id: clientID })}`
    if (exchangeMethod === 'get') warnOfSecretInURL()
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

  /**
   * {@link getCurrentUser}, {@link getUserInfo}, or whichever exists (`auto`), with the record as plain JSON and the text
   * of the response.
   */
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

  /** @internal {@link exchangeAuthKey} as part of a login, whose requests share one deadline. */
  async exchange(authKey: string, context: RequestContext): Promise<TokenResponse> {
    if (!isAuthKey(authKey)) throw new SocialLoginError('auth_key_malformed', 'exchange')
    const response = await sendRequest(this.#transport, 'exchange', this.#exchangeRequest(authKey), context)
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
    if (endpoint === 'auto') return this.#findProfile(accessToken, context)
    return readProfile(await this.#requestProfile(endpoint, accessToken, context))
  }

  /**
   * A 404 of `user/me` may also mean that the person is gone, so the legacy endpoint decides, and only its profile shows
   * that it is the one that exists. Without one, the next call begins at `user/me` again: the server may have been
   * updated.
   */
  async #findProfile(accessToken: string, context: RequestContext): Promise<UserResponse> {
    if (!this.#isLegacyOnly) {
      const response = await this.#requestProfile('user/me', accessToken, context)
      if (response.status !== 404) return readProfile(response)
    }
    try {
      const user = readProfile(await this.#requestProfile('get_user_info', accessToken, context))
      this.#isLegacyOnly = true
      return user
    } catch (error) {
      this.#isLegacyOnly = false
      throw error
    }
  }

  #exchangeRequest(authKey: string): ProviderRequest {
    const { origin, oauthPath, exchangeMethod } = this.#settings
    const path = `${oauthPath}/authorize`
    const form = this.#exchangeForm + encodeURIComponent(authKey)
    const headers = this.#exchangeHeaders
    // By GET, too: the provider exchanges a key once.
    const idempotent = false
    if (exchangeMethod === 'get')
      return { origin, method: 'GET', path: `${path}?${form}`, headers, body: null, idempotent }
    return { origin, method: 'POST', path, headers, body: form, idempotent }
  }

  #requestProfile(
    endpoint: Exclude<ProfileEndpoint, 'auto'>,
    accessToken: string,
    context: RequestContext,
  ): Promise<ProviderResponse> {
    return sendRequest(this.#transport, 'profile', this.#profileRequest(endpoint, accessToken), context)
  }

  #profileRequest(endpoint: Exclude<ProfileEndpoint, 'auto'>, accessToken: string): ProviderRequest {
    const { origin, basePath, oauthPath } = this.#settings
    const isLegacy = endpoint === 'get_user_info'
    const path = isLegacy
      ? `${oauthPath}/get_user_info?access_token=${encodeURIComponent(accessToken)}`
      : `${basePath}/user/me`
    const headers = isLegacy
      ? this.#profileHeaders
      : { ...this.#profileHeaders, authorization: `Bearer ${accessToken}` }
    return { origin, method: 'GET', path, headers, body: null, idempotent: true }
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

/** Whether the value can be an `auth_key`. Deployed servers use 32 hexadecimal digits; nothing promises that. */
export function isAuthKey(value: unknown): value is string {
  return typeof value === 'string' && AUTH_KEY.test(value)
}

let hasWarnedOfSecretInURL = false

/** Once per process, not per client. */
function warnOfSecretInURL(): void {
  if (hasWarnedOfSecretInURL) return
  hasWarnedOfSecretInURL = true
  process.emitWarning(
    "exchangeMethod 'get' sends the application secret in a URL, which servers, proxies and tracing tools write to their logs: use it only with a provider that refuses a POST, and renew the secret when the provider has been updated.",
    { type: 'SocialLoginWarning', code: 'SECRET_IN_URL' },
  )
}
