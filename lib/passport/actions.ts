import { IncomingMessage, type ServerResponse } from 'node:http'
import { isObject } from '../client/json'
import { type FailureInfo, OUTCOMES, SocialLoginError } from '../errors'
import type { LoginAction } from '../login/context'
import type { HTTPResponse } from '../login/pages/page'
import type { AuthenticateOptions } from './options'
import { type Request, toError } from './verify'

/** What a request ends in: an action of its login, or an error. */
export type Outcome = LoginAction | { readonly type: 'error'; readonly error: unknown }

/** Passport's five actions on one request. */
export interface PassportActions {
  success(user: unknown, info?: object): void
  fail(info: unknown, status: number): void
  redirect(url: string): void
  pass(): void
  error(error: unknown): void
}

/**
 * Takes the actions off the strategy at once: `passport.authenticate(strategyInstance)` shares one object between
 * requests, and the next one overwrites them, so that a late look would answer one user's login to another browser.
 */
export function captureActions(strategy: PassportActions): PassportActions {
  const { success, fail, redirect, pass, error } = strategy
  return { success, fail, redirect, pass, error }
}

/**
 * Passport redirects by `res.redirect`, which Express has and Connect has not: behind a login it would throw where nothing
 * catches it, and end the process. Undefined if there is one, or none is needed.
 */
export function missingRedirect(req: Request, options: AuthenticateOptions): TypeError | undefined {
  const { successRedirect, successReturnToOrRedirect, failureRedirect } = options
  const isNeeded = successRedirect ?? successReturnToOrRedirect ?? failureRedirect
  // Fastify and Koa hand in requests of their own, and redirect in ways of their own.
  if (!isNeeded || !(req instanceof IncomingMessage) || typeof req.res?.redirect === 'function') return undefined
  return new TypeError(
    'The redirects of passport.authenticate() need req.res and res.redirect, which Connect has not: see "Connect" in the documentation of passport-social-login.',
  )
}

const TOO_LATE =
  'The login ended after the response had been sent (by a time limit of the application?): nobody was signed in.'

/**
 * Ends a request. What the application throws meanwhile goes to `next(error)`; a custom callback that throws there, too, is
 * answered with an empty 500 and a process warning. (An async callback must catch its own errors: of a failure, Passport
 * drops the promise that it returns.)
 */
export async function perform(
  outcome: Outcome,
  actions: PassportActions,
  req: Request,
  options: AuthenticateOptions,
): Promise<void> {
  try {
    // Passport would renew the session first, and fail to redirect where nothing catches it: that would end the process.
    if (req.res?.headersSent && outcome.type !== 'error') throw new Error(TOO_LATE)
    // Awaited because Passport returns what a custom callback returns, which may be a promise.
    await act(outcome, actions, req, options)
  } catch (error) {
    if (outcome.type === 'error') abandon(error, req)
    else await perform({ type: 'error', error }, actions, req, options)
  }
}

function act(outcome: Outcome, actions: PassportActions, req: Request, options: AuthenticateOptions): void {
  switch (outcome.type) {
    case 'redirect':
      removeReferrerPolicy(req)
      return actions.redirect(outcome.url)
    case 'decided': {
      const { user, info } = outcome.verdict
      if (!user) return actions.fail(infoObject(info), 401)
      return actions.success(user, { ...infoObject(info), ...outcome.info })
    }
    case 'continue': {
      const destination = replayDestination(options)
      return destination === undefined ? actions.pass() : actions.redirect(destination)
    }
    case 'respond':
      return req.res ? write(outcome.response, req.res) : failWith(outcome.otherwise, actions, req)
    case 'error':
      return failWith(outcome.error, actions, req)
  }
}

/** Where a callback that came again leads whoever is signed in, if the route says so. */
export function replayDestination(options: AuthenticateOptions): string | undefined {
  return options.successReturnToOrRedirect ?? options.successRedirect
}

/** `fail` or `error` by the table of outcomes; the application's own errors are `error`. */
function failWith(error: unknown, actions: PassportActions, req: Request): void {
  if (!(error instanceof SocialLoginError)) return actions.error(toError(error))
  setHeaders(req, error.headers)
  // A subclass of an application's own may have another code.
  const isFailure = Object.hasOwn(OUTCOMES, error.code) && OUTCOMES[error.code].kind === 'fail'
  // Passport would answer a failure once more.
  if (!isFailure || req.res?.headersSent) return actions.error(error)
  const info: FailureInfo = { code: error.code, message: error.message }
  actions.fail(info, error.status)
}

/** Passport writes a string into the WWW-Authenticate header, which cannot hold every string, and takes a number for the status. */
function infoObject(info: unknown): object | undefined {
  if (typeof info === 'string') return { message: info }
  return isObject(info) ? info : undefined
}

function abandon(error: unknown, { res }: Request): void {
  process.emitWarning(`The callback of passport.authenticate() failed: ${detailOf(error)}`, 'SocialLoginWarning')
  if (!res || res.headersSent) return
  res.statusCode = 500
  res.end()
}

/** Anything may have been thrown, objects without a text among it. */
function detailOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.stack : error)
  } catch {
    return 'it threw something that cannot be shown'
  }
}

/** Sets headers of the response where the framework gives the response (Express does, Connect and Fastify do not). */
export function setHeaders({ res }: Request, headers: Readonly<Record<string, string>>): void {
  if (!res || res.headersSent) return
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
}

/**
 * Firefox forgets who asked when a page without referrer (helmet's default) meets a redirect that names a policy: a silent
 * approval then comes back as if somebody had typed it (`Sec-Fetch-Site: none`), and would be refused. The URL of a start
 * holds no key, so the policy of the page is enough.
 */
function removeReferrerPolicy({ res }: Request): void {
  if (!res || res.headersSent) return
  // What koa-passport gives for a response has only `setHeader`, `statusCode` and `end`. An empty policy is none.
  const { removeHeader }: Partial<ServerResponse> = res
  if (removeHeader) removeHeader.call(res, 'Referrer-Policy')
  else res.setHeader('Referrer-Policy', '')
}

function write({ status, headers, body }: HTTPResponse, res: ServerResponse): void {
  res.statusCode = status
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.setHeader('Content-Length', Buffer.byteLength(body))
  res.end(body)
}
