import type { ServerResponse } from 'node:http'
import { isObject } from '../client/response/json'
import { type FailureInfo, isFailure, mark, SocialLoginError } from '../errors'
import { type Handled, markOf, type Refusal, returnToOf } from '../login/context'
import type { HandledRequest } from '../login/login'
import { NOT_ACCEPTED, verifyRefusal } from '../login/pages/refusal'
import { appendCookies } from '../login/request/cookies'
import { warningText, warnOfFailure, warnOnce } from '../warnings'
import type { AuthenticateOptions } from './options'
import { explainBareFailure, guardLogIn, responseOf, writeResponse } from './overrides'
import { warnOfLostSession } from './session-cookie'
import type { Request } from './verify-types'

export interface PassportActions {
  success(user: unknown, info?: object): void
  fail(info: unknown, status: number): void
  redirect(url: string): void
  error(error: unknown): void
  /** Whether a failure goes to `next(error)`, too: Passport itself would give an error without our code and cause. */
  readonly failWithError?: boolean | undefined
}

/**
 * Copies the actions immediately: `passport.authenticate(strategyInstance)` shares one object between requests, and the
 * next request overwrites them. Read later, they would send one user's login to another browser.
 */
export function captureActions(
  strategy: PassportActions,
  { failWithError }: Pick<AuthenticateOptions, 'failWithError'> = {},
): PassportActions {
  const { success, fail, redirect, error } = strategy
  for (const name of REQUIRED_ACTIONS) {
    if (typeof strategy[name] === 'function') continue
    throw new TypeError(
      `The strategy has no ${name}(): run it by passport.authenticate(), or give it the actions success, fail, redirect and error of Passport first.`,
    )
  }
  return { success, fail, redirect, error, failWithError }
}

const REQUIRED_ACTIONS = ['success', 'fail', 'redirect', 'error'] as const

/** Connect lacks the `res.redirect` by which Passport redirects: after a login it would throw uncaught. */
export function missingRedirect(req: Request, options: AuthenticateOptions): TypeError | undefined {
  const { successRedirect, successReturnToOrRedirect, failureRedirect } = options
  const isNeeded = successRedirect || successReturnToOrRedirect || failureRedirect
  // Fastify's request is no stream; its adapter redirects in its own way.
  if (!isNeeded || typeof req.pipe !== 'function' || typeof req.res?.redirect === 'function') return undefined
  return new TypeError(
    'The redirects of passport.authenticate() need req.res and res.redirect, which Connect lacks: see "Connect" in the documentation of passport-social-login.',
  )
}

/**
 * Runs a login and ends the request with its action. What the application throws meanwhile goes to `next(error)`; if a
 * custom callback throws there, too, the response is an empty 500, with a process warning. Never rejects.
 */
export async function runLogin(
  login: () => Promise<HandledRequest<unknown>>,
  actions: PassportActions,
  req: Request,
  options: AuthenticateOptions,
): Promise<void> {
  try {
    const { action, appOrigin } = await login()
    if (action.type === 'refused') return await refuse(action, actions, req)
    // After a response, Passport would renew the session, then throw uncaught at the redirect and crash the process.
    if (req.res?.headersSent) return endLate(action, actions, req)
    // The action is awaited, because Passport returns what a custom callback returns, which may be a promise.
    if (action.type === 'verdict' && action.verdict.user) warnOfLostSession(req, options, appOrigin)
    await applyAction(action, actions, req, options)
  } catch (error) {
    await failSafely(error, actions, req)
  }
}

// Express hears of an error after the response, too. Fastify's hook has ended by then, and its promise would reject with
// no one to catch it; a redirect that comes too late, Fastify writes to its own log.
function endLate(action: Handled, actions: PassportActions, req: Request): void {
  if (typeof req.pipe === 'function') throw new Error(warningText('LOGIN_TOO_LATE'))
  warnOnce('LOGIN_TOO_LATE')
  if (action.type === 'redirect') actions.redirect(action.url)
}

/** Never rejects. */
async function failSafely(
  error: unknown,
  actions: PassportActions,
  req: Request,
  login: Pick<Refusal, 'returnTo'> = {},
): Promise<void> {
  try {
    await failWith(error, actions, req, login)
  } catch (thrown) {
    // What Passport throws at a failure, such as without the middleware of `failureFlash`, is an error for `next`.
    const wasFailure = error instanceof SocialLoginError && isFailure(error)
    if (wasFailure && !(thrown instanceof SocialLoginError)) return failSafely(thrown, actions, req)
    warnOfFailure([error, thrown].map(detailOf).join('\nThen: '))
    endWithEmpty500(req)
  }
}

