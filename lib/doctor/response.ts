import { isFirewall, isPage } from '../client/http/page'
import { isFailed, type ProviderResponse } from '../client/http/response-reader'
import { isObject, type JSONObject, ownProperty } from '../client/response/json'
import { nameToShow } from '../client/response/names'
import { ACCESS_TOKEN } from '../client/response/responses'
import { resolveLocation } from '../client/url'
import { OUTCOMES, SocialLoginError, withoutAddress } from '../errors'
import type { Examination } from './examination'
import type { ProbeResponse } from './probe'

// A refusal in words is short.
const MAX_WORDS = 1000
const MAX_MEMBERS = 12

/** What a response of an endpoint is. */
export type ResponseKind =
  | 'refusal' // JSON that refuses the request
  | 'plain-refusal' // another status from 400 to 499 without JSON
  | 'data' // other JSON
  | 'words' // a short text or nothing, with a status of success
  | 'missing' // 404 or 410
  | 'method' // 405, another method is wanted
  | 'firewall' // by its marks
  | 'page' // HTML with a status of success
  | 'redirect' // by the status, as the next two
  | 'server-error'
  | 'rate-limit'
  | 'other' // a long text

/** Classifies a response. The text of a refusal is for people, and never read. */
export function kindOf({ status, headers, json, text }: ProbeResponse): ResponseKind {
  // JSON with a status of success is read, regardless of its words.
  if ((json === undefined || isFailed(status)) && isFirewall(status, headers, text)) return 'firewall'
  if (status >= 500) return 'server-error'
  if (status === 429) return 'rate-limit'
  if (status === 404 || status === 410) return 'missing'
  if (status === 405) return 'method'
  if (status >= 300 && !isFailed(status)) return 'redirect'
  if (json !== undefined) return isFailed(status) || saysError(json) ? 'refusal' : 'data'
  if (isFailed(status)) return 'plain-refusal'
  if (isPage(text)) return 'page'
  return text.length <= MAX_WORDS ? 'words' : 'other'
}

function saysError(json: object): boolean {
  return Object.getOwnPropertyDescriptor(json, 'error')?.value === true
}

/**
 * Whether an API may have answered so to invented values. The specification does not show refusals: one that is no JSON
 * proves nothing, and a login may well succeed.
 */
export function mayBeAPI(response: ProbeResponse): boolean {
  return ['refusal', 'plain-refusal', 'data', 'words'].includes(kindOf(response))
}

/** Whether a refusal was seen: by JSON, or by the status. */
export function refuses(response: ProbeResponse): boolean {
  return ['refusal', 'plain-refusal'].includes(kindOf(response))
}

/** Whether the response is one of the API's program: JSON, even where it refuses. */
export function isFromAPI(response: ProbeResponse): boolean {
  return response.json !== undefined && kindOf(response) !== 'firewall'
}

/**
 * Why a login that reads a response so ends there; undefined if it continues.
 * @param read the client's own reader
 */
export function obstacleIn(
  response: ProbeResponse,
  read: (response: ProviderResponse) => unknown,
): SocialLoginError | undefined {
  try {
    read(response.read())
    return undefined
  } catch (error) {
    if (error instanceof SocialLoginError) return error
    throw error
  }
}

/** Why no login reads a response of JSON, regardless of its status; undefined if one does. */
export function unreadable(response: ProbeResponse, read: (response: ProviderResponse) => unknown): string | undefined {
  const obstacle = obstacleIn(response, (received) => read({ ...received, status: 200 }))
  if (obstacle?.code !== 'provider_bad_response') return undefined
  return response.hasWarnings ? WARNINGS : `There is JSON, but no login reads it. ${reasonOf(obstacle)}`
}

const WARNINGS =
  "The warnings of a script precede the JSON, so that no client can read it. The provider's operator must turn off display_errors."

/** The hint of an outcome. */
export function reasonOf({ code, message }: SocialLoginError): string {
  return withoutAddress(message).slice(OUTCOMES[code].message.length).trim()
}

/** The token in the response to an exchange, also in one that a login refuses to read. */
export function tokenIn({ status, json }: ProbeResponse): string | undefined {
  if (isFailed(status) || !isObject(json) || saysError(json)) return undefined
  const value = ownProperty(json, 'access_token')
  const token = typeof value === 'number' ? String(value) : value
  return typeof token === 'string' && ACCESS_TOKEN.test(token) ? token : undefined
}

/** What is in a response, for a sentence: names of members where it is JSON, and never values. */
export function contentOf({ json, text, status }: ProbeResponse, examination: Examination): string {
  return `${isObject(json) ? objectContent(json, examination) : plainContent(json, text)} (status ${status})`
}

function plainContent(json: ProbeResponse['json'], text: string): string {
  if (json !== undefined) return json.length === 0 ? 'an empty array' : 'an array'
  if (isPage(text)) return 'a page'
  return text.trim() === '' ? 'an empty body' : 'a text'
}

function objectContent(json: JSONObject, examination: Examination): string {
  const shown = (name: string): string => (examination.isHarmless(name) ? nameToShow(name) : '*')
  const names = Object.entries(json).flatMap(([name, value]) => [
    shown(name),
    ...(isObject(value) ? Object.keys(value).map((inner) => `${shown(name)}.${shown(inner)}`) : []),
  ])
  if (names.length === 0) return 'an empty object'
  const more = names.length > MAX_MEMBERS ? ' ...' : ''
  return `an object of ${names.slice(0, MAX_MEMBERS).join(', ')}${more}`
}

/** Records what the text of any JSON response shows. */
export function recordForm({ json, headers, hasWarnings }: ProbeResponse, { mode }: Examination): void {
  if (json === undefined) return
  mode.htmlContentType = /^text\/html\b/i.test(`${headers['content-type']}`)
  mode.sessionCookie = headers['set-cookie'] !== undefined
  mode.scriptWarnings = hasWarnings
}

/** The target of a redirect; undefined if that is no web address. */
export function redirectTarget({ headers }: ProbeResponse, from: URL): URL | undefined {
  const { location } = headers
  return location ? resolveLocation(location, from) : undefined
}
