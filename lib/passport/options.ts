import type { Handler } from 'express'
import type {
  AuthenticateOptions as PassportAuthenticateOptions,
  AuthenticateCallback as PassportCallback,
  Strategy as PassportStrategy,
} from 'passport'
import { nodeNetwork } from '../client/http/pools'
import { DEFAULT_VERIFY_TIMEOUT_MS, MAX_VERIFY_TIMEOUT_MS } from '../limits'
import type { LoginInfo } from '../login/context'
import type { PendingLoginStore } from '../login/pending-login/store'
import { CookieStore } from '../login/pending-login/stores/cookie-store'
import { SessionStore } from '../login/pending-login/stores/session-store'
import type {
  CommonOptions,
  MultiProviderOptions,
  ProviderResult,
  RequestOptions,
  SkipUserProfile,
} from '../login/providers/options'
import type { Providers } from '../login/providers/providers'
import { LOGIN_OPTIONS, parseLoginOptions, parseStore } from '../login/providers/settings'
import {
  integer,
  mayBeOptions,
  type OptionTable,
  type ParsedOptions,
  parseBoolean,
  parseFunction,
  parseOptions,
  plainName,
  refuseUnknown,
  typeName,
} from '../values'
import { warnOnce } from '../warnings'
import type { Request } from './verify-types'

/** Options that only the strategy has. */
export interface PassportOptions<WithRequest extends boolean> {
  /** Gives the request to the verify function as its first argument. Default false. */
  readonly passReqToCallback?: WithRequest | undefined
  /** Skips the profile request, always or as the function decides. Verify then gets `undefined`. Default false. */
  readonly skipUserProfile?: boolean | SkipUserProfile | undefined
  /** Milliseconds for the verify function. Default 30,000; 1 to 600,000. Beyond that: error `verify_timeout`. */
  readonly verifyTimeout?: number | undefined
  /**
   * Says who is signed in on a request: returns an id, or a user with one, or undefined, null or false for no one.
   * Default: the user whom Passport has stored in the session, else `req.user`. Give it if each visitor has a guest at
   * `req.user`, or if a user's id has an unusual name.
   */
  readonly currentUser?: ((req: Request) => unknown) | undefined
  /** Where the login in progress is kept. Default: the session (`req.session`). */
  readonly store?: PendingLoginStore | undefined
}

/**
 * Options of the {@link Strategy}. `StrategyOptions<true>` are those with `passReqToCallback: true`.
 * @example
 * const options: StrategyOptions = {
 *   baseURL: 'https://social.example/api/v1',
 *   clientID,
 *   clientSecret,
 *   callbackURL: 'https://app.example/auth/social-login/callback',
 * }
 */
export interface StrategyOptions<WithRequest extends boolean = false>
  extends CommonOptions,
    PassportOptions<WithRequest> {}

/**
 * Options of a {@link Strategy} for many providers, one of which is found for each request.
 * @example
 * const options: MultiProviderStrategyOptions = {
 *   callbackURL: 'https://app.example/auth/:provider/callback',
 *   provider: async (req) => providers.find(req.params['provider']),
 * }
 */
export interface MultiProviderStrategyOptions<WithRequest extends boolean = false>
  extends MultiProviderOptions<Request>,
    PassportOptions<WithRequest> {}

/**
 * Options of one `passport.authenticate(name, options)`: Passport's own, and those of this strategy.
 * @example
 * app.get('/auth/social-login', passport.authenticate('social-login', { returnTo: '/inbox', state: { cart: 7 } }))
 */
export interface AuthenticateOptions extends Omit<PassportAuthenticateOptions, keyof RequestOptions>, RequestOptions {}

type OwnOptions = AuthenticateOptions

