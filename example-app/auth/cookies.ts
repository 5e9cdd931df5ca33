import { hkdfSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { CookieOptions, Request, Response } from 'express'
import { CookieStore, type PendingLogin, type PendingLoginStore } from 'passport-social-login'

// As many as a CookieStore takes.
const MAX_SEALING_KEYS = 10
const MAX_KNOWN_LOGINS = 20
const KNOWN_LOGINS_LIFETIME_MS = 365 * 24 * 60 * 60 * 1000

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

/**
 * Keeps the login in progress in a sealed cookie: a start writes nothing to the database, so that nobody can fill it
 * with logins that they never finish, and a login does not wait for it. The keys come from the session secrets.
 */
export class LoginCookie implements PendingLoginStore {
  readonly #store: CookieStore
  readonly #isHTTPS: boolean

  constructor(secrets: readonly string[], isHTTPS: boolean) {
    const keys = secrets.slice(0, MAX_SEALING_KEYS).map(deriveKey)
    this.#store = new CookieStore({ keys, name: 'example-login', allowInsecureHTTP: !isHTTPS })
    this.#isHTTPS = isHTTPS
  }

  async save(req: IncomingMessage, record: PendingLogin): Promise<void> {
    // As express-session does with the session: browsers would not take the cookie, and others could read it.
    if (this.#isHTTPS && Reflect.get(req, 'secure') !== true) return
    await this.#store.save(req, record)
  }

  load(req: IncomingMessage): Promise<PendingLogin | undefined> {
    return this.#store.load(req)
  }

  consume(req: IncomingMessage): Promise<void> {
    return this.#store.consume(req)
  }

  remove(req: IncomingMessage): Promise<void> {
    return this.#store.remove(req)
  }
}

function deriveKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'passport-social-login example: login in progress', 32))
}

/**
 * The logins that somebody has confirmed in this browser, in a signed cookie. The protocol cannot tell whether a person
 * meant to sign in as the one that the provider sends back, so they are asked once. Whoever presses "Continue" on a
 * stranger's login has put it on this list, too.
 */
export class KnownLogins {
  readonly #name: string
  readonly #rule: CookieRule

  constructor(rule: CookieRule) {
    this.#name = `${rule.prefix}example-known-logins`
    this.#rule = rule
  }

  has(req: Request, loginID: string): boolean {
    return this.#list(req).includes(loginID)
  }

  remember(req: Request, res: Response, loginID: string): void {
    const others = this.#list(req).filter((id) => id !== loginID)
    const value = [loginID, ...others].slice(0, MAX_KNOWN_LOGINS).join('.')
    res.cookie(this.#name, value, { ...this.#rule.options, signed: true, maxAge: KNOWN_LOGINS_LIFETIME_MS })
  }

  #list(req: Request): string[] {
    const value: unknown = req.signedCookies[this.#name]
    return typeof value === 'string' ? value.split('.') : []
  }
}
