import type { IncomingHttpHeaders } from 'node:http'
import { isObject, ownProperty } from '../client/json'
import { parseURL, resolvePath } from '../client/url'
import type { ProbeResponse } from './probe-response'

/**
 * What a response of an endpoint is:
 *
 * - `refusal`: JSON that refuses the request, which only the API does
 * - `data`: other JSON
 * - `missing`: 404 or 410
 * - `method`: 405, another method is wanted
 * - `firewall`: a page with a status of firewalls, or a challenge of a known one
 * - `page`: another page, or nothing
 * - `redirect`, `server-error`, `rate-limit`: by the status
 * - `other`: neither JSON nor HTML
 */
export type ResponseKind =
  | 'refusal'
  | 'data'
  | 'missing'
  | 'method'
  | 'firewall'
  | 'page'
  | 'redirect'
  | 'server-error'
  | 'rate-limit'
  | 'other'

/** Classifies a response. The text of a refusal is for people, and never read. */
export function kindOf(response: ProbeResponse): ResponseKind {
  const { status, headers, json, isPage, text } = response
  const refuses = FIREWALL_STATUSES.has(status)
  if (refuses && (isPage || isChallenge(headers))) return 'firewall'
  if (status >= 500) return 'server-error'
  if (status === 429) return 'rate-limit'
  if (status === 404 || status === 410) return 'missing'
  if (status === 405) return 'method'
  if (status >= 300 && status < 400) return 'redirect'
  if (json !== undefined) return isRefusal(response) ? 'refusal' : 'data'
  return isPage || text.trim() === '' ? 'page' : 'other'
}

/** Whether the response is one of the API's program: JSON, even where it refuses. */
export function isFromAPI(response: ProbeResponse): boolean {
  return response.json !== undefined && kindOf(response) !== 'firewall'
}

function isRefusal({ status, json }: ProbeResponse): boolean {
  return status >= 400 || (isObject(json) && ownProperty(json, 'error') === true)
}

const FIREWALL_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 406, 429, 503])
// Cloudflare, AWS WAF, Sucuri, DataDome, Imperva.
const CHALLENGE_HEADERS = ['cf-mitigated', 'x-amzn-waf-action', 'x-sucuri-block', 'x-datadome', 'x-iinfo']

function isChallenge(headers: IncomingHttpHeaders): boolean {
  return CHALLENGE_HEADERS.some((name) => headers[name] !== undefined)
}

/** Where a redirect leads; undefined if that is no web address. */
export function redirectTarget({ headers }: ProbeResponse, from: URL): URL | undefined {
  const { location } = headers
  if (!location) return undefined
  const url = parseURL(location) ?? resolvePath(location, from.href)
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}
