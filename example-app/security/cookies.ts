import type { CookieOptions } from 'express'

/** How the cookies of this application are named and guarded. */
export interface CookieRule {
  readonly prefix: '__Host-' | ''
  readonly options: CookieOptions & { readonly path: '/'; readonly secure: boolean }
}

export function sessionCookieName({ prefix }: CookieRule): string {
  return `${prefix}example-session`
}

/**
 * One rule for all cookies: whether people come by https, which the callback URL says.
 *
 * On https: `__Host-`. Browsers take a cookie of such a name only from this very host, only by https, and for all
 * paths, so that neither a sister subdomain nor a page under a path can plant one. They get none by http: behind a
 * proxy, `X-Forwarded-Proto` must say https.
 *
 * On http (this machine, for development) there is no such prefix: whatever else runs on this host, on any port, reads
 * these cookies and can plant its own.
 */
export function cookieRule(isHTTPS: boolean): CookieRule {
  // Lax, not Strict: the way back from the provider comes from another site, and browsers leave Strict ones out then.
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: isHTTPS } as const
  return { prefix: isHTTPS ? '__Host-' : '', options }
}
