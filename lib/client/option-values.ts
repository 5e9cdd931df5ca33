import { parseURL, resolvePath } from './url'

const MAX_URL_LENGTH = 2048
const MAX_USER_AGENT_LENGTH = 256

/** @throws TypeError when `value` is not an http(s) URL that ends in /v1, with or without a trailing slash */
export function readBaseURL(value: unknown, allowInsecureHTTP: unknown): URL {
  const url = requireURL('baseURL', value, allowInsecureHTTP)
  if (/[?#]/.test(url.href)) throw new TypeError('baseURL must have no query and no fragment')
  url.pathname = url.pathname.replace(/\/$/, '')
  if (!url.pathname.endsWith('/v1')) throw new TypeError('baseURL must end in /v1 (the version of the API)')
  return url
}

/** Path of the callback, and the application's origin if the option contains it. */
export interface CallbackLocation {
  readonly path: string
  readonly origin: string | undefined
}

/** @throws TypeError when `value` is neither a path nor an http(s) URL */
export function readCallbackURL(value: unknown, allowInsecureHTTP?: unknown): CallbackLocation {
  requireText('callbackURL', value)
  if (value.includes('#')) {
    throw new TypeError('callbackURL must have no fragment: browsers do not send it, nor an auth_key after it')
  }
  if (!value.startsWith('/')) {
    if (!/^https?:/i.test(value)) {
      throw new TypeError('callbackURL must be an absolute http(s) URL, or a path that starts with /')
    }
    const url = requireURL('callbackURL', value, allowInsecureHTTP)
    return { path: url.pathname, origin: url.origin }
  }
  const url = resolvePath(value, 'http://localhost')
  if (!url) throw new TypeError('callbackURL must be a path such as /auth/social-login/callback, or an absolute URL')
  return { path: url.pathname, origin: undefined }
}

/** @throws TypeError when `values` is not a list of http(s) origins */
export function readOrigins(name: string, values: unknown): ReadonlySet<string> {
  if (values === undefined) return new Set()
  if (!Array.isArray(values)) throw new TypeError(`${name} must be an array of origins such as https://www.app.example`)
  return new Set(values.map((value) => readOrigin(name, value)))
}

function readOrigin(name: string, value: unknown): string {
  const origin = typeof value === 'string' ? parseURL(value) : undefined
  if (
    !origin ||
    !/^https?:$/.test(origin.protocol) ||
    origin.hostname.includes('*') ||
    origin.origin !== String(value).toLowerCase()
  ) {
    throw new TypeError(`${name} must hold origins such as https://www.app.example, without a path`)
  }
  return origin.origin
}

/** @throws TypeError when `value` is not an http(s) URL; adds a missing slash at its end */
export function readUploadsURL(value: unknown, allowInsecureHTTP: unknown): URL | undefined {
  if (value === undefined) return undefined
  const url = requireURL('uploadsURL', value, allowInsecureHTTP)
  if (url.search || url.hash) throw new TypeError('uploadsURL must have no query and no fragment')
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

/** @throws TypeError when `value` is not a whole number from 1 to `max` */
export function readInteger(name: string, value: unknown, fallback: number, max: number): number {
  if (value === undefined) return fallback
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > max) {
    throw new TypeError(`${name} must be a whole number from 1 to ${max.toLocaleString('en')}`)
  }
  return value
}

/** @throws TypeError when `value` is not one of `allowed` */
export function readChoice<T extends string>(name: string, value: unknown, fallback: T, allowed: readonly T[]): T {
  if (value === undefined) return fallback
  const choice = allowed.find((candidate) => candidate === value)
  if (choice === undefined) throw new TypeError(`${name} must be one of: ${allowed.join(', ')}`)
  return choice
}

/** @throws TypeError when `value` is not a header value of at most 256 printable ASCII characters */
export function readUserAgent(value: unknown, fallback: string): string {
  if (value === undefined) return fallback
  requireText('userAgent', value)
  if (value.length > MAX_USER_AGENT_LENGTH || !/^[\x20-\x7e]+$/.test(value)) {
    throw new TypeError('userAgent must have at most 256 characters, all of them printable ASCII')
  }
  return value
}

/** @throws TypeError when `value` is not a boolean */
export function readBoolean(name: string, value: unknown): boolean {
  if (value !== undefined && typeof value !== 'boolean') throw new TypeError(`${name} must be true or false`)
  return value ?? false
}

/**
 * Refuses an option that does not exist: one that is misspelt would otherwise be left out without a word.
 *
 * @param known the options that exist
 * @param cures what to do instead of an option of another package
 * @throws TypeError naming the option
 */
export function refuseUnknown(options: object, known: object, cures: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, name)) continue
    if (Object.hasOwn(cures, name)) throw new TypeError(`${name} is not an option of this package: ${cures[name]}`)
    const similar = Object.keys(known).find((other) => other.toLowerCase() === name.toLowerCase())
    throw new TypeError(`${name} is not an option of this package${similar ? `: did you mean ${similar}?` : ''}`)
  }
}

/** @throws TypeError when `value` is not a non-empty string */
export function requireText(name: string, value: unknown): asserts value is string {
  if (value === undefined || value === '')
    throw new TypeError(`${name} must be a non-empty string (is a variable not set?)`)
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string`)
  if (value.trim() === '') throw new TypeError(`${name} must be a non-empty string`)
  if (value !== value.trim()) throw new TypeError(`${name} must not begin or end with white space (a line break?)`)
  if (value.length > MAX_URL_LENGTH) throw new TypeError(`${name} must have at most 2,048 characters`)
}

function requireURL(name: string, value: unknown, allowInsecureHTTP: unknown): URL {
  requireText(name, value)
  const url = parseURL(value)
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError(`${name} must be an absolute http(s) URL`)
  if (url.username || url.password) throw new TypeError(`${name} must hold no user name or password`)
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !readBoolean('allowInsecureHTTP', allowInsecureHTTP)) {
    throw new TypeError(`${name} must be https: plain http is for loopback hosts (see allowInsecureHTTP)`)
  }
  return url
}

/** Whether the host name of a URL is one of this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}
