import type { Request, Response } from 'express'
import type { CookieRule } from './cookies'

const MAX_LOGINS = 20
const LIFETIME_MS = 365 * 24 * 60 * 60 * 1000

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
    const value = [loginID, ...others].slice(0, MAX_LOGINS).join('.')
    res.cookie(this.#name, value, { ...this.#rule.options, signed: true, maxAge: LIFETIME_MS })
  }

  #list(req: Request): string[] {
    const value: unknown = req.signedCookies[this.#name]
    return typeof value === 'string' ? value.split('.') : []
  }
}
