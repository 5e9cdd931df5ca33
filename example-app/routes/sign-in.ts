import type { Request } from 'express'

/** Signs an account in. Passport gives the browser a new session for it, so that nobody can have planted the id. */
export function signIn(req: Request, userID: string): Promise<void> {
  return new Promise((resolve, reject) => {
    req.logIn({ id: userID }, (error: unknown) => (error ? reject(error) : resolve()))
  })
}
