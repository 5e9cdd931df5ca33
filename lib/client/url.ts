const MAX_URL_LENGTH = 2048

// The time that `new URL()` takes for a host grows with the square of its length (IDNA): 20 ms for 15 KB. So nothing from
// outside is parsed before its host is known to be short, and free of percent-encoding, which hides further characters.
const SHORT_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\%\p{Cc}]{1,255}(?=[/?#\\]|$)/iu

// What URL parsers read as another host or scheme, or strip or convert first.
const NO_PATH = /^[/\\]{2}|^[a-z][a-z0-9+.-]*:|[\\\p{Cc}]/iu

/**
 * The absolute URL (`scheme://host…`, at most 2,048 characters, of which 255 for the host), or undefined if it is none.
 */
export function parseURL(value: string): URL | undefined {
  return value.length <= MAX_URL_LENGTH && SHORT_HOST.test(value) ? tryURL(value) : undefined
}

/** The path, with its query, on the host of the base; undefined for what could name another host or scheme. */
export function resolvePath(path: string, base: string): URL | undefined {
  return path.length <= MAX_URL_LENGTH && !NO_PATH.test(path) ? tryURL(path, base) : undefined
}

function tryURL(value: string, base?: string): URL | undefined {
  try {
    return new URL(value, base)
  } catch {
    return undefined
  }
}
