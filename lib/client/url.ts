import { MAX_HOST_LENGTH, MAX_URL_LENGTH } from '../limits'

// Nothing from outside is parsed before its host is known to be short, and free of percent-encoding, which hides
// further characters.
const SHORT_HOST = new RegExp(String.raw`^[a-z][a-z0-9+.-]*://[^/?#\\%\p{Cc}]{1,${MAX_HOST_LENGTH}}(?=[/?#\\]|$)`, 'iu')

// Marks what URL parsers read as another host or scheme, or strip or convert first.
const NO_PATH = /^\/\/|^[a-z][a-z0-9+.-]*:|[\\\p{Cc}]/iu

/** Undefined if the value is no absolute URL, is longer than `MAX_URL_LENGTH`, or its host than `MAX_HOST_LENGTH`. */
export function parseURL(value: string): URL | undefined {
  return value.length <= MAX_URL_LENGTH && SHORT_HOST.test(value) ? tryURL(value) : undefined
}

/** A path, with its query, on the host of the base; undefined for what could name another host or scheme. */
export function resolvePath(path: string, base: string): URL | undefined {
  return path.length <= MAX_URL_LENGTH && !NO_PATH.test(path) ? tryURL(path, base) : undefined
}

/** Where a `Location` header leads; undefined for what is no web address. */
export function resolveLocation(location: string, base: URL): URL | undefined {
  const isWithoutScheme = location.startsWith('//')
  const url = parseURL(isWithoutScheme ? base.protocol + location : location) ?? resolvePath(location, base.href)
  return url && /^https?:$/.test(url.protocol) ? url : undefined
}

/** The host of a URL as sockets take it: an address of IPv6 without its brackets. */
export const withoutBrackets = (hostname: string): string => hostname.replace(/[[\]]/g, '')

function tryURL(value: string, base?: string): URL | undefined {
  try {
    return new URL(value, base)
  } catch {
    return undefined
  }
}
