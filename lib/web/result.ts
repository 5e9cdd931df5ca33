import type { Profile } from '../client/response/profile'
import type { TokenResponse } from '../client/response/responses'
import {
  type FailureInfo,
  isFailure,
  type OutcomeCode,
  PRIVATE_HEADERS,
  type SocialLoginError,
  withoutAddress,
} from '../errors'
import { type LoginInfo, markOf, type Refusal, returnToOf } from '../login/context'
import type { HandledRequest } from '../login/login'
import type { HTTPResponse } from '../login/pages/page'
import { refusalResponse } from '../login/pages/refusal'
import type { HTTPRequest } from '../login/request/description'
import { pathOf } from '../login/request/paths'
import { checkArguments } from '../values'
import { parsePath, type WebSettings } from './options'

/**
 * The user has signed in at the provider: sign them in to your application.
 * @example
 * const { profile, info, headers, redirect }: SuccessResult = success
 */
export interface SuccessResult {
  readonly type: 'success'
  readonly profile: Profile
  readonly accessToken: string
  /** The whole response of the exchange. */
  readonly params: TokenResponse
  readonly info: LoginInfo
  /** Headers for your response: they end the login in progress, and keep the URL from caches and other sites. */
  readonly headers: Headers
  /** A redirect, with {@link headers}, to a path of your application. @throws TypeError for anything else */
  readonly redirect: (path: string) => Response
  /**
   * Your own response, with {@link headers}: `Set-Cookie` is added to its own, the others replace its own.
   * @throws TypeError for a response that cannot be sent, such as `Response.error()`
   */
  readonly finish: (response: Response) => Response
}

/**
 * The login failed: a `failure` is something that the user can fix, an `error` something that the operator must see.
 * @example
 * if (failure.type === 'error') alert(`${failure.code}: ${failure.message}`)
 */
export interface FailureResult {
  readonly type: 'failure' | 'error'
  readonly code: OutcomeCode
  readonly status: number
  /** A fixed sentence with cause and cure, safe to show. That of `error` also has the address of its explanation. */
  readonly message: string
  /** The local path given to the start, for a link to try again; absent unless the callback belongs to that login. */
  readonly returnTo?: string
  readonly error: SocialLoginError
  /** The redirect of `failureRedirect`, or the message as a page, as JSON or as text, by the request's `Accept`. */
  readonly response: Response
}

/**
 * A step of the login, or the answer to a speculative request: a response to send.
 * @example
 * const { response }: ResponseResult = step
 */
export interface ResponseResult {
  readonly type: 'response'
  readonly response: Response
}

/**
 * The result of a callback. All but a success carry a `response` that is ready to send.
 * @example
 * async function respond(result: CallbackResult): Promise<Response> {
 *   if (result.type !== 'success') return result.response
 *   const { profile, info, headers, redirect } = result
 *   headers.append('Set-Cookie', await startSession(profile))
 *   return redirect(info.returnTo ?? '/')
 * }
 */
export type CallbackResult = SuccessResult | FailureResult | ResponseResult

/** What a login has brought; the rest of a success belongs to each request. */
export type SignedIn = Pick<SuccessResult, 'profile' | 'accessToken' | 'params'>

/** What the result of a request depends on, beside what the login has come to. */
interface ResultContext extends Pick<WebSettings, 'failureRedirect'> {
  readonly headers: Headers
  readonly http: HTTPRequest
}

/** @param handled `appOrigin` is put before each path, because some frameworks refuse a relative `Location` */
export function resultOf(
  { action, appOrigin = '' }: HandledRequest<SignedIn>,
  { headers, http, failureRedirect }: ResultContext,
): CallbackResult {
  if (action.type !== 'refused') add(headers, markOf(action))
  switch (action.type) {
    case 'verdict':
      return {
        type: 'success',
        ...action.verdict.user,
        info: action.loginInfo,
        headers: add(headers, PRIVATE_HEADERS),
        redirect: (path) => redirect(appOrigin + parsePath(path, 'redirect() must be given'), new Headers(headers)),
        finish: (response) => finish(response, headers),
      }
    case 'redirect':
      // A Referrer-Policy would make Firefox forget which page began the login.
      return { type: 'response', response: redirect(action.url, add(headers, { 'Cache-Control': 'no-store' })) }
    case 'page':
      return { type: 'response', response: respond(action.response, headers) }
    case 'refused':
      if (action.response) return { type: 'response', response: respond(action.response, headers) }
      return failed(action, add(headers, action.error.headers), http, (failure) => {
        const path = failureRedirect?.(failure)
        return path && appOrigin + path
      })
  }
}

function failed(
  { error, ...login }: Refusal,
  headers: Headers,
  http: HTTPRequest,
  locationOf: (failure: FailureInfo) => string | undefined,
): FailureResult {
  const { code, status } = error
  const message = withoutAddress(error.message)
  const type = isFailure(error) ? 'failure' : 'error'
  const location = type === 'failure' ? locationOf({ code, message, ...returnToOf(login) }) : undefined
  const response =
    location === undefined
      ? respond(refusalResponse(error, pathOf(http), http.header('accept')), headers)
      : redirect(location, headers)
  return { type, code, status, message, ...returnToOf(login), error, response }
}

function redirect(location: string, headers: Headers): Response {
  return new Response(null, { status: 302, headers: add(headers, { Location: location }) })
}

const FINISH = {
  response: {
    must: 'a Response',
    // A framework may have its own class. A Request has headers, too, but no status.
    fits: (one: unknown) => {
      const { status, headers }: Readonly<Record<string, unknown>> = Object(one)
      return typeof status === 'number' && typeof Object(headers)['get'] === 'function'
    },
  },
}

function finish(response: Response, own: Headers): Response {
  checkArguments('finish', FINISH, [response])
  const { body, status, statusText, headers } = response
  // An error, or a redirect which fetch was told not to follow, has the status 0.
  if (status < 200) throw new TypeError('finish() must be given a response that can be sent, with a status from 200 on')
  const merged = new Headers(headers)
  for (const [name, value] of own) {
    if (name === 'set-cookie') merged.append(name, value)
    else merged.set(name, value)
  }
  return new Response(body, { status, statusText, headers: merged })
}

function respond({ status, headers, body }: HTTPResponse, own: Headers): Response {
  return new Response(body, { status, headers: add(own, headers) })
}

function add(headers: Headers, more: Readonly<Record<string, string>>): Headers {
  for (const [name, value] of Object.entries(more)) headers.set(name, value)
  return headers
}
