/**
 * The values of the cookies of a name, in the order of the header. Only ASCII spaces are trimmed, because a sister
 * subdomain can set a cookie "\u00a0__Host-...", which browsers do not protect.
 * @param name of letters, digits, `_` and `-`
 */
export function cookieValues(header: string, name: string): string[] {
  // To split a header of thousands of semicolons would take longer than all else that a callback does.
  return Array.from(header.matchAll(new RegExp(`(?:^|;)[ \\t]*${name}=([^;]*)`, 'g')), ([, value = '']) => value)
}

/** A value of `Set-Cookie`, for a cookie of the whole host. The value must need no encoding. */
export function setCookie(name: string, value: string, seconds: number, isSecure: boolean): string {
  return `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly${isSecure ? '; Secure' : ''}; SameSite=Lax`
}

/** A response of Node, or one of a framework that has these methods. koa-passport's has no `getHeader`. */
export interface CookieResponse {
  readonly getHeader?: (name: string) => number | string | string[] | undefined
  readonly setHeader: (name: string, value: readonly string[]) => unknown
}

/** The lines of `Set-Cookie` that a response has so far. */
export function cookiesOf(response: Pick<CookieResponse, 'getHeader'>): readonly string[] {
  const lines = response.getHeader?.('Set-Cookie') ?? []
  return Array.isArray(lines) ? lines : [String(lines)]
}

/** Adds lines to the `Set-Cookie` headers of a response, each in the place of an earlier one of its name. */
export function appendCookies(response: CookieResponse, lines: readonly string[]): void {
  const names = lines.map((line) => line.slice(0, line.indexOf('=') + 1))
  const kept = cookiesOf(response).filter((line) => !names.some((name) => line.startsWith(name)))
  response.setHeader('Set-Cookie', [...kept, ...lines])
}
