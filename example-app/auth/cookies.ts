import type { CookieOptions, Request, Response } from 'express'
import { CookieStore } from 'passport-social-login'
import { deriveKey } from './token-sealer'

const MAX_KNOWN_LOGINS = 20
const KNOWN_LOGINS_LIFETIME_MS = 365 * 24 * 60 * 60 * 1000

/** The name prefix and the options that all cookies of this application share. */
export interface CookieRule {
  readonly prefix: '__Host-' | ''
  readonly options: CookieOptions & { readonly path: '/'; readonly secure: boolean }
}

export function sessionCookieName({ prefix }: CookieRule): string {
  return `${prefix}example-session`
}

/**
 * The callback URL decides for all cookies whether the application is served over https.
 *
 * With https, cookie names start with `__Host-`: browsers accept such a cookie only from this exact host, over https
 * and for all paths, so that neither another subdomain nor a page under some path can set one. These cookies are never
 * set over http, so a proxy in front must send `X-Forwarded-Proto: https`.
 *
 * With http (development on this machine) there is no prefix: anything else that runs on this host, on any port, can
 * read and set these cookies.
 */
export function cookieRule(isHTTPS: boolean): CookieRule {
  // `Strict` will not do: the redirect back from the provider comes from another site, and browsers would omit the
  // cookies.
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: isHTTPS } as const
  return { prefix: isHTTPS ? '__Host-' : '', options }
}

/**
 * Stores the login in progress in an encrypted cookie. Starting a login therefore writes nothing to the database:
 * no one can fill it with logins that are never finished.
 */
export function loginStore(secrets: readonly string[], isHTTPS: boolean): CookieStore {
  const keys = secrets.map((secret) => deriveKey(secret, 'login in progress'))
  return new CookieStore({ keys, name: 'example-login', allowInsecureHTTP: !isHTTPS })
}

/**
 * A signed cookie with the logins that were confirmed in this browser. The protocol cannot prove that the user
 * intended to sign in with the login that the provider returns, so each login must be confirmed once per browser. A
 * user who presses "Continue" on someone else's login has confirmed that one, too. `cookie-parser` checks the
 * signature.
 */
export class KnownLogins {
  readonly #name: string
  readonly #options: CookieOptions

  constructor({ prefix, options }: CookieRule) {
    this.#name = `${prefix}example-known-logins`
    this.#options = { ...options, signed: true, maxAge: KNOWN_LOGINS_LIFETIME_MS }
  }

  has(req: Request, loginID: string): boolean {
    return this.#list(req).includes(loginID)
  }

  remember(req: Request, res: Response, loginID: string): void {
    const others = this.#list(req).filter((id) => id !== loginID)
    res.cookie(this.#name, [loginID, ...others].slice(0, MAX_KNOWN_LOGINS).join('.'), this.#options)
  }

  #list(req: Request): string[] {
    const value: unknown = req.signedCookies[this.#name]
    return typeof value === 'string' ? value.split('.') : []
  }
}
