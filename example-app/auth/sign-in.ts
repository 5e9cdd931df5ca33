import type { Request, RequestHandler, Response } from 'express'
import type { Login } from '../storage/accounts'
import type { UnconfirmedLogin } from '../storage/sessions'
import { HTTPError } from '../web/errors'
import { wantsJSON } from '../web/pages'
import { cookieRule, sessionCookieName } from './cookies'

/** Who is signed in, as the session was read. */
export class SignedInAccount {
  constructor(
    readonly id: string,
    /** The one used last in front. */
    readonly logins: readonly Login[],
    /** By the clock of the database. */
    readonly readAt: number,
  ) {}
}

/** Who signs in now, by which login, and what they are to be asked first. */
export class SignedInUser {
  constructor(
    readonly id: string,
    readonly loginID: string,
    readonly unconfirmed: UnconfirmedLogin | undefined,
  ) {}
}

/** The id of a user. In an application of your own, declare it in `Express.User` instead; here, tests share the types. */
export function idOf(user: Express.User): string {
  if ('id' in user && typeof user.id === 'string') return user.id
  throw new TypeError('A user of this application has an id')
}

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

/** Resolves when the next request of this browser, to whichever process, finds the session as it is now. */
export function saveSession(req: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    req.session.save((error) => (error ? reject(error) : resolve()))
  })
}

/** The login wall: people are led to the login page, and from there back to where they were going. */
export const requireUser: RequestHandler = (req, res, next) => {
  if (req.user) return next()
  if (wantsJSON(req)) return next(new HTTPError(401, 'You are not signed in.'))
  const returnTo = req.method === 'GET' ? `?${new URLSearchParams({ returnTo: req.originalUrl })}` : ''
  res.redirect(303, `/login${returnTo}`)
}

/** The account that is signed in, on routes behind the wall. */
export function accountOf({ user }: Request): SignedInAccount {
  if (user instanceof SignedInAccount) return user
  throw new HTTPError(401, 'You are not signed in.')
}