/** Never rejects. */
async function refuse(refusal: Refusal, actions: PassportActions, req: Request): Promise<void> {
  const { error, response } = refusal
  const res = responseOf(req)
  if (response && res) writeResponse(response, res)
  else await failSafely(error, actions, req, refusal)
}

function applyAction(action: Handled, actions: PassportActions, req: Request, options: AuthenticateOptions): void {
  setHeaders(req, markOf(action))
  switch (action.type) {
    case 'redirect':
      removeReferrerPolicy(req)
      return actions.redirect(action.url)
    case 'verdict': {
      const { user, info } = action.verdict
      if (!user) return refuseUser(reasonWith(action.loginInfo, info), actions, req)
      guardLogIn(req, options, action.loginInfo, (error) => void failSafely(error, actions, req))
      return actions.success(user, { ...infoObject(info), ...action.loginInfo })
    }
    case 'page': {
      const res = responseOf(req)
      return res ? writeResponse(action.response, res) : failWith(action.fallbackError, actions, req)
    }
  }
}

/** A copy of verify's reason, because verify may give one for several logins. It keeps the class, which tells reasons apart. */
function reasonWith(login: Pick<Refusal, 'returnTo'>, info: unknown): object {
  const reason = isObject(info) ? info : {}
  const members = { ...(infoObject(info) ?? { message: NOT_ACCEPTED }), ...returnToOf(login) }
  return Object.create(Object.getPrototypeOf(reason), Object.getOwnPropertyDescriptors(members))
}

/** Verify has refused. Without a reason, a page that shows `failureMessage` would say nothing. */
function refuseUser(info: object, actions: PassportActions, req: Request): void {
  const refusal = verifyRefusal(Reflect.get(info, 'message'))
  explainBareFailure(refusal, req, () => actions.fail(info, refusal.status))
}

/** `fail` or `error` by the table of outcomes; the application's own errors are `error`. */
function failWith(error: unknown, actions: PassportActions, req: Request, login: Pick<Refusal, 'returnTo'> = {}): void {
  setHeaders(req, error instanceof SocialLoginError ? error.headers : mark('application_error'))
  if (!(error instanceof SocialLoginError)) return actions.error(toError(error))
  // After a response, `fail` would send a second one.
  if (!isFailure(error) || req.res?.headersSent || actions.failWithError) return actions.error(error)
  const info: FailureInfo = { code: error.code, message: error.message, ...returnToOf(login) }
  explainBareFailure(error, req, () => actions.fail(info, error.status))
}

/** `next(undefined)` and `next('route')` would let the request pass as if the login had succeeded. */
function toError(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) return error
  return new Error(
    typeof error === 'string' && error
      ? error
      : 'A function of the application failed without giving an error: throw an Error, or pass one to done.',
  )
}

/** Passport takes a number for the status, and writes a string into WWW-Authenticate, which cannot hold every one. */
function infoObject(info: unknown): object | undefined {
  if (typeof info === 'string') return { message: info }
  if (!isObject(info)) return undefined
  // The message of an error is not enumerable, and that of a class may be a getter, so copies of the object would lack it.
  return 'message' in info ? { ...info, message: info['message'] } : info
}

function detailOf(error: unknown): string {
  return (error instanceof Error && error.stack) || `It was of the type ${typeof error}.`
}

function endWithEmpty500({ res }: Request): void {
  if (typeof res?.end !== 'function' || res.headersSent) return
  res.statusCode = 500
  res.end()
}

/** Sets response headers if the framework exposes the response (Express does, Connect and Fastify do not). */
export function setHeaders({ res }: Request, headers: Readonly<Record<string, string | readonly string[]>>): void {
  if (typeof res?.setHeader !== 'function' || res.headersSent) return
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
}

/** Adds `Set-Cookie` headers, if the framework exposes a response that can still take them. */
export function addCookies({ res }: Request, lines: readonly string[]): void {
  if (typeof res?.setHeader === 'function' && !res.headersSent) appendCookies(res, lines)
}

// If the redirect of a start sets a referrer policy, and its page had no referrer, Firefox says of a silent approval
// that it was typed (`Sec-Fetch-Site: none`), and it would be refused. The URL of a start holds no key to protect.
function removeReferrerPolicy(req: Request): void {
  // koa-passport's response has only `setHeader`, `statusCode` and `end`. An empty policy counts as none.
  const { removeHeader }: Partial<ServerResponse> = req.res ?? {}
  if (removeHeader) removeHeader.call(req.res, 'Referrer-Policy')
  else setHeaders(req, { 'Referrer-Policy': '' })
}
