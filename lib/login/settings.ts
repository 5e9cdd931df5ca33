import { openTransport } from '../client/http/pools'
import { readBoolean, readChoice, readInteger, readOrigins, requireText } from '../client/option-values'
import type { LoginSettings } from './context'
import type { CommonOptions, MultiProviderOptions, SharedOptions } from './options'
import { createProvider, readCallback, type SharedSettings } from './provider'
import { ManyProviders, OneProvider } from './providers'

/** The options that every adapter has; complete, by its type. */
export const COMMON_OPTIONS: Readonly<Record<keyof CommonOptions | keyof MultiProviderOptions<never>, true>> = {
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
  provider: true,
  allowPrivateAddresses: true,
  maxPools: true,
}

/** Settings of every adapter. */
export type CommonSettings = Omit<LoginSettings, 'skipUserProfile'>

/**
 * @param needsOrigin whether a path is not enough as `callbackURL`
 * @throws TypeError naming the option that is wrong, never its value
 */
export function readCommonSettings(
  options: CommonOptions | MultiProviderOptions<never>,
  needsOrigin = false,
): CommonSettings {
  const { name = 'social-login', confirmPage } = options
  requireText('name', name)
  if (confirmPage !== undefined && typeof confirmPage !== 'function')
    throw new TypeError('confirmPage must be a function')
  const hasMany = options.provider !== undefined
  const shared = readShared(options, needsOrigin || hasMany)
  const timeout = readInteger('timeout', options.timeout, 10_000, 120_000)
  const providers =
    options.provider === undefined ? oneProvider(name, options, shared) : manyProviders(name, options, timeout, shared)
  return { name, confirmPage, timeout, providers }
}

/** @throws TypeError when a method is missing */
export function requireStore(store: object): void {
  const methods = ['save', 'load', 'consume', 'remove']
  if (methods.some((method) => typeof Reflect.get(Object(store), method) !== 'function')) {
    throw new TypeError('store must have the methods save, load, consume and remove')
  }
}

function readShared(options: SharedOptions, needsOrigin: boolean): SharedSettings {
  const { unverifiedStart } = options
  return {
    options,
    needsOrigin,
    maxConcurrentLogins: readInteger('maxConcurrentLogins', options.maxConcurrentLogins, 128, 10_000),
    rules: {
      allowedStartOrigins: readOrigins('allowedStartOrigins', options.allowedStartOrigins),
      allowedCallbackOrigins: readOrigins('allowedCallbackOrigins', options.allowedCallbackOrigins),
      unverifiedStart: readChoice('unverifiedStart', unverifiedStart, 'confirm', ['confirm', 'refuse', 'allow']),
      tabBinding: readBoolean('tabBinding', options.tabBinding),
    },
  }
}

function oneProvider(name: string, options: CommonOptions, shared: SharedSettings): OneProvider {
  for (const option of ['allowPrivateAddresses', 'maxPools']) {
    if (Reflect.get(options, option) !== undefined)
      throw new TypeError(`${option} is an option of many providers: see provider`)
  }
  return new OneProvider(
    createProvider({ ...options, name }, [name, options.baseURL, options.clientID], shared, openTransport),
  )
}

// Options of one provider.
const OF_PROVIDERS = ['baseURL', 'clientID', 'clientSecret', 'exchangeMethod', 'profileEndpoint', 'uploadsURL']

function manyProviders(
  name: string,
  options: MultiProviderOptions<never>,
  timeout: number,
  shared: SharedSettings,
): ManyProviders {
  if (typeof options.provider !== 'function')
    throw new TypeError('provider must be a function that returns the provider of a request')
  const misplaced = OF_PROVIDERS.find((option) => Reflect.get(options, option) !== undefined)
  if (misplaced !== undefined)
    throw new TypeError(`${misplaced} and provider exclude each other: return it from provider`)
  const { callbackURL } = options
  if (callbackURL !== undefined) {
    readCallback(callbackURL, shared)
    if (!/:provider\b/.test(callbackURL))
      throw new TypeError('callbackURL must contain :provider, which becomes the name of the provider')
  }
  const allowPrivateAddresses = readBoolean('allowPrivateAddresses', options.allowPrivateAddresses)
  if (options.dispatcher && !allowPrivateAddresses)
    throw new TypeError(
      'dispatcher connects by itself, so that private addresses cannot be refused: make it refuse them, and set allowPrivateAddresses',
    )
  const maxPools = readInteger('maxPools', options.maxPools, 100, 10_000)
  return new ManyProviders(name, { timeout, callbackURL, allowPrivateAddresses, maxPools }, shared)
}
