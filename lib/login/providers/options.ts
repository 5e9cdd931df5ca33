import {
  CLIENT_PROVIDER_OPTIONS,
  CLIENT_SHARED_OPTIONS,
  type ExchangeMethod,
  type ProfileEndpoint,
  type SocialLoginClientOptions,
} from '../../client/options'
import { parseOrigins, parseUploadsURL } from '../../client/url-options'
import { DEFAULT_CONNECTIONS, DEFAULT_POOLS, MAX_CONNECTIONS, MAX_POOLS } from '../../limits'
import {
  choice,
  integer,
  type OptionTable,
  parseBoolean,
  parseFunction,
  parseOptionalText,
  parseText,
} from '../../values'
import type { RenderConfirmPage } from '../pages/confirm-page'

/** Options that describe one provider, besides its name. */
export interface ProviderOptions
  extends Pick<
    SocialLoginClientOptions,
    'baseURL' | 'authorizationURL' | 'clientID' | 'clientSecret' | 'exchangeMethod'
  > {
  /** Where the profile comes from. Default `user/me`. See {@link ProfileEndpoint}. */
  readonly profileEndpoint?: ProfileEndpoint | undefined
  /** What people call the provider, such as `Chess Club`, for the confirm page. Default: the host of its login page. */
  readonly displayName?: string | undefined
  /** Folder of pictures that the provider names by relative paths. Default none: such pictures are left out. */
  readonly uploadsURL?: string | undefined
}

/** Options that depend neither on the framework nor on the provider. */
export interface SharedOptions
  extends Pick<SocialLoginClientOptions, 'userAgent' | 'timeout' | 'dispatcher' | 'allowInsecureHTTP' | 'userRecord'> {
  /** Name for `passport.authenticate` and `profile.provider`. Default `social-login`. Each strategy needs its own. */
  readonly name?: string | undefined
  /**
   * Milliseconds for the exchange and the profile together, for each call of the store, and for `provider`. Default
   * 10,000; 1 to 120,000. Beyond that: errors `provider_timeout`, `session_unavailable` and `provider_lookup_timeout`.
   * While a connection cannot be opened, it is tried again for a part of this.
   */
  readonly timeout?: number | undefined
  /**
   * Logins that may wait for the provider at once. Others get error `overloaded`, and leave their key and pending login
   * unused. Default 128; 1 to 10,000.
   */
  readonly maxConcurrentLogins?: number | undefined
  /**
   * The response to a start that may come from elsewhere (typed, mailed, or from a login wall). Default `confirm`, a
   * page with a button. `refuse` fails with `start_forbidden`. `allow` opens the application to login CSRF.
   */
  readonly unverifiedStart?: 'confirm' | 'refuse' | 'allow' | undefined
  /** Origins of sister sites whose links may start a login, such as `https://www.app.example`. Default none. */
  readonly allowedStartOrigins?: readonly string[] | undefined
  /** Further origins of the provider whose pages may lead to the callback. Default: only that of its login page. */
  readonly allowedCallbackOrigins?: readonly string[] | undefined
  /** Renders the confirm page. Default: a plain page in English. See {@link RenderConfirmPage}. */
  readonly confirmPage?: RenderConfirmPage | undefined
  /**
   * Ties the login to the browser tab that started it, by a secret in its `sessionStorage`: no other tab can then
   * inject a callback. The callback route must also accept POST, and users need JavaScript. Default false.
   */
  readonly tabBinding?: boolean | undefined
}

/** Options for one provider, in any framework. */
export interface CommonOptions extends SharedOptions, ProviderOptions {
  /**
   * The URL registered with the provider as "App Redirect URL", or its path. The path distinguishes callbacks from
   * starts. The origin, if given, is the application's own. Without it, the `Host` header is used.
   */
  readonly callbackURL: string
  readonly provider?: undefined
}

/**
 * One provider of many. A record of your database will do: other members are ignored, and null counts as absent.
 * @example
 * const provider: Provider = { name: 'chess-club', baseURL: 'https://chess.example/api/v1', clientID, clientSecret }
 */
