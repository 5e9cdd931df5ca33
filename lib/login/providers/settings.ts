import type { Network } from '../../client/http/transport'
import { parseCallbackURL, parseWholeCallbackURL } from '../../client/url-options'
import { type ParsedOptions, parseOptions } from '../../values'
import {
  type CommonOptions,
  MANY_OPTIONS,
  type MultiProviderOptions,
  PROVIDER_OPTIONS,
  SHARED_OPTIONS,
} from './options'
import { Providers } from './providers'

/** The options that every adapter has, each with its parser. */
export const LOGIN_OPTIONS = {
  ...PROVIDER_OPTIONS,
  ...SHARED_OPTIONS,
  ...MANY_OPTIONS,
  callbackURL: parseCallbackURL,
}

type SharedValues = ParsedOptions<typeof SHARED_OPTIONS>

/** @throws TypeError naming the option that is wrong, never its value */
export function parseLoginOptions(options: CommonOptions | MultiProviderOptions<never>, network: Network): Providers {
  const shared = parseOptions(SHARED_OPTIONS, options)
  if (options.provider === undefined) return fixedProvider(options, shared, network)
  return manyProviders(options, shared, network)
}

export function parseStore<Store extends object>(value: Store, name: string): Store {
  const methods = ['save', 'load', 'consume']
  if (methods.every((method) => typeof Reflect.get(Object(value), method) === 'function')) return value
  throw new TypeError(`${name} must have the methods save, load and consume`)
}

function fixedProvider(options: CommonOptions, shared: SharedValues, network: Network): Providers {
  const misplaced = firstOf(MANY_OPTIONS, options)
  if (misplaced !== undefined) throw new TypeError(`${misplaced} is an option of many providers: see provider`)
  // The operator has chosen this provider, so it may be anywhere.
  const transports = network.openTransports({ ...shared, allowPrivateAddresses: true, maxPools: 1 })
  return new Providers(shared, transports, { ...options, name: shared.name })
}

function manyProviders(options: MultiProviderOptions<never>, shared: SharedValues, network: Network): Providers {
  const misplaced = firstOf(PROVIDER_OPTIONS, options)
  if (misplaced !== undefined)
    throw new TypeError(`${misplaced} and provider exclude each other: return it from provider`)
  const { allowPrivateAddresses, maxPools } = parseOptions(MANY_OPTIONS, options)
  const { callbackURL } = options
  if (callbackURL !== undefined) {
    parseWholeCallbackURL(callbackURL, 'callbackURL', shared)
    if (!/:provider\b/.test(callbackURL))
      throw new TypeError('callbackURL must contain :provider, which becomes the name of the provider')
  }
  if (shared.dispatcher && !allowPrivateAddresses)
    throw new TypeError(
      'dispatcher connects by itself, so that private addresses cannot be refused: make it refuse them, and set allowPrivateAddresses',
    )
  const transports = network.openTransports({ ...shared, allowPrivateAddresses, maxPools })
  return new Providers({ ...shared, callbackURL }, transports)
}

function firstOf(table: object, options: object): string | undefined {
  return Object.keys(table).find((name) => Reflect.get(options, name) !== undefined)
}
