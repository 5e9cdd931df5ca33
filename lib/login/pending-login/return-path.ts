import { parseURL, resolvePath } from '../../client/url'
import type { DroppedReturnTo } from '../../diagnostics'
import { MAX_RETURN_PATH_LENGTH } from '../../limits'
import { type HTTPRequest, isAppOrigin, type OriginPolicy } from '../request/description'

/**
 * A path within this application, normalised; undefined for anything that could leave the origin. Normalising turns
 * `/.//evil.example` into `//evil.example`, so the result is checked once more.
 */
export function parseReturnPath(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_RETURN_PATH_LENGTH) return undefined
  const url = value.startsWith('/') ? resolvePath(value, 'http://localhost') : undefined
  if (!url) return undefined
  const path = url.pathname + url.search + url.hash
  // The length is checked again, because normalising turns `é` into six characters and the callback parses the result.
  return !path.startsWith('//') && path.length <= MAX_RETURN_PATH_LENGTH ? path : undefined
}

/** A URL of the application's own origin as its path; anything else as it is. */
export function withoutAppOrigin(value: unknown, req: HTTPRequest, policy: Pick<OriginPolicy, 'appOrigin'>): unknown {
  const url = typeof value === 'string' ? parseURL(value) : undefined
  return url && isAppOrigin(url.origin, req, policy) ? url.pathname + url.search + url.hash : value
}

/** Why a `returnTo` was left out; undefined for one that no one gave. */
export function reasonToDrop(value: unknown): DroppedReturnTo | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') return 'no text'
  if (/^([a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(value)) return 'another origin'
  if (!value.startsWith('/')) return 'no slash'
  if (value.length > MAX_RETURN_PATH_LENGTH) return 'too long'
  const url = resolvePath(value, 'http://localhost')
  return url && !url.pathname.startsWith('//') ? 'too long' : 'another origin'
}
