import type { CookieOptions, Request, Response } from 'express'

const MAX_LOGINS = 20
const LIFETIME_MS = 365 * 24 * 60 * 60 * 1000

/**
 * The logins that somebody has confirmed in this browser, in a signed cookie. The protocol cannot tell whether a
 * person meant to sign in as the one that the provider sends back; the account of an attacker is never on this list.
 */
export function isKnownLogin(req: Request, loginID: string): boolean {
  return knownLogins(req).includes(loginID)
}

export function rememberLogin(req: Request, res: Response, loginID: string): void {
  const options: CookieOptions = {
    signed: true,
    httpOnly: true,
    sameSite: 'lax',
    secure: req.secure,
    maxAge: LIFETIME_MS,
  }
  const others = knownLogins(req).filter((id) => id !== loginID)
  res.cookie(cookieName(req), [loginID, ...others].slice(0, MAX_LOGINS).join('.'), options)
}

function knownLogins(req: Request): string[] {
  const value: unknown = req.signedCookies[cookieName(req)]
  return typeof value === 'string' ? value.split('.') : []
}

/** `__Host-`: a sister subdomain cannot plant a list of its own. Browsers take that prefix on https only. */
function cookieName(req: Request): string {
  return req.secure ? '__Host-example-known-logins' : 'example-known-logins'
}
