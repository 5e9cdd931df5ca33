import type { Request, Response } from 'express'
import { cookieRule, sessionCookieName } from '../security/cookies'
import type { SignedInUser } from '../types'

/** Signs an account in. Passport gives the browser a new session for it, so that nobody can have planted the id. */
export async function signIn(req: Request, user: SignedInUser): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    req.logIn(user, (error: unknown) => (error ? reject(error) : resolve()))
  })
  req.log.info({ account: user.id }, 'signed in')
}

/** Signs this browser out. Not by `req.logout`, which begins another session and keeps that for as long as a real one. */
export async function signOut(req: Request, res: Response): Promise<void> {
  const rule = cookieRule(req.session.cookie.secure === true)
  await new Promise<void>((resolve, reject) => {
    req.session.destroy((error: unknown) => (error ? reject(error) : resolve()))
  })
  res.clearCookie(sessionCookieName(rule), rule.options)
}
