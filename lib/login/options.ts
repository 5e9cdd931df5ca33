import {
  choice,
  integer,
  type OptionTable,
  parseBoolean,
  parseFunction,
  parseOrigins,
  parseText,
  parseUploadsURL,
} from '../client/option-values'
import type { ExchangeMethod, ProfileEndpoint, SocialLoginClientOptions } from '../client/options'
import * as client from '../client/options'
import type { RenderConfirmPage } from './pages/confirm-page'

/** Options that describe one provider, besides its name. */
export interface ProviderOptions
  extends Pick<SocialLoginClientOptions, 'baseURL' | 'clientID' | 'clientSecret' | 'exchangeMethod'> {
  /**
   * Where the profile comes from. Default `user/me`; `get_user_info` for servers without the versioned API; `auto` tries
   * both in this order. Except for `user/me`, the token is part of a URL.
   */
  readonly profileEndpoint?: ProfileEndpoint | undefined
  /**
   * Root of the provider's uploads: pictures given as relative paths are resolved against it. Default: they are left
   * out.
   */
  readonly uploadsURL?: string | undefined
}

/** Options that depend neither on the framework nor on the provider. */
export interface SharedOptions
  extends Pick<SocialLoginClientOptions, 'userAgent' | 'timeout' | 'dispatcher' | 'allowInsecureHTTP' | 'userRecord'> {
  /**
   * The name of the login, for `passport.authenticate` and in `profile.provider`. Default `social-login`. Several providers
   * need several names.
   */
  readonly name?: string | undefined
  /**
   * Milliseconds for the exchange and the profile together. Default 10,000; 1 to 120,000. Beyond that: error
   * `provider_timeout`. While a connection cannot be opened, it is tried again for up to three seconds, at most a third of
   * this; then error `provider_unreachable`.
   */
  readonly timeout?: number | undefined
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
}

/** Options for one provider, in any framework. */
export interface CommonOptions extends SharedOptions, ProviderOptions {
  /**
   * The URL registered with the provider as "App Redirect URL", or its path. The path tells callbacks from starts; the
   * origin, if given, is the application's own. Without it, the `Host` header is used.
   */
  readonly callbackURL: string
  readonly provider?: undefined
}

/**
 * One provider of many: a community with an address, an application id and a secret of its own. A record of your database
 * will do: members that are not listed here are ignored, and null counts as absent.
 *
 * @example
 * const provider: Provider = { name: 'chess-club', baseURL: 'https://chess.example/api/v1', clientID, clientSecret }
 */
export interface Provider {
  /**
   * The `provider` of this provider's profiles, by which you tell its people from those of other providers: never change it, and
   * give no name to two providers, nor that of another strategy.
   */
  readonly name: string
  readonly baseURL: string
  readonly clientID: string
  readonly clientSecret: string
  /** The whole URL registered with this provider, and with no other. Default: the option `callbackURL`. */
  readonly callbackURL?: string | null | undefined
  readonly profileEndpoint?: ProfileEndpoint | null | undefined
  readonly exchangeMethod?: ExchangeMethod | null | undefined
  readonly uploadsURL?: string | null | undefined
}

/**
 * What the function `provider` returns.
 *
 * @example
 * const answer: ProviderResult = providers.find('chess-club')
 */
export type ProviderResult = Provider | null | undefined | PromiseLike<Provider | null | undefined>

/**
 * Options for many providers, one of which is found for each request.
 *
 * @example
 * const options: MultiProviderOptions<Request> = { provider: (request) => providers.find(new URL(request.url).host) }
 */
export interface MultiProviderOptions<Request> extends SharedOptions {
  /**
   * Finds the provider of a request, at the start and at the callback of each login; undefined or null for one that does not
   * exist, which becomes the failure `provider_unknown`. May take as long as `timeout` says.
   */
  readonly provider: (req: Request) => ProviderResult
  /**
   * The callback of providers that have none of their own: a whole URL in which `:provider` stands for the name, such as
   * `https://app.example/auth/:provider/callback`. With one callback for two providers, a hostile one could be sent a key of the
   * other (RFC 9700, section 4.4).
   */
  readonly callbackURL?: string | undefined
  /**
   * Allows providers at private, loopback and link-local addresses, which are refused after each lookup of their names. Those of
   * people whom you do not trust could read services of your own network. Default false; a `dispatcher` requires true,
   * because it looks names up by itself.
   */
  readonly allowPrivateAddresses?: boolean | undefined
  /**
   * Connection pools that are kept, one for each origin; the one that has been idle for the longest is closed. Default 100; 1 to 10,000.
   */
  readonly maxPools?: number | undefined
}

/** Options of one start, of which a callback has `callbackURL` too. */
export interface CallOptions {
  /**
   * A local path to go to after the login, such as `/inbox`. It comes back as `returnTo` of the login's info. Anything that
   * would lead to another origin, or is longer than 1,024 characters once percent-encoded, is ignored, so it may come from
   * a query.
   */
  readonly returnTo?: string | null | undefined
  /**
   * Up to 1,024 bytes of JSON that come back as `state` of the login's info. More is a TypeError (which the strategy gives
   * to `next`), so put no query text here.
   */
  readonly state?: object | string | number | boolean | null | undefined
  /**
   * Replaces the `callbackURL` of the options for this request: give it to the start and to the callback alike. For several
   * domains, and for proxies that rewrite the path of the callback.
   */
  readonly callbackURL?: string | undefined
}

/**
 * Decides per login whether to skip the profile request: one parameter returns the decision (or its promise), two
 * parameters call `done`. One signature, not a union of two, so that TypeScript infers the parameters' types.
 *
 * @example
 * const skipUserProfile: SkipUserProfile = async (accessToken) => cache.has(accessToken)
 */
export type SkipUserProfile = (
  accessToken: string,
  done: (error: unknown, skip?: boolean) => void,
) => boolean | Promise<boolean> | void

/** The options that describe a provider: of a strategy that has one, and members of a {@link Provider}. */
export const PROVIDER_OPTIONS = {
  ...client.PROVIDER_OPTIONS,
  profileEndpoint: choice<ProfileEndpoint>('user/me', 'get_user_info', 'auto'),
  uploadsURL: parseUploadsURL,
} as const satisfies OptionTable<ProviderOptions>

/** The options of all adapters, for one provider and for many; beside `callbackURL`, which each parses in its own way. */
export const SHARED_OPTIONS = {
  ...client.SHARED_OPTIONS,
  name: (value = 'social-login', option) => parseText(value, option),
  maxConcurrentLogins: integer(128, 10_000),
  unverifiedStart: choice('confirm', 'refuse', 'allow'),
  allowedStartOrigins: parseOrigins,
  allowedCallbackOrigins: parseOrigins,
  confirmPage: parseFunction<RenderConfirmPage | undefined>,
  tabBinding: parseBoolean,
} as const satisfies OptionTable<SharedOptions>

/** The further options for many providers. */
export const MANY_OPTIONS = {
  provider: parseFunction<MultiProviderOptions<never>['provider']>,
  allowPrivateAddresses: parseBoolean,
  maxPools: integer(100, 10_000),
} as const satisfies OptionTable<Omit<MultiProviderOptions<never>, keyof SharedOptions | 'callbackURL'>>
