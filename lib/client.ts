import { badResponse } from './answer-reader'
import { isAuthKey } from './auth-key'
import { Deadline } from './deadline'
import { type Phase, SocialLoginError } from './errors'
import { type AskContext, ask, type ProviderAnswer, REQUEST_HEADERS } from './http'
import { isObject, isTooComplex, type JSONObject, member, parseJSON, toJSONObject } from './json'
import { type ClientSettings, type ProfileEndpoint, readClientOptions, type SocialLoginClientOptions } from './options'
import { readUser, type SocialLoginUser, type UserAnswer } from './profile'
import { ProviderPool } from './provider-pool'
import { CallerDispatcher, type Transport, type TransportRequest } from './transport'
import { refusedWhenRepeated } from './unreachable'

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

/** A call within a login, which has one deadline over its exchange and its profile request. */
export class LoginCall implements CallOptions, AskContext {
  readonly deadline: Deadline
  readonly onRepeat: () => void

  constructor(deadline: Deadline, onRepeat: () => void) {
    this.deadline = deadline
    this.onRepeat = onRepeat
  }

  get signal(): AbortSignal {
    return this.deadline.signal
  }
}

/**
 * The provider's answer to an exchange: the token, and whatever else it sent.
 *
 * @example
 * const { access_token } = await client.exchangeAuthKey(authKey)
 */
export interface TokenAnswer extends JSONObject {
  /** Authenticates API requests for one user and one application. Its lifetime is not specified: use it at once. */
  access_token: string
}

