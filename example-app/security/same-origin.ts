import type { Request, RequestHandler } from 'express'
import { HTTPError } from '../routes/errors'

/** Refuses forms that another site sent. Every browser says so in one of these headers; tools say nothing. */
export const sameOriginForms: RequestHandler = (req, _res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD' || isOwnForm(req)) return next()
  next(new HTTPError(403, 'This form did not come from a page of this application.'))
}

function isOwnForm(req: Request): boolean {
  const site = req.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const from = req.get('origin') ?? req.get('referer')
  // Compared as text: URL parsers take long for long hosts.
  return (
    from === undefined || /^https?:\/\/([^/?#]*)/i.exec(from)?.[1]?.toLowerCase() === req.get('host')?.toLowerCase()
  )
}
