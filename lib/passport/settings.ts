import {
  integer,
  type OptionTable,
  type ParsedOptions,
  parseBoolean,
  parseOptions,
  refuseUnknown,
} from '../client/option-values'
import type { ProviderResult, SkipUserProfile } from '../login/options'
import type { PendingLoginStore } from '../login/pending-login'
import type { ManyProviders, OneProvider } from '../login/providers'
import { LOGIN_OPTIONS, parseLoginOptions, parseStore } from '../login/settings'
import { SessionStore } from '../login/stores/session-store'
import type { MultiProviderStrategyOptions, PassportOptions, StrategyOptions } from './options'
import type { Request } from './verify-types'

const PASSPORT_OPTIONS = {
  passReqToCallback: parseBoolean,
  skipUserProfile: parseSkip,
  verifyTimeout: integer(30_000, 600_000),
  store: (value: PendingLoginStore = new SessionStore(), name) => parseStore(value, name),
} as const satisfies OptionTable<PassportOptions<boolean>>

/** All options of the strategy, each with its parser. */
export const STRATEGY_OPTIONS = { ...LOGIN_OPTIONS, ...PASSPORT_OPTIONS }

/** Parsed options of the strategy. */
export interface StrategySettings extends ParsedOptions<typeof PASSPORT_OPTIONS> {
  readonly providers: OneProvider | ManyProviders
  /** Asks the application for the provider of a request; never called if there is only one. */
  findProvider(req: Request): ProviderResult
}

const DERIVED = 'it is derived from baseURL'
const NOT_IN_PROTOCOL = 'the Social Login API has none; remove it'
/** Options of passport-oauth2 and its subclasses. */
const INSTEAD_OF: Readonly<Record<string, string>> = {
  authorizationURL: DERIVED,
  tokenURL: DERIVED,
  userProfileURL: DERIVED,
  profileURL: DERIVED,
  scope: NOT_IN_PROTOCOL,
  scopeSeparator: NOT_IN_PROTOCOL,
  pkce: NOT_IN_PROTOCOL,
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
  refuseUnknown('Strategy', options, STRATEGY_OPTIONS, INSTEAD_OF)
  const { provider = () => undefined } = options
  return {
    ...parseOptions(PASSPORT_OPTIONS, options),
    providers: parseLoginOptions(options),
    findProvider: provider,
  }
}

function parseSkip(value: boolean | SkipUserProfile = false, name: string): boolean | SkipUserProfile {
  if (typeof value === 'boolean' || typeof value === 'function') return value
  throw new TypeError(`${name} must be true, false or a function`)
}
