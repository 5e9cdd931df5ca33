import type { Request, RequestHandler, Response } from 'express'
import type { Login } from '../storage/accounts'
import type { UnconfirmedLogin } from '../storage/sessions'
import { HTTPError } from '../web/errors'
import { wantsJSON } from '../web/respond'
import { cookieRule, sessionCookieName } from './cookies'

/** The signed-in account, read from the database together with the session. */
export class SignedInAccount {
  constructor(
    readonly id: string,
    /** In the order in which they were added. The first one is shown as the profile of the account. */
    readonly logins: readonly Login[],
    /** When it was read, by the clock of the database. */
    readonly readAt: number,
  ) {}
}

/** What a new session will hold: the account, the login that opened it, and the question to answer first, if any. */
export class NewSession {
  constructor(
    readonly userID: string,
    readonly loginID: string,
    readonly unconfirmed: UnconfirmedLogin | undefined,
  ) {}
}

/** Signs in. Passport starts a new session, whose id an attacker cannot have set beforehand (session fixation). */
export async function signIn(req: Request, session: NewSession): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    req.logIn(session, (error: unknown) => (error ? reject(error) : resolve()))
  })
  req.log.info({ account: session.userID }, 'signed in')
}

/** Signs this browser out. `req.logout` would start another session and store it for as long as a signed-in one. */
export async function signOut(req: Request, res: Response): Promise<void> {
  const rule = cookieRule(req.session.cookie.secure === true)
  await new Promise<void>((resolve, reject) => {
    req.session.destroy((error: unknown) => (error ? reject(error) : resolve()))
  })
  res.clearCookie(sessionCookieName(rule), rule.options)
}

/** Resolves once the session is stored, so that the browser's next request finds it, even in another process. */
export function saveSession(req: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    req.session.save((error) => (error ? reject(error) : resolve()))
  })
}

/** Sends users who are not signed in to the login page, and afterwards back to the page they asked for. */
export const requireUser: RequestHandler = (req, res, next) => {
  if (req.user) return next()
  if (wantsJSON(req)) return next(new HTTPError(401, 'You are not signed in.'))
  const returnTo = req.method === 'GET' ? `?${new URLSearchParams({ returnTo: req.originalUrl })}` : ''
  res.redirect(303, `/login${returnTo}`)
}

/** The signed-in account, for routes that come after `requireUser`. */
export function accountOf({ user }: Request): SignedInAccount {
  if (user instanceof SignedInAccount) return user
  throw new HTTPError(401, 'You are not signed in.')
}
