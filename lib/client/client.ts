import type { Phase } from '../errors'
import { checkArguments, object, oneOf, optional, parseFor, string, withMethods } from '../values'
import { Deadline } from './deadline'
import { ACCESS_TOKEN_KIND, Endpoints, type RequestContext } from './endpoints'
import { outcomeOf } from './http/network-errors'
import { nodeNetwork } from './http/pools'
import type { Transports } from './http/transport'
import { type ClientSettings, type ProfileEndpoint, parseClientOptions, type SocialLoginClientOptions } from './options'
import type { TokenResponse } from './response/responses'
import type { SocialLoginUser, UserResponse } from './response/user'
import { Semaphore } from './semaphore'

/**
 * Options of one call.
 * @example
 * await client.getCurrentUser(accessToken, { signal: AbortSignal.timeout(2000) })
 */
export interface CallOptions {
  /** Aborts the call: it then rejects with the signal's reason (a `TimeoutError` becomes `provider_timeout`). */
  readonly signal?: AbortSignal
}

const OPTIONS = object('an object of options', { signal: optional(withMethods('an AbortSignal', 'throwIfAborted')) })
const EXCHANGE = { authKey: string, options: OPTIONS }
const FETCH_USER = {
  endpoint: oneOf('user/me', 'get_user_info', 'auto'),
  accessToken: ACCESS_TOKEN_KIND,
  options: OPTIONS,
}
const GET_USER = { accessToken: ACCESS_TOKEN_KIND, options: OPTIONS }

/**
 * The provider's four endpoints without Passport, for any Node program. Its promises reject with `SocialLoginError`, or with
 * a `TypeError` or `RangeError` for wrong arguments.
 * @example
 * const client = new SocialLoginClient({ baseURL: 'https://social.example/api/v1', clientID, clientSecret })
 * const { access_token } = await client.exchangeAuthKey(authKey)
 * const user = await client.getCurrentUser(access_token)
 */
export class SocialLoginClient {
  readonly #settings: ClientSettings
  readonly #transports: Transports
  readonly #endpoints: Endpoints
  /** One slot for each call under way (`maxConnections`). */
  readonly #calls: Semaphore
  #closing: Promise<void> | undefined

  /** @throws TypeError naming the option that is wrong */
  constructor(options: SocialLoginClientOptions) {
    const settings = parseFor(SocialLoginClient, () => parseClientOptions(options))
    this.#settings = settings
    this.#transports = nodeNetwork.openTransports({ ...settings, allowPrivateAddresses: true, maxPools: 1 })
    this.#endpoints = new Endpoints(settings, this.#transports.transportTo(settings.origin))
    this.#calls = new Semaphore(settings.maxConnections)
  }

  /** Where to send the browser to log in (specification, section 4.1). */
  loginURL(): string {
    return this.#endpoints.loginURL
  }

  /**
   * Exchanges a one-time `auth_key` for an access token (specification, section 4.2). It is sent again once if its
   * connection closes before the response begins (not with your own `dispatcher`). If the retry is refused, the first
   * request probably spent the key, and the outcome is `provider_unreachable`.
   * @throws SocialLoginError `auth_key_malformed` for a text that cannot be a key, `auth_key_rejected` when the
   * provider grants no token, `provider_*` when it fails
   * @throws TypeError or RangeError for wrong arguments, before anything is sent
   */
  async exchangeAuthKey(authKey: string, options: CallOptions = {}): Promise<TokenResponse> {
    checkArguments('exchangeAuthKey', EXCHANGE, [authKey, options])
    return this.#call('exchange', options, (context) => this.#endpoints.exchange(authKey, context))
  }

  /**
   * Reads the profile of the token's user from `{base_url}/user/me` (specification, section 4.3). It is retried immediately
   * if the connection closed before the response began. After a server error (5xx) or a failed connection, it is
   * retried if, after any `Retry-After`, at least as much time is left before the deadline as the last request took.
   * @throws SocialLoginError `profile_unauthorized`, `profile_invalid`, or `provider_*`
   * @throws TypeError or RangeError for wrong arguments, before anything is sent
   */
  async getCurrentUser(accessToken: string, options: CallOptions = {}): Promise<SocialLoginUser> {
    checkArguments('getCurrentUser', GET_USER, [accessToken, options])
    return (await this.fetchUser('user/me', accessToken, options)).user
  }

  /**
   * Reads the profile from the legacy endpoint `{oauth_base}/get_user_info` (specification, section 4.4). The token is
   * part of the URL and so ends up in the provider's logs. Prefer {@link getCurrentUser}, which is otherwise the same.
   * @throws SocialLoginError `profile_unauthorized`, `profile_invalid`, or `provider_*`
   * @throws TypeError or RangeError for wrong arguments, before anything is sent
   */
  async getUserInfo(accessToken: string, options: CallOptions = {}): Promise<SocialLoginUser> {
    checkArguments('getUserInfo', GET_USER, [accessToken, options])
    return (await this.fetchUser('get_user_info', accessToken, options)).user
  }

  /**
   * {@link getCurrentUser}, {@link getUserInfo} or either (`auto`), with the record as JSON and the response as text.
   * @throws as these
   */
  async fetchUser(endpoint: ProfileEndpoint, accessToken: string, options: CallOptions = {}): Promise<UserResponse> {
    checkArguments('fetchUser', FETCH_USER, [endpoint, accessToken, options])
    return this.#call('profile', options, (context) => this.#endpoints.fetchProfile(endpoint, accessToken, context))
  }

  /** Opens a spare connection in the background, at most one, as the strategy does at each start. Never fails. */
  preconnect(): void {
    this.#endpoints.preconnect()
  }

  /** Closes the connections to the provider after pending calls have ended. Your own `dispatcher` stays open. */
  close(): Promise<void> {
    if (!this.#settings.dispatcher) this.#closing ??= this.#closeConnections()
    return this.#closing ?? Promise.resolve()
  }

  async #closeConnections(): Promise<void> {
    await this.#calls.close()
    return this.#transports.close()
  }

  async #call<T>(phase: Phase, { signal }: CallOptions, work: (context: RequestContext) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new Error('This SocialLoginClient is closed: make a new one')
    const deadline = new Deadline(this.#settings.timeout, signal)
    try {
      return await this.#calls.run(deadline, () => work({ deadline }))
    } catch (error) {
      throw outcomeOf(error, phase, deadline)
    } finally {
      deadline.clear()
    }
  }
}
