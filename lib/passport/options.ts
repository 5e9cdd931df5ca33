import type { Handler } from 'express'
import type {
  AuthenticateOptions as PassportAuthenticateOptions,
  AuthenticateCallback as PassportCallback,
  Strategy as PassportStrategy,
} from 'passport'
import type { ProfileEndpoint, SocialLoginClientOptions } from '../client/options'
import type { SkipUserProfile } from '../login/exchange'
import type { LoginInfo } from '../login/info'
import type { RenderConfirmPage } from '../login/pages/confirm-page'
import type { PendingLoginStore } from '../login/pending-login'

/**
 * Options of the {@link Strategy}. `StrategyOptions<true>` are those with `passReqToCallback: true`.
 *
 * @example
 * const options: StrategyOptions = {
 *   baseURL: 'https://social.example/api/v1',
 *   clientID,
 *   clientSecret,
 *   callbackURL: 'https://app.example/auth/social-login/callback',
 * }
 */
export interface StrategyOptions<WithRequest extends boolean = false>
  extends Omit<SocialLoginClientOptions, 'maxConnections'> {
  /**
   * The URL registered with the provider as "App Redirect URL", or its path. The path tells callbacks from starts; the
   * origin, if given, is the application's own. Without it, the `Host` header is used.
   */
  readonly callbackURL: string
  /** The name given to `passport.authenticate`. Default `social-login`. Several providers need several names. */
  readonly name?: string | undefined
  /**
   * Milliseconds for the exchange and the profile together. Default 10,000; 1 to 120,000. Beyond that: error
   * `provider_timeout`.
   */
  readonly timeout?: number | undefined
  /**
   * Where the profile comes from. Default `user/me`; `get_user_info` for servers without the versioned API; `auto` tries
   * both in this order. Except for `user/me`, the token is part of a URL.
   */
  readonly profileEndpoint?: ProfileEndpoint | undefined
  /** Gives the request to the verify function as its first argument. Default false. */
  readonly passReqToCallback?: WithRequest | undefined
  /** Skips the profile request, always or as the function decides: verify then gets `undefined`. Default false. */
  readonly skipUserProfile?: boolean | SkipUserProfile | undefined
  /**
   * Milliseconds that the verify function may take. Default 30,000; 1 to 600,000. Beyond that: error `verify_timeout`.
   */
  readonly verifyTimeout?: number | undefined
  /**
   * Logins that may wait for the provider at one time; others get error `overloaded`, their key and pending login
   * unused. Default 128; 1 to 10,000.
   */
  readonly maxConcurrentLogins?: number | undefined
  /** Where the login in progress is kept. Default: the session (`req.session`). */
  readonly store?: PendingLoginStore | undefined
  /**
   * The response to a start without proof that it comes from this application (typed, mailed, or redirected by a login
   * wall): `confirm`, a page whose button is the proof (default); `refuse`, fail `start_forbidden`; or `allow`, which
   * opens the application to login CSRF by a link.
   */
  readonly unverifiedStart?: 'confirm' | 'refuse' | 'allow' | undefined
  /** Origins of sister sites whose links may start a login, such as `https://www.app.example`. Default none. */
  readonly allowedStartOrigins?: readonly string[] | undefined
  /** Further origins of the provider whose pages may lead to the callback. Default: only the origin of `baseURL`. */
  readonly allowedCallbackOrigins?: readonly string[] | undefined
  /**
   * Replaces the confirm page: returns a whole HTML document whose link or form points to `path`. It may use styles,
   * fonts and pictures of this origin, and no script. It appears after 0.8 seconds, so that a click meant for another
   * page does not press it. Default: a plain page in English.
   */
  readonly confirmPage?: RenderConfirmPage | undefined
  /**
   * Ties the login to the browser tab that started it, by a secret in the tab's `sessionStorage`: a hostile page in
   * another tab, or one that opened this tab, then cannot inject its own callback into a pending login. The callback
   * route must also accept POST, and users need JavaScript. Default false.
   */
  readonly tabBinding?: boolean | undefined
  /**
   * Root of the provider's uploads: pictures given as relative paths are resolved against it. Default: they are left
   * out.
   */
  readonly uploadsURL?: string | undefined
}

/**
 * Options of one `passport.authenticate(name, options)`: Passport's own, and those of this strategy.
 *
 * @example
 * app.get('/auth/social-login', passport.authenticate('social-login', { returnTo: '/inbox', state: { cart: 7 } }))
 */
export interface AuthenticateOptions extends Omit<PassportAuthenticateOptions, 'state'> {
  /**
   * A local path to go to after the login, such as `/inbox`. It comes back as `req.authInfo.returnTo`. Anything that
   * would lead to another origin, or is longer than 1,024 characters once percent-encoded, is ignored, so it may come
   * from a query.
   */
  readonly returnTo?: string | undefined
  /**
   * Up to 1,024 bytes of JSON that come back as `req.authInfo.state` after the login. More is an error (a TypeError
   * given to `next`), so put no query text here.
   */
  readonly state?: object | string | number | boolean | null | undefined
  /**
   * Replaces the strategy's `callbackURL` for this request: give it to the start and to the callback alike. For several
   * domains, and for proxies that rewrite the path of the callback.
   */
  readonly callbackURL?: string | undefined
}

type OwnOptions = AuthenticateOptions

// Makes `passport.authenticate('social-login', { returnTo: '/inbox' })` compile.
declare module 'passport' {
  interface AuthenticateOptions {
    /** Of passport-social-login: a local path to go to after the login. */
    returnTo?: string | undefined
    /** Of passport-social-login: replaces the strategy's `callbackURL` for this request. */
    callbackURL?: string | undefined
  }

  // The type parameters must be those of Passport's own declaration: a result of JSON.parse is its `any`.
  interface Authenticator<
    InitializeRet = Handler,
    AuthenticateRet = ReturnType<typeof JSON.parse>,
    AuthorizeRet = AuthenticateRet,
    AuthorizeOptions = PassportAuthenticateOptions,
  > {
    /** With the options of passport-social-login, whose `state` may be any JSON. */
    authenticate(
      strategy: string | string[] | PassportStrategy,
      options: OwnOptions,
      callback?: PassportCallback,
    ): AuthenticateRet

    /** With the options of passport-social-login, whose `state` may be any JSON. */
    authorize(
      strategy: string | string[] | PassportStrategy,
      options: OwnOptions,
      callback?: PassportCallback,
    ): AuthorizeRet
  }
}

declare global {
  namespace Express {
    /** What passport-social-login adds to `req.authInfo` at a login. */
    interface AuthInfo extends Partial<LoginInfo> {}
  }
}
