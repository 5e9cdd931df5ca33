import type { FailureInfo } from '../errors'
import type { CallOptions, CommonOptions, MultiProviderOptions } from '../login/options'
import type { PendingLoginStore } from '../login/pending-login'
import type { CookieStoreOptions } from '../login/stores/sealed-cookie'

/** Options that only {@link SocialLogin} has, beside its store. */
export interface OwnOptions {
  /**
   * Where a failure leads: a local path, or a function that returns one. Default: a response with its status and message, as a
   * page, JSON or text, by `Accept`. Errors are never redirected.
   */
  readonly failureRedirect?: string | ((failure: FailureInfo) => string) | undefined
  /** Where a callback that a signed-in user repeats (reload, back button) leads: a local path. Default `/`. */
  readonly successRedirect?: string | undefined
}

/** Either `keys`, or a `store` of your own. */
type StoreOptions =
  | {
      /** Secrets that seal the login in progress in a cookie of its own: see {@link CookieStoreOptions}. */
      readonly keys: CookieStoreOptions['keys']
      readonly store?: undefined
    }
  | {
      /** Where the login in progress is kept instead of the cookie. */
      readonly store: PendingLoginStore<Request>
      readonly keys?: undefined
    }

/**
 * Options of {@link SocialLogin}: either `keys`, or a `store` of your own. `callbackURL` must be the whole URL, whose origin
 * is the application's own, as browsers see it.
 *
 * @example
 * const options: SocialLoginOptions = {
 *   baseURL: 'https://social.example/api/v1',
 *   clientID,
 *   clientSecret,
 *   callbackURL: 'https://app.example/auth/callback',
 *   keys: [newKey, oldKey],
 * }
 */
export type SocialLoginOptions = CommonOptions & OwnOptions & StoreOptions

/**
 * Options of a {@link SocialLogin} for many providers, one of which is found for each request.
 *
 * @example
 * const options: MultiProviderSocialLoginOptions = {
 *   callbackURL: 'https://app.example/auth/:provider/callback',
 *   provider: async (request) => providers.find(new URL(request.url).pathname.split('/')[2]),
 *   keys: [newKey, oldKey],
 * }
 */
export type MultiProviderSocialLoginOptions = MultiProviderOptions<Request> & OwnOptions & StoreOptions

/**
 * The id of the signed-in user, which must not change meanwhile. Nobody: undefined, null, an empty string, or false (Hono's
 * answer for a signed cookie that was tampered with).
 *
 * @example
 * const user: UserID = session?.userID
 */
export type UserID = string | number | bigint | false | null | undefined

/**
 * Options of `start`.
 *
 * @example
 * const options: StartOptions = { user: session?.userID, returnTo: '/inbox', state: { cart: 7 } }
 */
export interface StartOptions extends CallOptions {
  /** Who is signed in on this request. Required even if it is nobody, so that it cannot be forgotten. */
  readonly user: UserID
}

/**
 * Options of `callback` and `pendingLogin`.
 *
 * @example
 * const options: CallbackOptions = { user: session?.userID }
 */
export interface CallbackOptions extends Pick<StartOptions, 'user' | 'callbackURL'> {}
