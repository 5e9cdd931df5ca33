import { STATUS_CODES } from 'node:http'
import type { SocialLoginError } from '../errors'
import type { LoginInfo } from '../login/context'
import type { HTTPResponse } from '../login/pages/page'
import { refusalResponse, type VerifyRefusal } from '../login/pages/refusal'
import { pathOf } from '../login/request/paths'
import { httpRequest } from './incoming-message'
import type { AuthenticateOptions } from './options'
import type { Request } from './verify-types'

// Passport lets no strategy do what the two functions of this file do, so they replace a method of this one request or
// response. Nothing else in this package replaces a method that is not its own.

/**
 * Makes `successReturnToOrRedirect` lead to the login's `returnTo`, and what Passport or a custom callback throws behind
 * `req.logIn` go to `fail`: a session store calls back later, where it would be uncaught and end the process.
 *
 * Passport reads `req.session.returnTo` after `req.logIn`, which renews the session and drops one that was stored before.
 * The strategy cannot log in and redirect by itself, because a custom callback, of which no strategy is told, may have to
 * decide.
 */
export function guardLogIn(
  req: Request,
  options: AuthenticateOptions,
  { returnTo }: LoginInfo,
  fail: (error: unknown) => void,
): void {
  const { logIn } = req
  // Some adapters sign users in by themselves.
  if (typeof logIn !== 'function') return
  const storeReturnTo = (): void => {
    if (!options.successReturnToOrRedirect || returnTo === undefined) return
    Object.assign(Object(Reflect.get(req, 'session')), { returnTo })
  }
  const guarded = (...args: unknown[]): unknown => {
    const [user, given, done] = args
    // With other options it is a call of the application's own.
    if (given !== options) return Reflect.apply(logIn, req, args)
    // Fastify's `logIn` returns a promise.
    if (typeof done !== 'function') return Promise.resolve(Reflect.apply(logIn, req, args)).then(storeReturnTo)
    const loggedIn = (error: unknown): void => {
      if (!error) storeReturnTo()
      try {
        done(error)
      } catch (thrown) {
        fail(thrown)
      }
    }
    return Reflect.apply(logIn, req, [user, given, loggedIn])
  }
  Object.assign(req, { logIn: guarded })
}

/**
 * Explains a failure that nothing handles: without a `failureRedirect`, a custom callback or a further strategy,
 * Passport answers with the text of the status alone ("Forbidden"). It tells no strategy which of these there are, so
 * the only sign of that answer is the answer itself.
 */
export function explainBareFailure(error: SocialLoginError | VerifyRefusal, req: Request, fail: () => void): void {
  const res = responseOf(req)
  if (!res) return fail()
  const { end } = res
  const endExplained = (...args: unknown[]): unknown => {
    Object.assign(res, { end })
    // When Passport gives that answer, it has sent no headers. An application that answers with the same text may have.
    const isBare =
      !res.headersSent && args.length === 1 && args[0] === STATUS_CODES[error.status] && res.statusCode === error.status
    if (!isBare) return Reflect.apply(end, res, args)
    const http = httpRequest(req)
    return writeResponse(refusalResponse(error, pathOf(http), http.header('accept')), res)
  }
  Object.assign(res, { end: endExplained })
  try {
    fail()
  } finally {
    // A custom callback, or a strategy that goes on asynchronously, gets the method back as it was.
    if (Reflect.get(res, 'end') === endExplained) Object.assign(res, { end })
  }
}

/** Undefined where the framework exposes no response, or one that can only set headers. */
export function responseOf({ res }: Request): NonNullable<Request['res']> | undefined {
  return typeof res?.setHeader === 'function' && typeof res.end === 'function' ? res : undefined
}

export function writeResponse({ status, headers, body }: HTTPResponse, res: NonNullable<Request['res']>): void {
  res.statusCode = status
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.setHeader('Content-Length', Buffer.byteLength(body))
  res.end(body)
}
