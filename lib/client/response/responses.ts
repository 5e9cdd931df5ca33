import { type Phase, SocialLoginError } from '../../errors'
import { MAX_ACCESS_TOKEN_LENGTH, MAX_NAME_LEVELS, MAX_NAMES } from '../../limits'
import { isFirewall, isPage, refusedByFirewall } from '../http/page'
import { badResponse, isFailed, type ProviderResponse, readExhaustedLimit } from '../http/response-reader'
import { isObject, type JSONObject, type JSONValue, ownProperty, parseJSON } from './json'
import { explainOthers, nameToShow } from './names'
import { parseUser, type UserRecord, type UserResponse } from './user'

/**
 * The provider's response to an exchange: the token, and whatever else it sent.
 * @example
 * const { access_token } = await client.exchangeAuthKey(authKey)
 */
export interface TokenResponse extends JSONObject {
  /** Authenticates API requests for one user and one application. Its lifetime is not specified: use it immediately. */
  access_token: string
}

export const ACCESS_TOKEN = new RegExp(String.raw`^[\x21-\x7e]{1,${MAX_ACCESS_TOKEN_LENGTH}}$`)

const PAGE_HINT =
  'The response was a page, not the API, or empty: maintenance, an outage, a ban of this machine, or a baseURL that is not the API.'

const REFUSED_BY_PAGE_HINT =
  'The refusal was a page: if it comes at every login, a firewall in front of the provider may refuse this machine, by its address or its userAgent.'

// For what is no JSON. Both read a text in linear time, even one with a string or a tag that never ends.
const STRING_OR_REST = /"(?:[^"\\]|\\.)*"?/gs
const TAG = /<\/?[a-z][^<]*>/i
// In a string of JSON, the quotes of an attribute would have backslashes.
const TAG_WITH_QUOTE = /<[a-z][^<>\\]*="/i
// PHP names functions in braces, such as {main}.
const JSON_START = /\{\s*["}]|\[\s*["{[\]]/
const OUTER_SPACE = /^[\t\n\r ]+|[\t\n\r ]+$/g
// What precedes JSON: it may be empty, so that it always matches at the beginning.
const COMMENTS = /(?:\s|\/\*.*?\*\/|<!--.*?-->|\/\/[^\n]*\n)*/s

// What a member `success` or `status` says when nothing went wrong.
const SUCCESS: ReadonlySet<unknown> = new Set([true, 1, 200, '1', '200', 'true', 'ok', 'success'])

const FAILURE: ReadonlySet<unknown> = new Set([false, 0, '0', 'false', 'error', 'fail', 'failed', 'failure'])
// What a member `error` or `errors` says then.
const NO_ERROR: ReadonlySet<unknown> = new Set([undefined, null, false, 0, '', '0', 'false', 'none'])

/** @throws SocialLoginError `auth_key_rejected`, `provider_rate_limited`, `provider_bad_response` */
export function readToken(response: ProviderResponse): TokenResponse {
  const body = tryParse(response.text)
  if (isFailed(response.status)) throw failedExchange(response, body)
  if (!isObject(body)) throw notJSON('exchange', response, 'The exchange must be answered with a JSON object.')
  // Deployed servers refuse with status 200 and {"error": true}.
  const value = isRefusal(body) ? '' : (ownProperty(body, 'access_token') ?? '')
  const token = typeof value === 'number' ? String(value) : value
  if (token === '') throw withoutToken(response, body)
  if (typeof token !== 'string' || !ACCESS_TOKEN.test(token)) {
    throw badResponse(
      'exchange',
      `The access_token must have 1 to ${MAX_ACCESS_TOKEN_LENGTH.toLocaleString('en')} visible ASCII characters.`,
    )
  }
  return Object.assign(body, { access_token: token })
}

const OTHER_TOKEN_NAME = /^(access[_-]?token|token)$/i
const OTHER_TOKEN =
  'The JSON has no access_token, but a token under another name, such as accessToken or token: the provider must call it access_token.'

/** A refused key is told by JSON, or by status 400, 401 or 403. Anything else says nothing of the key. */
function failedExchange(response: ProviderResponse, body: JSONValue | undefined): SocialLoginError {
  const { status } = response
  if (isOfFirewall(response)) return refusedByFirewall('exchange')
  if (status === 405) return badResponse('exchange', 'The authorize endpoint refuses this method: see exchangeMethod.')
  if (isObject(body) || status === 400 || status === 401 || status === 403)
    return refusal('auth_key_rejected', 'exchange', response)
  return badResponse(
    'exchange',
    'There seems to be no authorize endpoint at that address (or, on an old server, none for a POST: see exchangeMethod).',
  )
}

/** @throws SocialLoginError `profile_unauthorized`, `profile_invalid`, or `provider_*` */
export function readProfile(response: ProviderResponse, userRecord?: UserRecord): UserResponse {
  const { status, text } = response
  const body = tryParse(text)
  if (isRefusal(body)) throw refusal('profile_unauthorized', 'profile', response)
  if (isFailed(status)) throw failedProfile(response)
  if (body === undefined) throw notJSON('profile', response, 'The profile must be answered with JSON.')
  try {
    return parseUser(body, text, userRecord)
  } catch (error) {
    if (saysFailure(body)) throw refusal('profile_unauthorized', 'profile', response)
    throw error
  }
}

/** Whether JSON without a user tells of an error, although its status is a success. */
function saysFailure(body: JSONValue): boolean {
  if (!isObject(body)) return false
  const [error, errors] = ['error', 'errors'].map((name) => ownProperty(body, name))
  const isError = [error, errors].some((value) => (Array.isArray(value) ? value.length > 0 : !NO_ERROR.has(value)))
  return isError || ['success', 'ok', 'status'].some((name) => FAILURE.has(ownProperty(body, name)))
}

function failedProfile(response: ProviderResponse): SocialLoginError {
  const { status } = response
  if (isOfFirewall(response)) return refusedByFirewall('profile')
  if (status === 401 || status === 403) return refusal('profile_unauthorized', 'profile', response)
  return badResponse(
    'profile',
    'There seems to be no such profile endpoint: try another (user/me, get_user_info or auto).',
  )
}

function isRefusal(body: JSONValue | undefined): boolean {
  return isObject(body) && ownProperty(body, 'error') === true
}

/** The message of a refusal is text for people, and never read. */
function refusal(
  code: 'auth_key_rejected' | 'profile_unauthorized',
  phase: Phase,
  { headers, text }: ProviderResponse,
): SocialLoginError {
  const exhaustedLimit = readExhaustedLimit(headers)
  if (exhaustedLimit) return new SocialLoginError('provider_rate_limited', phase, exhaustedLimit)
  return new SocialLoginError(code, phase, isPage(text) ? { hint: REFUSED_BY_PAGE_HINT } : {})
}

/** JSON without a token at its top is a refusal, unless it says success or holds a token deeper down. */
function withoutToken(response: ProviderResponse, body: JSONObject): SocialLoginError {
  if (isRefusal(body)) return refusal('auth_key_rejected', 'exchange', response)
  const names = namesIn(body)
  const found = names.find((name) => name.endsWith('.access_token'))
  if (found)
    return badResponse(
      'exchange',
      `The access_token must be at the top of the JSON: it was at ${found}${explainOthers(found)}.`,
    )
  if (
    Object.entries(body).some(
      ([name, value]) => OTHER_TOKEN_NAME.test(name) && typeof value === 'string' && value !== '',
    )
  )
    return badResponse('exchange', OTHER_TOKEN)
  if (!saysSuccess(body)) return refusal('auth_key_rejected', 'exchange', response)
  const shown = [...new Set(names)].slice(0, MAX_NAMES).join(', ')
  return badResponse(
    'exchange',
    `The JSON tells of success and has no access_token, only: ${shown}${explainOthers(shown)}.`,
  )
}

function saysSuccess(body: JSONObject): boolean {
  const said = ['success', 'status'].map((name) => ownProperty(body, name))
  return ownProperty(body, 'error') === false || said.some((value) => SUCCESS.has(value))
}

/** The names of the members, those of inner objects with their path; never a value. */
function namesIn(object: JSONObject, path: readonly string[] = []): string[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const inner = [...path, nameToShow(name)]
    const further = isObject(value) && inner.length < MAX_NAME_LEVELS ? namesIn(value, inner) : []
    return [inner.join('.'), ...further]
  })
}

