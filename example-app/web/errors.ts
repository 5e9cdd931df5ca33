import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import { SocialLoginError } from 'passport-social-login'
import { messagePage } from '../views/pages'
import { sendPage, wantsJSON } from './pages'
import { mentionsKey } from './request-target'

const OUTAGE_MESSAGE = 'Our database cannot be reached at the moment. Please try again in a few seconds.'
// The value of `Retry-After` during an outage.
const RETRY_AFTER_S = 5
const OUTAGE_CODES = [
  // Network errors of Node.
  /^E(CONNREFUSED|CONNRESET|CONNABORTED|PIPE|TIMEDOUT|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|NOTFOUND|AI_AGAIN)$/,
  // Certificates of Postgres: expired, not yet valid, of another host, or of an authority that is not trusted.
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT$|ERR_TLS_CERT_)/,
  // A Unix socket without a server, and a folder of the socket or of the database file that may not be entered, is none any
  // more, or cannot be read.
  /^E(NOENT|ACCES|NOTDIR|IO|STALE)$/,
  // Postgres: connection (08), login (28, 3D), conflicts (40), resources (53), intervention (57), system (58).
  /^(08|28|3D|40|53|57|58)[\dA-Z]{3}$/,
  // Postgres: a server that is read-only, as a standby is; a database that is being restored: it accepts nobody, or lacks
  // tables, keys or rights.
  /^(25006|55000|55P03|42P01|42P10|42501)$/,
  // SQLite: locked by another process, read-only, or a disk that is full or failing, of which it may have read nonsense.
  /^SQLITE_(BUSY|LOCKED|READONLY|IOERR|CANTOPEN|FULL|PROTOCOL|NOMEM|CORRUPT|NOTADB)(_|$)/,
]
// Errors of the drivers that have no code.
const OUTAGE_DRIVER_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end|The database connection is not open)/

/** Ends a request with an error status and a message for the person. */
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

/** The last handler. The log contains the details; the person sees only the request's id. */
export const errorPage: ErrorRequestHandler = (error: unknown, req, res, _next) => {
  // express-session saves at the end of a response and reports here if it cannot. Express's own handler would destroy the
  // connection, and with it a response that is still being sent.
  if (res.headersSent) {
    req.log.error({ err: error }, 'an error after the response had started')
    return void res.end()
  }
  const { status, message, reason } = describe(error)
  if (status >= 500) res.err = error instanceof Error ? error : new Error('A value that is not an Error was thrown')
  if (status === 503) res.set('Retry-After', String(RETRY_AFTER_S))
  // No page may be shown at a URL that contains a key, not even this one. The key may still be valid after an outage, but
  // a person who has just approved the login needs only one click to get a new one.
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
  /** The code with which the login page explains the error. */
  readonly reason: string
}

/** Errors of the body parser have a status below 500. */
function describe(error: unknown): Description {
  if (error instanceof HTTPError) {
    return { status: error.status, message: error.message, reason: reasonOfStatus(error.status) }
  }
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (status >= 400 && status < 500) {
    return { status, message: 'The request could not be understood.', reason: reasonOfStatus(status) }
  }
  if (isOutage(error)) return { status: 503, message: OUTAGE_MESSAGE, reason: 'database_unavailable' }
  const message = 'Something went wrong on our side. It is not your fault, and the problem has been logged.'
  return { status: 500, message, reason: 'failed_here' }
}

function reasonOfStatus(status: number): string {
  return status < 500 ? 'auth_key_malformed' : 'failed_here'
}

/** Empty means the same URL again. The URL of a form cannot be opened by a link, unless it has a page, too. */
function retryAddress(req: Request): string {
  return req.method === 'GET' || req.path === '/login/confirm' ? '' : '/login'
}

/** Whether an error means that the database is temporarily unavailable, as opposed to a bug or a bad request. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // The strategy could not store the login in progress.
  if (error instanceof SocialLoginError) return error.code === 'session_unavailable'
  if ('code' in error && OUTAGE_CODES.some((codes) => codes.test(String(error.code)))) return true
  if (OUTAGE_DRIVER_MESSAGES.test(error.message)) return true
  if (error instanceof AggregateError && error.errors.some(isOutage)) return true
  return isOutage(error.cause)
}
