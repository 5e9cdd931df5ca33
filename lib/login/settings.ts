import { SocialLoginClient } from '../client/client'
import {
  readBoolean,
  readCallbackURL,
  readChoice,
  readInteger,
  readOrigins,
  readUploadsURL,
  requireText,
} from '../client/option-values'
import type { ProfileEndpoint } from '../client/options'
import type { LoginSettings } from './context'
import type { CommonOptions } from './options'
import type { RequestRules } from './request-headers'

/** The options that every adapter has; complete, by its type. */
export const COMMON_OPTIONS: Readonly<Record<keyof CommonOptions, true>> = {
  baseURL: true,
  clientID: true,
  clientSecret: true,
  callbackURL: true,
  name: true,
  userAgent: true,
  exchangeMethod: true,
  timeout: true,
  profileEndpoint: true,
  maxConcurrentLogins: true,
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

/** Settings of every adapter. */
export type CommonSettings = Omit<LoginSettings, 'skipUserProfile'>

/** @throws TypeError naming the option that is wrong, never its value */
export function readCommonSettings(options: CommonOptions): CommonSettings {
  const { name = 'social-login', confirmPage } = options
  requireText('name', name)
  if (confirmPage !== undefined && typeof confirmPage !== 'function')
    throw new TypeError('confirmPage must be a function')
  const maxConcurrentLogins = readInteger('maxConcurrentLogins', options.maxConcurrentLogins, 128, 10_000)
  return {
    name,
    confirmPage,
    maxConcurrentLogins,
    client: new SocialLoginClient({ ...clientOptions(options), maxConnections: maxConcurrentLogins }),
    identity: [name, options.baseURL, options.clientID],
    timeout: readInteger('timeout', options.timeout, 10_000, 120_000),
    profileEndpoint: readChoice('profileEndpoint', options.profileEndpoint, 'user/me', PROFILE_ENDPOINTS),
    uploadsURL: readUploadsURL(options.uploadsURL, options.allowInsecureHTTP),
    rules: readRules(options),
  }
}

/** @throws TypeError when a method is missing */
export function requireStore(store: object): void {
  const methods = ['save', 'load', 'consume', 'remove']
  if (methods.some((method) => typeof Reflect.get(Object(store), method) !== 'function')) {
    throw new TypeError('store must have the methods save, load, consume and remove')
  }
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
}: CommonOptions) {
  return { baseURL, clientID, clientSecret, userAgent, exchangeMethod, timeout, dispatcher, allowInsecureHTTP }
}

function readRules(options: CommonOptions): RequestRules {
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
