import type { Request } from 'express'
import type { SignedInUser } from '../types'

/** Signs an account in. Passport gives the browser a new session for it, so that nobody can have planted the id. */
export async function signIn(req: Request, user: SignedInUser): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    req.logIn(user, (error: unknown) => (error ? reject(error) : resolve()))
  })
  req.log.info({ account: user.id }, 'signed in')
}

/** Signs this browser out; its session is gone. */
export async function signOut(req: Request): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    req.logout((error: unknown) => (error ? reject(error) : resolve()))
  })
}
