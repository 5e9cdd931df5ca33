import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import { mentionsKey } from '../security/stray-keys'
import { messagePage } from '../views/message'
import { sendPage, wantsJSON } from './answers'
import { isOutage, RETRY_AFTER_S } from './outage'

const OUTAGE = 'Our database cannot be reached at the moment. Please try again in a few seconds.'

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
export const errorPage: ErrorRequestHandler = (error: unknown, req, res, _next) => {
  // express-session reports here that it could not save at the end of a response. Express would cut the connection, and with
  // it a response that is still on its way.
  if (res.headersSent) {
    req.log.error({ err: error }, 'after the response had begun')
    return void res.end()
  }
  const { status, message, reason } = describe(error)
  if (status >= 500) res.err = error instanceof Error ? error : new Error('Something that is no error was thrown')
  if (status === 503) res.set('Retry-After', String(RETRY_AFTER_S))
  // No page at an address that holds a key: not even this one. In an outage the key may be unspent, but its address is
  // not worth keeping: from the login page, a person who has just approved needs one click.
  if (mentionsKey(req.originalUrl)) {
    res.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
    return res.redirect(303, req.user ? `/account?notice=${reason}` : `/login?reason=${reason}`)
  }
  res.status(status)
  if (wantsJSON(req)) return res.json({ error: message, requestID: String(req.id) })
  const retry = status === 503 ? retryAddress(req) : undefined
  sendPage(req, res, messagePage(status, message, String(req.id), retry))
}

interface Description {
  readonly status: number
  readonly message: string
  /** What the login page says of it. */
  readonly reason: string
}

/** The body parser gives its errors a status below 500. */
function describe(error: unknown): Description {
  if (error instanceof HTTPError) {
    return { status: error.status, message: error.message, reason: reasonOfStatus(error.status) }
  }
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (status >= 400 && status < 500) {
    return { status, message: 'The request could not be understood.', reason: reasonOfStatus(status) }
  }
  if (isOutage(error)) return { status: 503, message: OUTAGE, reason: 'database_unavailable' }
  const message = 'Something went wrong here. It is not your fault, and we have a record of it.'
  return { status: 500, message, reason: 'failed_here' }
}

function reasonOfStatus(status: number): string {
  return status < 500 ? 'auth_key_malformed' : 'failed_here'
}

/** The page's own address again, but a form's is none to be opened. */
function retryAddress(req: Request): string {
  return req.method === 'GET' ? '' : '/login'
}
