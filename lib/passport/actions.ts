import { IncomingMessage, type ServerResponse } from 'node:http'
import { type FailureInfo, OUTCOMES, SocialLoginError } from '../errors'
import type { AuthenticateOptions } from './options'
import type { Request } from './verify'

/** What a request to the strategy ends in: exactly one of Passport's actions, or an answer of our own. */
export type Action =
  | { readonly type: 'success'; readonly user: unknown; readonly info: object }
  | { readonly type: 'fail'; readonly info: unknown; readonly status: number }
  | { readonly type: 'redirect'; readonly url: string; readonly toProvider?: true }
  | { readonly type: 'pass' }
  | { readonly type: 'error'; readonly error: unknown }
  | { readonly type: 'answer'; readonly answer: Answer; readonly fallback: SocialLoginError }

/** An answer that the strategy writes itself. Where a framework hides the response object, the fallback is used. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

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

/** Whatever a login threw, as an action: `fail` or `error` by the table of outcomes; the application's own is `error`. */
export function toAction(error: unknown): Action {
  // A subclass of an application's own may have another code.
  const isFailure = error instanceof SocialLoginError && Object.hasOwn(OUTCOMES, error.code)
  if (!isFailure || OUTCOMES[error.code].kind === 'error') return { type: 'error', error }
  const info: FailureInfo = { code: error.code, message: error.message }
  return { type: 'fail', info, status: error.status }
}

/**
 * Carries an action out. What the application throws meanwhile goes to `next(error)`; a custom callback that throws
 * there, too, is answered with an empty 500 and a process warning, and never ends the process.
 */
export async function perform(action: Action, actions: PassportActions, req: Request): Promise<void> {
  try {
    await act(action, actions, req)
  } catch (error) {
    if (action.type === 'error') abandon(error, req)
    else await perform({ type: 'error', error }, actions, req)
  }
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

function act(action: Action, actions: PassportActions, req: Request): void {
  switch (action.type) {
    case 'success':
      return actions.success(action.user, action.info)
    case 'fail':
      return actions.fail(action.info, action.status)
    case 'redirect':
      if (action.toProvider) removeReferrerPolicy(req)
      return actions.redirect(action.url)
    case 'pass':
      return actions.pass()
    case 'error':
      setHeaders(req, action.error instanceof SocialLoginError ? action.error.headers : {})
      return actions.error(action.error)
    case 'answer':
      if (req.res) return write(action.answer, req.res)
      return act(toAction(action.fallback), actions, req)
  }
}

/** Sets headers of the answer where the framework gives the response (Express does, Connect and Fastify do not). */
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

function write({ status, headers, body }: Answer, res: ServerResponse): void {
  res.statusCode = status
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.setHeader('Content-Length', Buffer.byteLength(body))
  res.end(body)
}
