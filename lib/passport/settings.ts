import { SocialLoginClient } from '../client/client'
import {
  readBoolean,
  readCallbackURL,
  readChoice,
  readInteger,
  readOrigins,
  readUploadsURL,
  refuseUnknown,
  requireText,
} from '../client/option-values'
import type { ProfileEndpoint } from '../client/options'
import type { LoginSettings } from '../login/context'
import type { PendingLoginStore } from '../login/pending-login'
import type { RequestRules } from '../login/request-headers'
import { SessionStore } from '../login/stores/session-store'
import type { StrategyOptions } from './options'

/** Validated options of the strategy. */
export interface StrategySettings extends LoginSettings {
  readonly store: PendingLoginStore
  readonly passReqToCallback: boolean
  readonly verifyTimeout: number
}

/** The options that exist; complete, by its type. */
const OPTIONS: Readonly<Record<keyof StrategyOptions, true>> = {
  baseURL: true,
  clientID: true,
  clientSecret: true,
  callbackURL: true,
  name: true,
  userAgent: true,
  exchangeMethod: true,
  timeout: true,
  profileEndpoint: true,
  passReqToCallback: true,
  skipUserProfile: true,
  verifyTimeout: true,
  maxConcurrentLogins: true,
  store: true,
  unverifiedStart: true,
  allowedStartOrigins: true,
  allowedCallbackOrigins: true,
  confirmPage: true,
  tabBinding: true,
  uploadsURL: true,
  dispatcher: true,
  allowInsecureHTTP: true,
}

const PROFILE_ENDPOINTS: readonly ProfileEndpoint[] = ['user/me', 'get_user_info', 'auto']

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

function clientOptions({
  baseURL,
  clientID,
  clientSecret,
  userAgent,
  exchangeMethod,
  timeout,
  dispatcher,
  allowInsecureHTTP,
}: StrategyOptions<boolean>) {
  return { baseURL, clientID, clientSecret, userAgent, exchangeMethod, timeout, dispatcher, allowInsecureHTTP }
}

/** @throws TypeError naming the option that is wrong, never its value */
export function readSettings(options: StrategyOptions<boolean>): StrategySettings {
  if (typeof options !== 'object' || options === null) throw new TypeError('Strategy needs an options object')
  refuseUnknown(options, OPTIONS, INSTEAD_OF)
  const { name = 'social-login', skipUserProfile = false, store = new SessionStore(), confirmPage } = options
  requireText('name', name)
  if (typeof skipUserProfile !== 'boolean' && typeof skipUserProfile !== 'function') {
    throw new TypeError('skipUserProfile must be true, false or a function')
  }
  if (confirmPage !== undefined && typeof confirmPage !== 'function')
    throw new TypeError('confirmPage must be a function')
  requireStore(store)
  const maxConcurrentLogins = readInteger('maxConcurrentLogins', options.maxConcurrentLogins, 128, 10_000)
  return {
    name,
    store,
    skipUserProfile,
    confirmPage,
    maxConcurrentLogins,
    client: new SocialLoginClient({ ...clientOptions(options), maxConnections: maxConcurrentLogins }),
    identity: [name, options.baseURL, options.clientID],
    timeout: readInteger('timeout', options.timeout, 10_000, 120_000),
    verifyTimeout: readInteger('verifyTimeout', options.verifyTimeout, 30_000, 600_000),
    profileEndpoint: readChoice('profileEndpoint', options.profileEndpoint, 'user/me', PROFILE_ENDPOINTS),
    passReqToCallback: readBoolean('passReqToCallback', options.passReqToCallback),
    uploadsURL: readUploadsURL(options.uploadsURL, options.allowInsecureHTTP),
    rules: readRules(options),
  }
}

function readRules(options: StrategyOptions<boolean>): RequestRules {
  const { path, origin } = readCallbackURL(options.callbackURL, options.allowInsecureHTTP)
  const { unverifiedStart } = options
  return {
    callbackPath: path,
    appOrigin: origin,
    providerOrigin: new URL(options.baseURL).origin,
    allowedStartOrigins: readOrigins('allowedStartOrigins', options.allowedStartOrigins),
    allowedCallbackOrigins: readOrigins('allowedCallbackOrigins', options.allowedCallbackOrigins),
    unverifiedStart: readChoice('unverifiedStart', unverifiedStart, 'confirm', ['confirm', 'refuse', 'allow']),
    tabBinding: readBoolean('tabBinding', options.tabBinding),
  }
}

function requireStore(store: PendingLoginStore): void {
  const methods = ['save', 'load', 'consume', 'remove'] as const
  if (methods.some((method) => typeof store?.[method] !== 'function')) {
    throw new TypeError('store must have the methods save, load, consume and remove')
  }
}