function isOfFirewall({ status, headers, text }: ProviderResponse): boolean {
  return isFirewall(status, headers, text)
}

function tryParse(text: string): JSONValue | undefined {
  try {
    return parseJSON(text)
  } catch {
    return undefined
  }
}

function notJSON(phase: Phase, response: ProviderResponse, hint: string): SocialLoginError {
  const { text } = response
  if (isOfFirewall(response)) return refusedByFirewall(phase, { retryable: true })
  if (isPage(text) || text.trim() === '')
    return new SocialLoginError('provider_bad_response', phase, { hint: PAGE_HINT, retryable: true })
  return badResponse(phase, `${hint} ${faultOf(response)}`.trim())
}

/** What is wrong with a text that should be JSON: kinds and counts, never a part of it. */
function faultOf({ text, headers }: ProviderResponse): string {
  const outer = tryParse(text)
  if (typeof outer === 'string' && isObject(tryParse(outer)))
    return 'It is JSON inside of a string: it was encoded twice.'
  const withoutComments = text.replace(COMMENTS, '')
  const offset = withoutComments.search(JSON_START)
  if (offset === -1) return 'It holds none.'
  const first = text.length - withoutComments.length + offset
  const last = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  const around = [text.slice(0, first), text.slice(last + 1)].map((part) => part.replace(OUTER_SPACE, ''))
  if (around.join('') !== '' && tryParse(text.slice(first, last + 1)) !== undefined) return faultAround(around)
  const isLabelled = String(headers['content-type']).includes('html')
  if (TAG_WITH_QUOTE.test(text)) return isLabelled ? `${HTML_INSIDE} ${REWRITTEN}` : HTML_INSIDE
  const outside = text.slice(first).replace(STRING_OR_REST, '')
  if (TAG.test(outside)) return HTML_INSIDE
  if (outside.split(/[[{]/).length > outside.split(/[\]}]/).length) return CUT_OFF
  return reasonOf(text)
}

const HTML_INSIDE = 'There is HTML inside of the JSON, such as a warning of PHP.'
const REWRITTEN =
  'It is labelled as a page, so something in between may have rewritten it, as Cloudflare makes links of e-mail addresses: the label should be application/json.'
const CUT_OFF =
  'It ends in the middle: was its Content-Length counted in characters instead of bytes, or has something in between cut it off?'

function faultAround([before = '', after = '']: readonly string[]): string {
  const all = before + after
  const marks = all.split('\ufeff').length - 1
  const what =
    marks === 0
      ? 'such as a warning of PHP or a comment'
      : `${marks === all.length ? 'all' : 'some'} of them byte order marks`
  return `There are ${before.length} characters before the JSON and ${after.length} behind it, ${what}.`
}

function reasonOf(text: string): string {
  try {
    parseJSON(text)
    return ''
  } catch (error) {
    // The messages of `parseJSON` are fixed text.
    return `It is ${Reflect.get(Object(error), 'message')}.`
  }
}
