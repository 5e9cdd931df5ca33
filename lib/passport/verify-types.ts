import type { Strategy as OAuth2Strategy } from 'passport-oauth2'
import type { Profile } from '../client/response/profile'
import type { TokenResponse } from '../client/response/responses'

// The four functions are typed as methods, because TypeScript compares the parameters of methods bivariantly: functions
// that were written for other strategies and declare `refreshToken: string` are assignable.

/**
 * Express's request, as Passport's own types have it.
 * @example
 * const verify: VerifyFunctionWithRequest = (req: Request, accessToken, refreshToken, profile) =>
 *   users.link(req.user, profile.id)
 */
export type Request = Parameters<OAuth2Strategy['authenticate']>[0]

/**
 * Answers with an error, or the user, or `false` and the reason in `info`.
 * @example
 * done(null, false, { message: 'This account is closed.' })
 */
export type VerifyCallback<User = Express.User> = (
  error?: unknown,
  user?: User | false | null,
  info?: object | string,
) => void

/**
 * What a verify function may return instead of calling `done`: the user, false or null for "no", or a promise of these.
 * Nothing is an answer only of a function that calls `done`; of any other it is an error, because a `return` was forgotten.
 * @example
 * const answer: VerifyResult = null // this user may not sign in
 */
export type VerifyResult<User = Express.User> =
  | User
  | false
  | null
  | void
  | Promise<User | false | null>
  | Promise<void>

/**
 * Finds or creates the user of a profile. It answers by `done`, by what it returns, or by a promise. The first answer
 * counts, and later ones cause a process warning. `refreshToken` is always undefined, because this protocol has none.
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
 * @example
 * const verify: VerifyFunctionWithRequestAndParams = (req, accessToken, refreshToken, params, profile, done) =>
 *   done(null, { id: profile.id, ip: req.ip, token: params.access_token })
 */
export type VerifyFunctionWithRequestAndParams<User = Express.User> = {
  /** Finds or creates the user. */
  verify(req: Request, ...rest: Parameters<VerifyFunctionWithParams<User>>): VerifyResult<User>
}['verify']

export type AnyVerifyFunction = (...args: never[]) => unknown
