import type { ErrorRequestHandler, RequestHandler } from 'express'
import { mentionsKey } from '../security/stray-keys'
import { messagePage } from '../views/message'
import { sendPage, wantsJSON } from './answers'

/** An answer other than success, with words for the person. */
export class HTTPError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

export const notFound: RequestHandler = (_req, _res, next) => {
  next(new HTTPError(404, 'There is no such page.'))
}

/** The last handler. What went wrong stands in the log; the person learns no more than the request's id. */
export const errorPage: ErrorRequestHandler = (error: unknown, req, res, next) => {
  if (res.headersSent) return next(error)
  const { status, message } = error instanceof HTTPError ? error : describe(error)
  if (status >= 500) res.err = error instanceof Error ? error : new Error('Something that is no error was thrown')
  // No page at an address that holds a key: not even this one.
  if (mentionsKey(req.originalUrl)) {
    res.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
    return res.redirect(303, `/login?reason=${status < 500 ? 'auth_key_malformed' : 'failed_here'}`)
  }
  res.status(status)
  if (wantsJSON(req)) return res.json({ error: message, requestID: String(req.id) })
  sendPage(req, res, messagePage(status, message, String(req.id)))
}

/** The body parser gives its errors a status below 500. */
function describe(error: unknown): { status: number; message: string } {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (status >= 400 && status < 500) return { status, message: 'The request could not be understood.' }
  return { status: 500, message: 'Something went wrong here. It is not your fault, and we have a record of it.' }
}
