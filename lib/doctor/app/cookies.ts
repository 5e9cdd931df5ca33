import { parseSetCookie } from 'cookie'

/** Why a browser does not send a cookie to the callback: the end of a finding's code. */
type Loss = 'prefix' | 'none' | 'host' | 'path' | 'strict' | 'short_lived'

export interface Cookie {
  /** Name and value, as in the header `Cookie`. */
  readonly pair: string
  /** Its name, if that may be shown. */
  readonly shown: string
  readonly isSecure: boolean
  readonly loss: Loss | undefined
}

const NAME = /^[\w!#$%&'*+.^`|~-]{1,64}$/
const SHORT_SECONDS = 60

/** The cookies that came with a start, and what becomes of each until the callback. */
export function cookiesOf(lines: readonly string[], start: URL, callback: URL): Cookie[] {
  const cookies = new Map<string, Cookie>()
  for (const line of lines) {
    const given = parseSetCookie(line)
    const { name, domain, path, maxAge, expires, secure = false } = given
    const seconds = maxAge ?? (expires && (expires.getTime() - Date.now()) / 1000) ?? Infinity
    const loss = seconds < SHORT_SECONDS ? 'short_lived' : lossOf(given, start, callback)
    const shown = NAME.test(name) ? `the cookie ${name}` : 'a cookie'
    const key = `${name} ${domain} ${path}`
    // A cookie that expired long ago removes an earlier one with the same name. One that expired a moment ago was short-lived.
    if (maxAge === undefined ? seconds < -SHORT_SECONDS : maxAge <= 0) cookies.delete(key)
    else cookies.set(key, { pair: line.split(';', 1).join(), shown, isSecure: secure, loss })
  }
  return [...cookies.values()]
}

/** By RFC 6265bis, for a navigation from another site, by https or on this machine. */
function lossOf(cookie: ReturnType<typeof parseSetCookie>, start: URL, callback: URL): Loss | undefined {
  const { name, domain = '', path = '', secure, sameSite } = cookie
  if (/^__(Host|Secure)-/i.test(name) && !secure) return 'prefix'
  if (/^__Host-/i.test(name) && (domain !== '' || path !== '/')) return 'prefix'
  if (sameSite === 'none' && !secure) return 'none'
  const host = `.${domain.replace(/^\./, '').toLowerCase()}`
  if (domain !== '' && !`.${callback.hostname}`.endsWith(host)) return 'host'
  const folder = path.startsWith('/') ? path : start.pathname.replace(/\/[^/]*$/, '')
  if (!`${callback.pathname}/`.startsWith(folder.replace(/\/*$/, '/'))) return 'path'
  return sameSite === 'strict' ? 'strict' : undefined
}

/** As in the header `Cookie`. */
export function header(cookies: readonly Cookie[]): string {
  return cookies.map(({ pair }) => pair).join('; ')
}
