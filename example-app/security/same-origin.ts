import type { Request, RequestHandler } from 'express'
import { HTTPError } from '../routes/errors'

/** Refuses forms that another site sent. Every browser says so in one header or the other; tools say nothing. */
export const sameOriginForms: RequestHandler = (req, _res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD' || isOwnForm(req)) return next()
  next(new HTTPError(403, 'This form did not come from a page of this application.'))
}

function isOwnForm(req: Request): boolean {
  const site = req.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const origin = req.get('origin')
  // Compared as text: URL parsers take long for long hosts.
  return origin === undefined || origin.replace(/^https?:\/\//, '') === req.get('host')?.toLowerCase()
}
