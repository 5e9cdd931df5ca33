import { checkArguments } from '../arguments'
import type { Profile } from '../client/response/profile'
import type { TokenResponse } from '../client/response/responses'
import { isFailure, type OutcomeCode, PRIVATE_HEADERS, type SocialLoginError } from '../errors'
import type { LoginAction } from '../login/context'
import type { LoginInfo } from '../login/info'
import type { HTTPResponse } from '../login/pages/page'
import { refusalResponse } from '../login/pages/refusal'
import { type HTTPRequest, pathOf } from '../login/request/headers'
import { parsePath, type WebSettings } from './options'

/**
 * The person has signed in at the provider: sign them in to your application.
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
 * The login failed: a `failure` is something that the person can fix, an `error` something that the operator must see.
 * @example
 * if (failure.type === 'error') alert(`${failure.code}: ${failure.message}`)
 */
export interface FailureResult {
  readonly type: 'failure' | 'error'
  readonly code: OutcomeCode
  readonly status: number
  /** A fixed sentence with cause and cure, safe to show. */
  readonly message: string
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

export interface Redirects extends Pick<WebSettings, 'failureRedirect'> {
  /**
   * The application's own, put before each path, because some frameworks refuse a relative `Location`. Undefined while
   * the provider of the request is unknown, and with it the callback.
   */
  origin?: string | undefined
}

export function resultOf(action: LoginAction<SignedIn>, headers: Headers, { origin = '' }: Redirects): CallbackResult {
  switch (action.type) {
    case 'verdict':
      return {
        type: 'success',
        ...action.verdict.user,
        info: action.loginInfo,
        headers: add(headers, PRIVATE_HEADERS),
        redirect: (path) => redirect(origin + parsePath(path, 'redirect() must be given'), new Headers(headers)),
        finish: (response) => finish(response, headers),
      }
    case 'redirect':
      // A Referrer-Policy would make Firefox forget which page began the login.
      return { type: 'response', response: redirect(action.url, add(headers, { 'Cache-Control': 'no-store' })) }
    case 'respond':
      return { type: 'response', response: respond(action.response, headers) }
  }
}

export function failed(
  error: SocialLoginError,
  headers: Headers,
  { failureRedirect, origin = '' }: Redirects,
  req: HTTPRequest,
): FailureResult {
  const { code, status, message } = error
  const type = isFailure(error) ? 'failure' : 'error'
  const path = type === 'failure' ? failureRedirect?.({ code, message }) : undefined
  const own = add(headers, error.headers)
  const refusal = (): HTTPResponse => refusalResponse(error, pathOf(req), req.header('accept'))
  const response = path === undefined ? respond(refusal(), own) : redirect(origin + path, own)
  return { type, code, status, message, error, response }
}

function redirect(location: string, headers: Headers): Response {
  return new Response(null, { status: 302, headers: add(headers, { Location: location }) })
}

const FINISH = {
  response: {
    must: 'a Response',
    // A framework may have a class of its own. A Request has headers, too, but no status.
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