export interface Provider {
  /** The `provider` of its profiles. Never change it, nor give it to another provider or another strategy. */
  readonly name: string
  readonly baseURL: string
  readonly authorizationURL?: string | null | undefined
  readonly clientID: string
  readonly clientSecret: string
  /** The whole URL registered with this provider, and with no other. Default: the option `callbackURL`. */
  readonly callbackURL?: string | null | undefined
  readonly profileEndpoint?: ProfileEndpoint | null | undefined
  readonly exchangeMethod?: ExchangeMethod | null | undefined
  readonly displayName?: string | null | undefined
  readonly uploadsURL?: string | null | undefined
}

/**
 * What the function `provider` returns.
 * @example
 * const answer: ProviderResult = providers.find('chess-club')
 */
export type ProviderResult = Provider | null | undefined | PromiseLike<Provider | null | undefined>

/**
 * Options for many providers, one of which is found for each request.
 * @example
 * const options: MultiProviderOptions<Request> = { provider: (request) => providers.find(new URL(request.url).host) }
 */
export interface MultiProviderOptions<Request> extends SharedOptions {
  /** Finds the provider of a request, at start and callback. If there is none, the login fails: `provider_unknown`. */
  readonly provider: (req: Request) => ProviderResult
  /**
   * The callback of providers that have none of their own: a whole URL in which `:provider` stands for the name, such
   * as `https://app.example/auth/:provider/callback`. No two providers may share one (RFC 9700, section 4.4).
   */
  readonly callbackURL?: string | undefined
  /**
   * Allows providers at private, loopback and link-local addresses. With providers that you do not trust, this opens
   * your own network. Default false; a `dispatcher` requires true, because it looks names up by itself.
   */
  readonly allowPrivateAddresses?: boolean | undefined
  /** Connection pools that are kept, one for each origin. Default 100; 1 to 10,000. */
  readonly maxPools?: number | undefined
}

/** Options of one start. A callback has `callbackURL`, too. */
export interface RequestOptions {
  /**
   * A local path to go to after the login, such as `/inbox`, or a URL of the application's own origin, whose path then
   * counts. It comes back in the `LoginInfo`. It may come from a query: what does not begin with a slash, would lead to
   * another origin, or has more than 1,024 characters once percent-encoded is left out. NODE_DEBUG says why.
   */
  readonly returnTo?: string | null | undefined
  /** Up to 1,024 bytes of JSON, which come back in the `LoginInfo`. More is a TypeError, so put no query text here. */
  readonly state?: object | string | number | boolean | null | undefined
  /** Replaces the option `callbackURL` for this request. Give it to the start and to the callback alike. */
  readonly callbackURL?: string | undefined
}

/**
 * Decides whether a login skips the profile request. With one parameter it returns the decision or its promise, with
 * two it calls `done`. Only `true` skips.
 * @example
 * const skipUserProfile: SkipUserProfile = async (accessToken) => cache.has(accessToken)
 */
export type SkipUserProfile = (
  accessToken: string,
  done: (error: unknown, skip?: boolean) => void,
) => boolean | Promise<boolean> | void

export const PROVIDER_OPTIONS = {
  ...CLIENT_PROVIDER_OPTIONS,
  profileEndpoint: choice<ProfileEndpoint>('user/me', 'get_user_info', 'auto'),
  displayName: parseOptionalText,
  uploadsURL: parseUploadsURL,
} as const satisfies OptionTable<ProviderOptions>

/** The options of all adapters but `callbackURL`, which each adapter parses in its own way. */
export const SHARED_OPTIONS = {
  ...CLIENT_SHARED_OPTIONS,
  name: (value = 'social-login', option) => parseText(value, option),
  maxConcurrentLogins: integer(DEFAULT_CONNECTIONS, MAX_CONNECTIONS),
  unverifiedStart: choice('confirm', 'refuse', 'allow'),
  allowedStartOrigins: parseOrigins,
  allowedCallbackOrigins: parseOrigins,
  confirmPage: parseFunction<RenderConfirmPage | undefined>,
  tabBinding: parseBoolean,
} as const satisfies OptionTable<SharedOptions>

export const MANY_OPTIONS = {
  provider: parseFunction<MultiProviderOptions<never>['provider']>,
  allowPrivateAddresses: parseBoolean,
  maxPools: integer(DEFAULT_POOLS, MAX_POOLS),
} as const satisfies OptionTable<Omit<MultiProviderOptions<never>, keyof SharedOptions | 'callbackURL'>>
