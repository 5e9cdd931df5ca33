import { types } from 'node:util'
import type { Strategy as OAuth2Strategy } from 'passport-oauth2'
import { isThenable } from '../client/deadline'
import type { Profile } from '../client/profile'
import type { TokenResponse } from '../client/responses'
import { SocialLoginError } from '../errors'
import type { Verdict } from '../login/context'
import type { ExchangedLogin } from '../login/exchange'

// The four functions are typed as methods, whose parameters TypeScript compares bivariantly: functions for other strategies, which
// declare `refreshToken: string`, are assignable.

/**
 * Express's request, as Passport's own types have it.
 *
 * @example
 * const verify: VerifyFunctionWithRequest = (req: Request, accessToken, refreshToken, profile) =>
 *   users.link(req.user, profile.id)
 */
export type Request = Parameters<OAuth2Strategy['authenticate']>[0]

/**
 * How a verify function answers: an error, or the user, or `false` with the reason in `info`.
 *
 * @example
 * done(null, false, { message: 'This account is closed.' })
 */
export type VerifyCallback<User = Express.User> = (
  error?: unknown,
  user?: User | false | null,
  info?: object | string,
) => void

/**
 * What a verify function may return instead of calling `done`: the user, nothing for "no", or a promise of these.
 *
 * @example
 * const answer: VerifyResult = users.find(profile.id) // a promise of the user, or of undefined for "no"
 */
export type VerifyResult<User = Express.User> =
  | User
  | false
  | null
  | undefined
  | void
  | Promise<User | false | null | undefined | void>

/**
 * Finds or creates the user of a profile. It answers by `done`, by what it returns, or by a promise: the first answer
 * counts, later ones are reported as a process warning and ignored. `refreshToken` is always undefined: this protocol
 * has none.
 *
 * @example
 * const verify: VerifyFunction = async (accessToken, refreshToken, profile) => users.findOrCreate(profile)
 */
export type VerifyFunction<User = Express.User> = {
  /** Finds or creates the user. */
  verify(
    accessToken: string,
    refreshToken: string | undefined,
    profile: Profile,
    done: VerifyCallback<User>,
  ): VerifyResult<User>
}['verify']

/**
 * A {@link VerifyFunction} with five parameters: also gets the whole response of the exchange, as in passport-oauth2.
 *
 * @example
 * const verify: VerifyFunctionWithParams = (accessToken, refreshToken, params, profile, done) =>
 *   done(null, { id: profile.id, lifetime: params.expires_in })
 */
export type VerifyFunctionWithParams<User = Express.User> = {
  /** Finds or creates the user. */
  verify(
    accessToken: string,
    refreshToken: string | undefined,
    params: TokenResponse,
    profile: Profile,
    done: VerifyCallback<User>,
  ): VerifyResult<User>
}['verify']

/**
 * A {@link VerifyFunction} under `passReqToCallback: true`.
 *
 * @example
 * new Strategy({ ...options, passReqToCallback: true }, (req, accessToken, refreshToken, profile) =>
 *   users.link(req.user, profile.id))
 */
export type VerifyFunctionWithRequest<User = Express.User> = {
  /** Finds or creates the user. */
  verify(req: Request, ...rest: Parameters<VerifyFunction<User>>): VerifyResult<User>
}['verify']

/**
 * A {@link VerifyFunctionWithParams} under `passReqToCallback: true`.
 *
 * @example
 * const verify: VerifyFunctionWithRequestAndParams = (req, accessToken, refreshToken, params, profile, done) =>
 *   done(null, { id: profile.id, ip: req.ip, token: params.access_token })
 */
export type VerifyFunctionWithRequestAndParams<User = Express.User> = {
  /** Finds or creates the user. */
  verify(req: Request, ...rest: Parameters<VerifyFunctionWithParams<User>>): VerifyResult<User>
}['verify']

/** Any of the four shapes. */
export type AnyVerifyFunction = (...args: never[]) => unknown

/**
 * Calls a verify function of any shape and waits for its first answer.
 *
 * A function that declares `done` is expected to call it: of what it returns only a real promise counts, because `(…,
 * done) => users.find(id, done)` returns whatever `find` does. One that declares no `done` answers by what it returns.
 * One of length 0 may do both: NestJS wraps verify in `async (...args)`, which calls `done` and returns nothing.
 *
 * @throws SocialLoginError `verify_timeout`
 * @throws the application's own error
 */
export function callVerify(
  verify: AnyVerifyFunction,
  req: Request,
  { params, profile }: ExchangedLogin,
  options: { readonly passReqToCallback: boolean; readonly verifyTimeout: number },
): Promise<Verdict> {
  const declared = verify.length - (options.passReqToCallback ? 1 : 0)
  const mayCallDone = verify.length === 0 || declared >= 4
  return new Promise((resolve, reject) => {
    const isFirst = firstOnly(options.verifyTimeout, reject)
    const give = (user: unknown, info?: unknown): void => {
      if (isFirst()) resolve({ user, info })
    }
    const fail = (error: unknown): void => {
      if (isFirst()) reject(toError(error))
    }
    const done = (error?: unknown, user?: unknown, info?: unknown): void => {
      if (error) fail(error)
      else if (isThenable(user)) fail(new TypeError('The verify function passed a promise to done: await it first.'))
      else give(user, info)
    }
    const returned = (user: unknown): void => {
      // Returning nothing is not an answer while the function may still call done.
      if (user !== undefined || !mayCallDone) give(user)
    }
    try {
      const token = params.access_token
      const args = declared === 5 ? [token, undefined, params, profile, done] : [token, undefined, profile, done]
      const result: unknown = Reflect.apply(verify, undefined, options.passReqToCallback ? [req, ...args] : args)
      // `Promise.resolve` unwraps nested thenables, so that a promise is never taken for a user.
      if (types.isPromise(result) || (declared < 4 && isThenable(result))) {
        Promise.resolve(result).then(returned, fail)
      } else if (declared < 4) returned(result)
    } catch (error) {
      fail(error)
    }
  })
}

/** Tells of each answer whether it is the first, and fails with a timeout if there is none. */
function firstOnly(timeout: number, reject: (error: unknown) => void): () => boolean {
  let settled = false
  const isFirst = (): boolean => {
    if (settled) {
      warnOfSecondAnswer()
      return false
    }
    settled = true
    clearTimeout(timer)
    return true
  }
  const timer = setTimeout(() => isFirst() && reject(new SocialLoginError('verify_timeout', 'verify')), timeout)
  return isFirst
}

/** `next(undefined)` and `next('route')` would let the request pass as if the login had succeeded. */
export function toError(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) return error
  return new Error(
    typeof error === 'string' && error
      ? error
      : 'A function of the application failed without giving an error: throw an Error, or pass one to done.',
  )
}

function warnOfSecondAnswer(): void {
  process.emitWarning(
    'A verify function answered twice, or after verifyTimeout: the later answer was ignored. Make every path through it answer once.',
    {
      type: 'SocialLoginWarning',
      code: 'VERIFY_SETTLED_TWICE',
    },
  )
}