const EXCHANGE_HEADERS = { ...REQUEST_HEADERS, 'content-type': 'application/x-www-form-urlencoded' }
// The specification asks for the type of a body that these requests do not have.
const PROFILE_HEADERS = { ...REQUEST_HEADERS, 'content-type': 'application/json' }
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
  /** Undefined where the caller gave a dispatcher. */
  readonly #ownPool?: ProviderPool
  readonly #loginURL: string
  /** The form of an exchange up to the key. */
  readonly #exchangeForm: string

  /** @throws TypeError naming the option that is wrong */
  constructor(options: SocialLoginClientOptions) {
    this.#settings = readClientOptions(options)
    const { origin, oauthPath, maxConnections, timeout } = this.#settings
    const { dispatcher, clientID, clientSecret } = options
    const limits = { connections: maxConnections, connectTimeout: timeout }
    if (dispatcher) this.#transport = new CallerDispatcher(dispatcher)
    else this.#transport = this.#ownPool = new ProviderPool(origin, limits)
    this.#exchangeForm = `${new URLSearchParams({ app_id: clientID, app_secret: clientSecret })}&auth_key=`
    this.#loginURL = `${origin}${oauthPath}/oauth?${new URLSearchParams({ app_id: clientID })}`
  }

  /** Where to send the browser to log in (specification, section 4.1). */
  loginURL(): string {
    return this.#loginURL
  }

  /**
   * Exchanges a one-time `auth_key` for an access token (specification, section 4.2). Sent again only if it met a
   * stale kept-alive connection: a key that is then refused was spent by the first sending, and the outcome is
   * `provider_unreachable`.
   *
   * @throws SocialLoginError `auth_key_malformed` for what cannot be a key, `auth_key_rejected` when the provider grants
   *   no token, `provider_*` when it fails
   */
  async exchangeAuthKey(authKey: string, options: CallOptions = {}): Promise<TokenAnswer> {
    if (!isAuthKey(authKey)) throw new SocialLoginError('auth_key_malformed', 'exchange')
    const { origin, oauthPath } = this.#settings
    const path = `${oauthPath}/authorize`
    const body = this.#exchangeForm + encodeURIComponent(authKey)
    const request = { origin, method: 'POST', path, headers: EXCHANGE_HEADERS, body } as const
    const answer = await this.#ask('exchange', request, options)
    try {
      return readToken(answer)
    } catch (error) {
      const refused = error instanceof SocialLoginError && error.code === 'auth_key_rejected'
      throw refused && answer.repeated ? refusedWhenRepeated() : error
    }
  }

  /**
   * Reads the profile of the token's user from `{base_url}/user/me` (specification, section 4.3). Reading changes
   * nothing at the provider: the request is sent once more when the first is answered with a server error (5xx) or its
   * connection fails, if the deadline leaves as much time as the first one took, after the `Retry-After` that came with it.
   *
   * @throws SocialLoginError `profile_unauthorized`, `profile_invalid`, or `provider_*`
   */
  async getCurrentUser(accessToken: string, options: CallOptions = {}): Promise<SocialLoginUser> {
    return (await this.fetchUser('user/me', accessToken, options)).user
  }

  /**
   * Reads the profile from the legacy endpoint `{oauth_base}/get_user_info` (specification, section 4.4). The token
   * travels in the URL, where the provider's logs keep it: prefer {@link getCurrentUser}, which it is like otherwise.
   *
   * @throws SocialLoginError `profile_unauthorized`, `profile_invalid`, or `provider_*`
   */
  async getUserInfo(accessToken: string, options: CallOptions = {}): Promise<SocialLoginUser> {
    return (await this.fetchUser('get_user_info', accessToken, options)).user
  }

  /** {@link getCurrentUser} or {@link getUserInfo}, with the record as plain JSON and the answer's text beside it. */
  async fetchUser(endpoint: ProfileEndpoint, accessToken: string, options: CallOptions = {}): Promise<UserAnswer> {
    // A RegExp reads undefined as "undefined", and so would the provider.
    if (typeof accessToken !== 'string' || !ACCESS_TOKEN.test(accessToken))
      throw new SocialLoginError('profile_unauthorized', 'profile')
    const { origin, basePath, oauthPath } = this.#settings
    const inHeader = endpoint === 'user/me'
    const path = inHeader
      ? `${basePath}/user/me`
      : `${oauthPath}/get_user_info?access_token=${encodeURIComponent(accessToken)}`
    const headers = inHeader ? { ...PROFILE_HEADERS, authorization: `Bearer ${accessToken}` } : PROFILE_HEADERS
    const answer = await this.#ask('profile', { origin, method: 'GET', path, headers, body: null }, options)
    return readProfile(answer)
  }

  /**
   * Opens a connection to the provider in the background, for a login that is about to come. The strategy does so at
   * every start. Never fails; opens at most one ahead.
   */
  prepare(): void {
    this.#ownPool?.prepare()
  }

  /** Closes the connections to the provider; calls under way end first. A `dispatcher` of yours stays open. */
  async close(): Promise<void> {
    await this.#ownPool?.close()
  }

  async #ask(phase: Phase, request: TransportRequest, options: CallOptions): Promise<ProviderAnswer> {
    if (options instanceof LoginCall) return ask(this.#transport, phase, request, options)
    const deadline = new Deadline(this.#settings.timeout, options.signal)
    try {
      return await ask(this.#transport, phase, request, { deadline })
    } finally {
      deadline.clear()
    }
  }
}

function readToken({ status, text }: ProviderAnswer): TokenAnswer {
  const answer = tryParse(text)
  if (status >= 400) throw refusedExchange(status, answer)
  if (!isObject(answer)) throw notJSON('exchange', text, 'The exchange must be answered with a JSON object.')
  // Deployed servers refuse with status 200 and {"error": true}.
  const token = member(answer, 'error') === true ? '' : (member(answer, 'access_token') ?? '')
  if (token === '') throw new SocialLoginError('auth_key_rejected', 'exchange')
  if (typeof token !== 'string' || !ACCESS_TOKEN.test(token)) {
    throw badResponse('exchange', 'The access_token must be a string of 1 to 4,096 visible ASCII characters.')
  }
  return { ...toJSONObject(answer), access_token: token }
}

/** A server that knows the endpoint refuses in JSON or with 400, 401 or 403; others do not know the endpoint. */
function refusedExchange(status: number, answer: unknown): SocialLoginError {
  const refused = isObject(answer) || status === 400 || status === 401 || status === 403
  if (refused) return new SocialLoginError('auth_key_rejected', 'exchange')
  return badResponse('exchange', 'There seems to be no authorize endpoint beside that address.')
}

function readProfile({ status, text }: ProviderAnswer): UserAnswer {
  const answer = tryParse(text)
  if (status >= 400) throw refusedProfile(status, answer)
  if (answer === undefined) throw notJSON('profile', text, 'The profile must be answered with JSON.')
  return readUser(answer, text)
}

function refusedProfile(status: number, answer: unknown): SocialLoginError {
  const refused = (isObject(answer) && member(answer, 'error') === true) || status === 401 || status === 403
  if (refused) return new SocialLoginError('profile_unauthorized', 'profile')
  return badResponse('profile', 'There seems to be no such profile endpoint: see profileEndpoint.')
}

/** What the text holds as JSON, or undefined (which is no JSON value). */
function tryParse(text: string): unknown {
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
    isComplex ? 'The JSON of the answer has more than 500 values, or is nested too deeply.' : hint,
  )
}
