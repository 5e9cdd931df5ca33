import { readBoolean, readInteger, refuseUnknown } from '../client/option-values'
import type { LoginSettings } from '../login/context'
import type { ProviderResult } from '../login/options'
import type { PendingLoginStore } from '../login/pending-login'
import { COMMON_OPTIONS, readCommonSettings, requireStore } from '../login/settings'
import { SessionStore } from '../login/stores/session-store'
import type { MultiProviderStrategyOptions, StrategyOptions } from './options'
import type { Request } from './verify-types'

/** Validated options of the strategy. */
export interface StrategySettings extends LoginSettings {
  readonly store: PendingLoginStore
  readonly passReqToCallback: boolean
  readonly verifyTimeout: number
  /** Asks the application for the provider of a request; never called if there is only one. */
  findProvider(req: Request): ProviderResult
}

/** The options that exist; complete, by its type. */
const OPTIONS: Readonly<Record<keyof StrategyOptions | keyof MultiProviderStrategyOptions, true>> = {
  ...COMMON_OPTIONS,
  passReqToCallback: true,
  skipUserProfile: true,
  verifyTimeout: true,
  store: true,
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
export function readSettings(
  options: StrategyOptions<boolean> | MultiProviderStrategyOptions<boolean>,
): StrategySettings {
  if (typeof options !== 'object' || options === null) throw new TypeError('Strategy needs an options object')
  refuseUnknown(options, OPTIONS, INSTEAD_OF)
  const { skipUserProfile = false, store = new SessionStore() } = options
  if (typeof skipUserProfile !== 'boolean' && typeof skipUserProfile !== 'function') {
    throw new TypeError('skipUserProfile must be true, false or a function')
  }
  requireStore(store)
  return {
    ...readCommonSettings(options),
    findProvider: options.provider ?? (() => undefined),
    store,
    skipUserProfile,
    verifyTimeout: readInteger('verifyTimeout', options.verifyTimeout, 30_000, 600_000),
    passReqToCallback: readBoolean('passReqToCallback', options.passReqToCallback),
  }
}