// Makes `passport.authenticate('social-login', { returnTo: '/inbox' })` compile.
declare module 'passport' {
  interface AuthenticateOptions {
    /** Of passport-social-login: a local path to go to after the login. */
    returnTo?: string | null | undefined
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

const CALL_OPTIONS = ['returnTo', 'state', 'callbackURL']

/**
 * A TypeError for options of the strategy among those of `passport.authenticate()`, where they would be ignored. Warns of
 * options of a call that are written in another way. All others are left to Passport and to other strategies.
 */
export function misplacedOption(options: AuthenticateOptions): TypeError | undefined {
  if (!mayBeOptions(options))
    return new TypeError(`passport.authenticate: options must be an object of options, not ${typeName(options)}`)
  const names = Object.keys(options).filter((name) => !CALL_OPTIONS.includes(name))
  const misplaced = names.find((name) => Object.hasOwn(STRATEGY_OPTIONS, name))
  if (misplaced !== undefined)
    return new TypeError(
      `${misplaced} is an option of the strategy, not of passport.authenticate(): give it to new Strategy()`,
    )
  if (names.some((name) => PLAIN_NAMES.has(plainName(name)))) warnOnce('OPTION_MISSPELT')
  return undefined
}

const PASSPORT_OPTIONS = {
  passReqToCallback: parseBoolean,
  skipUserProfile: parseSkip,
  verifyTimeout: integer(DEFAULT_VERIFY_TIMEOUT_MS, MAX_VERIFY_TIMEOUT_MS),
  currentUser: parseFunction<PassportOptions<boolean>['currentUser']>,
  store: (value: PendingLoginStore = new SessionStore(), name) => parseStore(value, name),
} as const satisfies OptionTable<PassportOptions<boolean>>

export const STRATEGY_OPTIONS = { ...LOGIN_OPTIONS, ...PASSPORT_OPTIONS }
const PLAIN_NAMES = new Set([...CALL_OPTIONS, ...Object.keys(STRATEGY_OPTIONS)].map(plainName))

export interface StrategySettings extends ParsedOptions<typeof PASSPORT_OPTIONS> {
  readonly providers: Providers
  findProvider(req: Request): ProviderResult
}

const DERIVED = 'it is derived from baseURL'
const NOT_IN_PROTOCOL = 'the Social Login API has none; remove it'
/** Options of passport-oauth2 and its subclasses. */
const INSTEAD_OF: Readonly<Record<string, string>> = {
  tokenURL: DERIVED,
  userProfileURL: DERIVED,
  profileURL: DERIVED,
  scope: NOT_IN_PROTOCOL,
  scopeSeparator: NOT_IN_PROTOCOL,
  pkce: NOT_IN_PROTOCOL,
  profileFields: NOT_IN_PROTOCOL,
  enableProof: NOT_IN_PROTOCOL,
  graphAPIVersion: NOT_IN_PROTOCOL,
  customHeaders: 'the Social Login API has none; for the User-Agent there is userAgent',
  sessionKey: 'the pending login is kept by the store option',
  state: 'every login is bound to its browser without it; remove it',
  proxy: 'give the whole callbackURL instead',
  trustProxy: 'give the whole callbackURL instead',
  agent: 'give a dispatcher of undici instead',
}

/** @throws TypeError naming the option that is wrong, never its value */
export function parseStrategyOptions(
  options: StrategyOptions<boolean> | MultiProviderStrategyOptions<boolean>,
): StrategySettings {
  refuseUnknown('Strategy', options, Object.keys(STRATEGY_OPTIONS), INSTEAD_OF)
  const { provider = () => undefined } = options
  const parsed = parseOptions(PASSPORT_OPTIONS, options)
  const { store } = parsed
  if (options.name === 'session')
    throw new TypeError("name must not be session: it would replace Passport's own strategy")
  return {
    ...parsed,
    store: store instanceof CookieStore ? store.forCallback(options.callbackURL) : store,
    providers: parseLoginOptions(options, nodeNetwork),
    findProvider: provider,
  }
}

function parseSkip(value: boolean | SkipUserProfile = false, name: string): boolean | SkipUserProfile {
  if (typeof value === 'boolean' || typeof value === 'function') return value
  throw new TypeError(`${name} must be true, false or a function`)
}
