import { SocialLoginError } from '../errors'
import { MAX_ACCESS_TOKEN_LENGTH, MAX_AUTH_KEY_LENGTH } from '../limits'
import type { Kind } from '../values'
import { warnOnce } from '../warnings'
import type { ProviderResponse } from './http/response-reader'
import { sendRequest } from './http/retry'
import type { ProviderRequest, RequestContext, Transport } from './http/transport'
import type { ClientSettings, ProfileEndpoint } from './options'
import { ACCESS_TOKEN, readProfile, readToken, type TokenResponse } from './response/responses'
import type { UserResponse } from './response/user'

export type { RequestContext } from './http/transport'

const AUTH_KEY = new RegExp(String.raw`^[\x21-\x7e]{1,${MAX_AUTH_KEY_LENGTH}}$`)

export const ACCESS_TOKEN_KIND: Kind = {
  must: `an access token: 1 to ${MAX_ACCESS_TOKEN_LENGTH.toLocaleString('en')} visible ASCII characters`,
  fits: (value) => typeof value === 'string',
  inRange: (value) => typeof value === 'string' && ACCESS_TOKEN.test(value),
}

type EndpointSettings = Omit<ClientSettings, 'timeout' | 'dispatcher' | 'maxConnections'>

/** The four endpoints of one provider. The requests of a login share one deadline. */
export class Endpoints {
  readonly #settings: EndpointSettings
  readonly #transport: Transport
  readonly #exchangeHeaders: Readonly<Record<string, string>>
  readonly #profileHeaders: Readonly<Record<string, string>>
  /** Where to send the browser to log in (specification, section 4.1). */
  readonly loginURL: string
  /** The form of an exchange, up to the value of the key. */
  readonly #exchangeForm: string
  /** Whether `auto` has found that only the legacy endpoint exists. */
  #isLegacyOnly = false

  constructor(settings: EndpointSettings, transport: Transport) {
    const { origin, oauthPath, authorizationURL, userAgent, exchangeMethod, clientID, clientSecret } = settings
    this.#settings = settings
    this.#transport = transport
    const headers = { 'user-agent': userAgent, accept: 'application/json', 'accept-encoding': 'identity' }
    const isForm = exchangeMethod === 'post'
    this.#exchangeHeaders = { ...headers, ...(isForm && { 'content-type': 'application/x-www-form-urlencoded' }) }
    // The specification requires this header although the requests have no body.
    this.#profileHeaders = { ...headers, 'content-type': 'application/json' }
    this.#exchangeForm = `${new URLSearchParams({ app_id: clientID, app_secret: clientSecret })}&auth_key=`
    const page = authorizationURL?.href ?? `${origin}${oauthPath}/oauth`
    this.loginURL = `${page}?${new URLSearchParams({ app_id: clientID })}`
    if (exchangeMethod === 'get') warnOnce('SECRET_IN_URL')
  }

  preconnect(): void {
    this.#transport.preconnect?.()
  }

  /** Exchanges a key for a token (specification, section 4.2). @throws SocialLoginError */
  async exchange(authKey: string, context: RequestContext): Promise<TokenResponse> {
    if (!isAuthKey(authKey)) throw new SocialLoginError('auth_key_malformed', 'exchange')
    return readExchange(await sendRequest(this.#transport, this.#exchangeRequest(authKey), 'exchange', context))
  }

  /** Reads the profile of the token's user (specification, sections 4.3 and 4.4). @throws SocialLoginError */
  async fetchProfile(endpoint: ProfileEndpoint, accessToken: string, context: RequestContext): Promise<UserResponse> {
    if (endpoint === 'auto') return this.#findProfile(accessToken, context)
    return this.#readProfile(await this.#requestProfile(endpoint, accessToken, context))
  }

  // A 404 of `user/me` may also mean that the user is gone, so only a profile from the legacy endpoint shows that it
  // is the one that exists. Without one, the next call begins at `user/me` again: the server may have been updated.
  async #findProfile(accessToken: string, context: RequestContext): Promise<UserResponse> {
    if (!this.#isLegacyOnly) {
      const response = await this.#requestProfile('user/me', accessToken, context)
      if (response.status !== 404) return this.#readProfile(response)
    }
    try {
      const user = this.#readProfile(await this.#requestProfile('get_user_info', accessToken, context))
      this.#isLegacyOnly = true
      return user
    } catch (error) {
      this.#isLegacyOnly = false
      throw error
    }
  }

  #readProfile(response: ProviderResponse): UserResponse {
    return readProfile(response, this.#settings.userRecord)
  }

  #exchangeRequest(authKey: string): ProviderRequest {
    const { origin, oauthPath, exchangeMethod } = this.#settings
    const path = `${oauthPath}/authorize`
    const form = this.#exchangeForm + encodeURIComponent(authKey)
    const headers = this.#exchangeHeaders
    // A GET, too, is not idempotent here: the provider exchanges a key once, and may have done so when it responds.
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
    return sendRequest(this.#transport, this.#profileRequest(endpoint, accessToken), 'profile', context)
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
}

function readExchange(response: ProviderResponse): TokenResponse {
  try {
    return readToken(response)
  } catch (error) {
    const refused = error instanceof SocialLoginError && error.code === 'auth_key_rejected'
    throw refused && response.retried ? refusedWhenRetried() : error
  }
}

/** The provider may have read the key from the connection that broke. */
function refusedWhenRetried(): SocialLoginError {
  const hint = 'The exchange had to be retried, and the provider refused the key on the retry: start the login again.'
  return new SocialLoginError('provider_unreachable', 'exchange', { hint })
}

export function isAuthKey(value: unknown): value is string {
  return typeof value === 'string' && AUTH_KEY.test(value)
}
