import type { Request, RequestHandler } from 'express'
import { SignedInAccount } from '../types'
import { wantsJSON } from './answers'
import { HTTPError } from './errors'

/** The login wall: people are led to the login page, and from there back to where they were going. */
export const requireUser: RequestHandler = (req, res, next) => {
  if (req.user) return next()
  if (wantsJSON(req)) return next(new HTTPError(401, 'Nobody is signed in.'))
  const returnTo = req.method === 'GET' ? `?${new URLSearchParams({ returnTo: req.originalUrl })}` : ''
  res.redirect(303, `/login${returnTo}`)
}

/** The account that is signed in, on routes behind the wall. */
export function accountOf({ user }: Request): SignedInAccount {
  if (user instanceof SignedInAccount) return user
  throw new HTTPError(401, 'Nobody is signed in.')
}
