import { openTransport } from '../client/http/open-transport'
import { readBoolean, readChoice, readInteger, readOrigins, requireText } from '../client/option-values'
import type { LoginSettings } from './context'
import type { CommonOptions, MultiSiteOptions, SharedOptions } from './options'
import { createSite, readCallback, type SharedSettings } from './site'
import { ManySites, OneSite } from './sites'

/** The options that every adapter has; complete, by its type. */
export const COMMON_OPTIONS: Readonly<Record<keyof CommonOptions | keyof MultiSiteOptions<never>, true>> = {
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
  site: true,
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
  options: CommonOptions | MultiSiteOptions<never>,
  needsOrigin = false,
): CommonSettings {
  const { name = 'social-login', confirmPage } = options
  requireText('name', name)
  if (confirmPage !== undefined && typeof confirmPage !== 'function')
    throw new TypeError('confirmPage must be a function')
  const hasMany = options.site !== undefined
  const shared = readShared(options, needsOrigin || hasMany)
  const timeout = readInteger('timeout', options.timeout, 10_000, 120_000)
  const sites = options.site === undefined ? oneSite(name, options, shared) : manySites(name, options, timeout, shared)
  return { name, confirmPage, timeout, sites }
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

function oneSite(name: string, options: CommonOptions, shared: SharedSettings): OneSite {
  for (const option of ['allowPrivateAddresses', 'maxPools']) {
    if (Reflect.get(options, option) !== undefined)
      throw new TypeError(`${option} is an option of many sites: see site`)
  }
  return new OneSite(createSite({ ...options, name }, [name, options.baseURL, options.clientID], shared, openTransport))
}

// Options of one site.
const OF_SITES = ['baseURL', 'clientID', 'clientSecret', 'exchangeMethod', 'profileEndpoint', 'uploadsURL']

function manySites(name: string, options: MultiSiteOptions<never>, timeout: number, shared: SharedSettings): ManySites {
  if (typeof options.site !== 'function')
    throw new TypeError('site must be a function that returns the site of a request')
  const misplaced = OF_SITES.find((option) => Reflect.get(options, option) !== undefined)
  if (misplaced !== undefined) throw new TypeError(`${misplaced} and site exclude each other: return it from site`)
  const { callbackURL } = options
  if (callbackURL !== undefined) {
    readCallback(callbackURL, shared)
    if (!/:site\b/.test(callbackURL))
      throw new TypeError('callbackURL must contain :site, which becomes the name of the site')
  }
  const allowPrivateAddresses = readBoolean('allowPrivateAddresses', options.allowPrivateAddresses)
  if (options.dispatcher && !allowPrivateAddresses)
    throw new TypeError(
      'dispatcher connects by itself, so that private addresses cannot be refused: make it refuse them, and set allowPrivateAddresses',
    )
  const maxPools = readInteger('maxPools', options.maxPools, 100, 10_000)
  return new ManySites(name, { timeout, callbackURL, allowPrivateAddresses, maxPools }, shared)
}
