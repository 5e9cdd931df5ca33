import { type Phase, SocialLoginError } from '../errors'
import { FIREWALL_HINT, firewallPage, isFirewallStatus } from './http/page'
import { badResponse, type ProviderResponse } from './http/response-reader'
import { isObject, type JSONObject, type JSONValue, ownProperty, parseJSON } from './json'
import { readUser, type UserRecord, type UserResponse } from './user'

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

/** What an `access_token` can be. */
export const ACCESS_TOKEN = /^[\x21-\x7e]{1,4096}$/

const PAGE_HINT =
  'The response was a page, not the API, or empty: maintenance, an outage, a ban of this machine, or a baseURL that is not the API.'

/**
 * Reads the response to an exchange.
 *
 * @throws SocialLoginError `auth_key_rejected`, `provider_rate_limited`, `provider_bad_response`
 */
export function readToken(response: ProviderResponse): TokenResponse {
  const body = tryParse(response.text)
  if (response.status >= 400) throw failedExchange(response, body)
  if (!isObject(body)) throw notJSON('exchange', response, 'The exchange must be answered with a JSON object.')
  // Deployed servers refuse with status 200 and {"error": true}.
  const value = isRefusal(body) ? '' : (ownProperty(body, 'access_token') ?? '')
  const token = typeof value === 'number' ? String(value) : value
  if (token === '') throw refusal('auth_key_rejected', 'exchange', response)
  if (typeof token !== 'string' || !ACCESS_TOKEN.test(token)) {
    throw badResponse('exchange', 'The access_token must have 1 to 4,096 visible ASCII characters.')
  }
  return { ...body, access_token: token }
}

/** A refused key is told by JSON, or by status 400, 401 or 403 without a page. The rest is no answer about the key. */
function failedExchange(response: ProviderResponse, body: JSONValue | undefined): SocialLoginError {
  const { status, isPage } = response
  if (isPage && isFirewallStatus(status)) return firewallPage('exchange', { retryable: false })
  if (status === 405) return badResponse('exchange', 'The authorize endpoint refuses this method: see exchangeMethod.')
  if (isObject(body) || status === 400 || status === 401 || status === 403)
    return refusal('auth_key_rejected', 'exchange', response)
  return badResponse(
    'exchange',
    'There seems to be no authorize endpoint at that address (or, on an old server, none for a POST: see exchangeMethod).',
  )
}

/**
 * Reads the response of a profile endpoint.
 *
 * @throws SocialLoginError `profile_unauthorized`, `profile_invalid`, `provider_rate_limited`, `provider_bad_response`
 */
export function readProfile(response: ProviderResponse, userRecord?: UserRecord): UserResponse {
  const { status, text } = response
  const body = tryParse(text)
  if (isRefusal(body)) throw refusal('profile_unauthorized', 'profile', response)
  if (status >= 400) throw failedProfile(response)
  if (body === undefined) throw notJSON('profile', response, 'The profile must be answered with JSON.')
  return readUser(body, text, userRecord)
}

function failedProfile(response: ProviderResponse): SocialLoginError {
  const { status, isPage } = response
  if (status === 401 || status === 403) return refusal('profile_unauthorized', 'profile', response)
  if (isPage && isFirewallStatus(status)) return firewallPage('profile', { retryable: false })
  return badResponse(
    'profile',
    'There seems to be no such profile endpoint: try another (user/me, get_user_info or auto).',
  )
}

function isRefusal(body: JSONValue | undefined): boolean {
  return isObject(body) && ownProperty(body, 'error') === true
}

/** The outcome of a refused key or token: the message of a refusal is text for people, and never read. */
function refusal(
  code: 'auth_key_rejected' | 'profile_unauthorized',
  phase: Phase,
  { exhaustedLimit, isPage }: ProviderResponse,
): SocialLoginError {
  if (exhaustedLimit) return new SocialLoginError('provider_rate_limited', phase, exhaustedLimit)
  return new SocialLoginError(code, phase, isPage ? { hint: FIREWALL_HINT } : {})
}

/** The parsed JSON, or undefined if the text is invalid. */
function tryParse(text: string): JSONValue | undefined {
  try {
    return parseJSON(text)
  } catch {
    return undefined
  }
}

function notJSON(phase: Phase, { text, isPage }: ProviderResponse, hint: string): SocialLoginError {
  if (isPage || text.trim() === '')
    return new SocialLoginError('provider_bad_response', phase, { hint: PAGE_HINT, retryable: true })
  return badResponse(phase, `${hint} It may have no duplicate names, and at most 33 levels.`)
}
