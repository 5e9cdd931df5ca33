import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import { DatabaseUnavailableError } from '../storage/database'
import { messagePage } from '../views/pages'
import { mentionsKey } from './request-target'
import { sendPage, wantsJSON } from './respond'

const OUTAGE_MESSAGE = 'Our database cannot be reached at the moment. Please try again in a few seconds.'
const FAILED_MESSAGE = 'Something went wrong on our side. It is not your fault, and the problem has been logged.'
// The value of `Retry-After` during an outage.
const RETRY_AFTER_S = 5

/** Ends a request with an error status and a message for the user. */
export class HTTPError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

export const notFound: RequestHandler = (_req, _res, next) => {
  next(new HTTPError(404, 'This page does not exist.'))
}

/** The last handler. The log contains the details; the user sees only the request's id. */
export const errorPage: ErrorRequestHandler = (error: unknown, req, res, _next) => {
  // express-session saves at the end of a response and reports here if it cannot. Express's own handler would destroy
  // the connection, and with it a response that is still being sent.
  if (res.headersSent) {
    req.log.error({ err: error }, 'an error after the response had started')
    return void res.end()
  }
  const { status, message, reason } = describe(error)
  if (status >= 500) res.err = error instanceof Error ? error : new Error('A value that is not an Error was thrown')
  if (status === 503) res.set('Retry-After', String(RETRY_AFTER_S))
  // No page may be shown at a URL that contains a key, not even this one. The key may still be valid after an outage,
  // but a user who has just approved the login needs only one click to get a new one.
  if (mentionsKey(req.originalUrl)) {
    res.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
    return res.redirect(303, req.user ? `/account?notice=${reason}` : `/login?reason=${reason}`)
  }
  res.status(status)
  if (wantsJSON(req)) return res.json({ error: message, requestID: String(req.id) })
  const retry = status === 503 ? retryAddress(req) : undefined
  sendPage(req, res, messagePage(status, message, String(req.id), retry))
}

/** The status, the message for the user, and the code with which the login page explains the error. */
function describe(error: unknown): { readonly status: number; readonly message: string; readonly reason: string } {
  if (error instanceof DatabaseUnavailableError) {
    return { status: 503, message: OUTAGE_MESSAGE, reason: 'database_unavailable' }
  }
  // Errors of the body parser have a status below 500, too.
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (!(status >= 400 && status < 500)) return { status: 500, message: FAILED_MESSAGE, reason: 'failed_here' }
  const message = error instanceof HTTPError ? error.message : 'The request could not be understood.'
  return { status, message, reason: 'auth_key_malformed' }
}

/** Empty means the same URL again. The URL of a form cannot be opened by a link, unless it has a page, too. */
function retryAddress(req: Request): string {
  return req.method === 'GET' || req.path === '/login/confirm' ? '' : '/login'
}
