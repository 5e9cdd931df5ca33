import type { Network } from '../client/http/transport'
import { parseWholeCallbackURL } from '../client/url-options'
import type { FailureInfo } from '../errors'
import { parseReturnPath } from '../login/pending-login/return-path'
import type { PendingLoginStore } from '../login/pending-login/store'
import { type BrowserStore, browserStore } from '../login/pending-login/store'
import { LoginCookies } from '../login/pending-login/stores/cookie-store'
import type { CookieStoreOptions } from '../login/pending-login/stores/sealed-cookie'
import type { CommonOptions, MultiProviderOptions, ProviderResult, RequestOptions } from '../login/providers/options'
import type { Providers } from '../login/providers/providers'
import { LOGIN_OPTIONS, parseLoginOptions, parseStore } from '../login/providers/settings'
import { refusePromise } from '../promises'
import { type OptionTable, type ParsedOptions, parseOptions, refuseUnknown } from '../values'

/** Options that only {@link SocialLogin} has, beside its store. */
export interface OwnOptions {
  /**
   * Where a failure leads: a local path, or a function that returns one. Default: a response with its status and
   * message, as a page, JSON or text, by `Accept`. Errors are never redirected.
   */
  readonly failureRedirect?: string | ((failure: FailureInfo) => string) | undefined
}

/** Either `keys`, or a `store` of your own. */
type StoreOptions =
  | {
      /** Secrets that seal the login in progress in its own cookie: see {@link CookieStoreOptions}. */
      readonly keys: CookieStoreOptions['keys']
      /** Name of that cookie, and whether it has a prefix: see {@link CookieStoreOptions}. */
      readonly cookie?: Pick<CookieStoreOptions, 'name' | 'hostPrefix'> | undefined
      readonly store?: undefined
    }
  | {
      /** Where the login in progress is kept instead of the cookie. */
      readonly store: PendingLoginStore<Request>
      readonly keys?: undefined
      readonly cookie?: undefined
    }

/**
 * Options of {@link SocialLogin}: either `keys`, or a `store` of your own. `callbackURL` must be the whole URL, whose
 * origin is the application's own, as browsers see it.
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
 * @example
 * const options: MultiProviderSocialLoginOptions = {
 *   callbackURL: 'https://app.example/auth/:provider/callback',
 *   provider: async (request) => providers.find(new URL(request.url).pathname.split('/')[2]),
 *   keys: [newKey, oldKey],
 * }
 */
export type MultiProviderSocialLoginOptions = MultiProviderOptions<Request> & OwnOptions & StoreOptions

/**
 * The id of the signed-in user, which must not change meanwhile. No one: undefined, null, an empty string, or false
 * (Hono's answer for a signed cookie that was tampered with).
 * @example
 * const user: UserID = session?.userID
 */
export type UserID = string | number | bigint | false | null | undefined

/**
 * Options of `start`.
 * @example
 * const options: StartOptions = { user: session?.userID, returnTo: '/inbox', state: { cart: 7 } }
 */
export interface StartOptions extends RequestOptions {
  /** Who is signed in on this request. Required even if it is no one, so that it cannot be forgotten. */
  readonly user: UserID
}

/**
 * Options of `callback` and `pendingLogin`.
 * @example
 * const options: CallbackOptions = { user: session?.userID }
 */
export interface CallbackOptions extends Pick<StartOptions, 'user' | 'callbackURL'> {}

const WEB_OPTIONS = {
  failureRedirect: parseFailureRedirect,
} as const satisfies OptionTable<OwnOptions>

export interface WebSettings extends ParsedOptions<typeof WEB_OPTIONS> {
  readonly providers: Providers
  /** Adds the cookies that it sets to the headers of the response. */
  storeFor(request: Request, headers: Headers): BrowserStore
  findProvider(request: Request): ProviderResult
}

export const SOCIAL_LOGIN_OPTIONS = { ...LOGIN_OPTIONS, ...WEB_OPTIONS }

const KNOWN = [...Object.keys(SOCIAL_LOGIN_OPTIONS), 'keys', 'cookie', 'store']
const NO_VERIFY = 'callback() resolves to the login; there is no verify function'
/** Options of the strategy. */
const INSTEAD_OF = { passReqToCallback: NO_VERIFY, skipUserProfile: NO_VERIFY, verifyTimeout: NO_VERIFY }

/** @throws TypeError naming the option that is wrong, never its value */
export function parseSocialLoginOptions(
  options: SocialLoginOptions | MultiProviderSocialLoginOptions,
  network: Network,
): WebSettings {
  refuseUnknown('SocialLogin', options, KNOWN, { ...INSTEAD_OF, ...network.withoutOptions })
  const { provider: findProvider = () => undefined } = options
  if (options.provider === undefined) parseWholeCallbackURL(options.callbackURL, 'callbackURL', options)
  return {
    ...parseOptions(WEB_OPTIONS, options),
    providers: parseLoginOptions(options, network),
    findProvider,
    storeFor: storesOf(options),
  }
}

function storesOf(options: SocialLoginOptions | MultiProviderSocialLoginOptions): WebSettings['storeFor'] {
  const { keys = [], cookie = {}, store } = options
  if (options.keys !== undefined && store !== undefined)
    throw new TypeError('keys and store exclude each other: give one')
  refuseUnknown('cookie', cookie, ['name', 'hostPrefix'])
  if (store !== undefined) {
    parseStore(store, 'store')
    return (request) => browserStore(store, request)
  }
  // It is set only where the browser would drop a Secure cookie; plain http beyond loopback is allowed by now.
  const allowInsecureHTTP = options.allowInsecureHTTP && options.callbackURL?.toLowerCase().startsWith('http:')
  const cookies = new LoginCookies({ ...cookie, keys, allowInsecureHTTP }, options.callbackURL)
  return (request, headers) => {
    return {
      save: (record) => addCookies(headers, cookies.start(record)),
      load: () => cookies.open(request.headers.get('cookie') ?? ''),
      consume: () => addCookies(headers, cookies.end()),
      explain: (appOrigin) => explainCookies(cookies, request, appOrigin),
    }
  }
}

function explainCookies(cookies: LoginCookies, { headers, url }: Request, appOrigin?: string): string {
  return cookies.explain(headers.get('cookie') ?? '', appOrigin ?? url, false)
}

export function addCookies(headers: Headers, lines: readonly string[]): void {
  for (const line of lines) headers.append('Set-Cookie', line)
}

function parseFailureRedirect(value: OwnOptions['failureRedirect'], name: string) {
  if (value === undefined) return undefined
  if (typeof value === 'function') return (failure: FailureInfo): string => parsePath(value(failure), `${name} must be`)
  const path = parsePath(value, `${name} must be`)
  return (): string => path
}

/** @param must what a TypeError begins with */
export function parsePath(value: unknown, must: string): string {
  const refusal = `${must} a path of this application, such as /login`
  refusePromise(value, refusal)
  const path = parseReturnPath(value)
  if (path === undefined) throw new TypeError(refusal)
  return path
}
