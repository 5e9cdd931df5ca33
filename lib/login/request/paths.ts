import { parseURL } from '../../client/url'
import { isLoopback } from '../../client/url-options'

/** The path as routers see it: URL parsers resolve `..` and convert `\\`, routers do neither. */
export function pathOf({ target }: { readonly target: string }): string {
  return withoutOrigin(target).replace(/[?#].*/s, '')
}

/** A target without the origin that absolute-form targets have. */
export function withoutOrigin(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '')
}

/** Whether two paths are the same to Express, which by default ignores their case and a slash at their end. */
export function isSamePath(a: string, b: string): boolean {
  return plainPath(a) === plainPath(b)
}

/** Whether a path is the callback's, or its end, as behind a proxy that strips a prefix. */
export function isAtCallbackPath(path: string, callbackPath: string, isCaseSensitive: boolean): boolean {
  const plain = isCaseSensitive ? withoutLastSlashes : plainPath
  const [arrived, expected] = [plain(path), plain(callbackPath)]
  return arrived === expected || (arrived !== '' && expected.endsWith(arrived))
}

/** A path in lower case without its last slashes. */
export function plainPath(path: string): string {
  return withoutLastSlashes(path).toLowerCase()
}

/** Without a pattern: /\/+$/ would take quadratic time to find them. */
export function withoutLastSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

/** Whether a `Host` is this machine, which has two names that do not share cookies. */
export function isLoopbackHost(host = ''): boolean {
  return isLoopbackOrigin(`http://${host}`)
}

export function isLoopbackOrigin(origin: string): boolean {
  const url = parseURL(origin)
  return url !== undefined && isLoopback(url.hostname)
}
