import { resolvePath } from '../../client/url'
import { MAX_RETURN_PATH_LENGTH } from '../../limits'

/**
 * A path within this application, normalised; undefined for anything that could leave the origin. Normalising turns
 * `/.//evil.example` into `//evil.example`, so the result is checked once more.
 */
export function parseReturnPath(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_RETURN_PATH_LENGTH) return undefined
  const base = 'http://localhost'
  const url = value.startsWith('/') ? resolvePath(value, base) : undefined
  if (!url) return undefined
  const path = url.pathname + url.search + url.hash
  // The length is checked again, because normalising turns `é` into six characters and the callback parses the result.
  return url.origin === base && !path.startsWith('//') && path.length <= MAX_RETURN_PATH_LENGTH ? path : undefined
}
