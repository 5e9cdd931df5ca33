import type { ProfileEndpoint, SocialLoginClientOptions } from '../client/options'
import type { RenderConfirmPage } from './pages/confirm-page'

/** Options that do not depend on the framework. */
export interface CommonOptions extends Omit<SocialLoginClientOptions, 'maxConnections'> {
  /**
   * The URL registered with the provider as "App Redirect URL", or its path. The path tells callbacks from starts; the
   * origin, if given, is the application's own. Without it, the `Host` header is used.
   */
  readonly callbackURL: string
  /**
   * The name of the login, for `passport.authenticate` and in `profile.provider`. Default `social-login`. Several providers
   * need several names.
   */
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
  /**
   * Logins that may wait for the provider at one time; others get error `overloaded`, their key and pending login
   * unused. Default 128; 1 to 10,000.
   */
  readonly maxConcurrentLogins?: number | undefined
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
