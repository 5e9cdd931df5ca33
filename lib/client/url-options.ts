import { MAX_USER_AGENT_LENGTH } from '../limits'
import { parseBoolean, parseText } from '../values'
import { parseURL, resolvePath } from './url'

interface SchemeOption {
  readonly allowInsecureHTTP?: unknown
}

export function parseUserAgent(value: unknown, name: string): string {
  const text = parseText(value, name)
  if (text.length > MAX_USER_AGENT_LENGTH || !/^[\x20-\x7e]+$/.test(text)) {
    throw new TypeError(`${name} must have at most ${MAX_USER_AGENT_LENGTH} characters, all of them printable ASCII`)
  }
  return text
}

/** Requires /v1 at the end. Returns the URL's origin, and the paths of `{base_url}` and `{oauth_base}`. */
export function parseBaseURL(value: unknown, name: string, options: SchemeOption) {
  const { href, origin, pathname } = parseHTTPURL(value, name, options, LOGIN_OF_HTTP)
  if (/[?#]/.test(href)) throw new TypeError(`${name} must have no query and no fragment`)
  const basePath = pathname.replace(/\/$/, '')
  if (!basePath.endsWith('/v1')) throw new TypeError(`${name} must end in /v1, such as https://social.example/api/v1`)
  return { origin, basePath, oauthPath: basePath.slice(0, -'/v1'.length) }
}

export function parsePageURL(value: unknown, name: string, options: SchemeOption): URL | undefined {
  if (value === undefined) return undefined
  const url = parseHTTPURL(value, name, options)
  if (/[?#]/.test(url.href)) throw new TypeError(`${name} must have no query and no fragment`)
  return url
}

/** Adds a slash that is missing at the end of the folder. */
export function parseUploadsURL(value: unknown, name: string, options: SchemeOption): URL | undefined {
  if (value === undefined) return undefined
  const url = parseHTTPURL(value, name, options)
  if (url.search || url.hash) throw new TypeError(`${name} must have no query and no fragment`)
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

/** The path of the callback, and the application's origin if the option contains it. */
export function parseCallbackURL(value: unknown, name: string, options: SchemeOption) {
  const text = parseText(value, name)
  if (text.includes('#'))
    throw new TypeError(`${name} must have no fragment: browsers do not send it, nor an auth_key after it`)
  if (text.includes('?'))
    throw new TypeError(
      `${name} must have no query: it does not tell one callback from another, and providers append ?auth_key= to it`,
    )
  if (/^https?:/i.test(text)) {
    const { pathname, origin } = parseHTTPURL(text, name, options)
    return { path: pathname, origin }
  }
  if (!text.startsWith('/'))
    throw new TypeError(`${name} must be an absolute http(s) URL, or a path that starts with /`)
  const url = resolvePath(text, 'http://localhost')
  if (!url) throw new TypeError(`${name} must be a path such as /auth/social-login/callback, or an absolute URL`)
  return { path: url.pathname, origin: undefined }
}

/** The callback in one spelling, where a path alone does not tell the application's origin. */
export function parseWholeCallbackURL(value: unknown, name: string, options: SchemeOption): string {
  const { path, origin } = parseCallbackURL(value, name, options)
  if (origin !== undefined) return origin + path
  throw new TypeError(`${name} must be the whole registered URL: its origin is that of the application`)
}

export function parseOrigins(value: unknown, name: string): ReadonlySet<string> {
  if (value === undefined) return new Set()
  if (!Array.isArray(value)) throw new TypeError(`${name} must be an array of origins such as https://www.app.example`)
  return new Set(value.map((origin) => parseOrigin(origin, name)))
}

function parseOrigin(value: unknown, name: string): string {
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  const url = parseURL(text)
  const isPlain = url && ['http:', 'https:'].includes(url.protocol) && !url.hostname.includes('*')
  if (!isPlain || url.origin !== text)
    throw new TypeError(`${name} must hold origins such as https://www.app.example, without a path`)
  return text
}

const LOGIN_OF_HTTP =
  ': its Authorization header carries the access token, so a login of HTTP itself (a staging site?) must leave out the API, for example by the address of this machine'

function parseHTTPURL(value: unknown, name: string, { allowInsecureHTTP }: SchemeOption, cure = ''): URL {
  const url = parseURL(parseText(value, name))
  if (!url || !/^https?:/.test(url.protocol)) throw new TypeError(`${name} must be an absolute http(s) URL`)
  if (url.username || url.password) throw new TypeError(`${name} must hold no user name or password${cure}`)
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !parseBoolean(allowInsecureHTTP, 'allowInsecureHTTP')) {
    throw new TypeError(`${name} must be https: plain http is for loopback hosts (see allowInsecureHTTP)`)
  }
  return url
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}
