import { Endpoints } from '../client/endpoints'
import type { Transport } from '../client/http/transport'
import { type CallbackLocation, readCallbackURL, readChoice, readUploadsURL } from '../client/option-values'
import { type ClientSettings, type ProfileEndpoint, readClientOptions } from '../client/options'
import type { Semaphore } from '../client/semaphore'
import type { ProviderOptions, SharedOptions } from './options'
import { digest } from './pending-login'
import { Refusals } from './refusals'
import type { RequestRules } from './request-headers'

/** What a provider is made of. */
export interface ProviderSource extends ProviderOptions {
  readonly name: string
  readonly callbackURL: string | undefined
}

/** One provider, and what belongs to its logins alone. */
export interface ProviderSettings {
  /** The `provider` of profiles. */
  readonly name: string
  /** Where the provider is, as an URL. */
  readonly baseURL: string
  readonly endpoints: Endpoints
  readonly profileEndpoint: ProfileEndpoint
  readonly uploadsURL: URL | undefined
  readonly rules: RequestRules
  /** Distinguishes it from other strategies and providers: the names, the provider and the application id. */
  readonly identity: readonly string[]
  /** Digest of the identity and the callback. */
  readonly strategyDigest: string
  /** One slot for each login that waits for the provider. */
  readonly slots: Semaphore
  readonly refusals: Refusals
  /** Called after each exchange that has brought a profile. @throws SocialLoginError `provider_invalid` if another provider has the name */
  readonly onLogin?: () => void
}

/** What all providers of a strategy share. */
export interface SharedSettings {
  readonly options: SharedOptions
  readonly rules: Omit<RequestRules, 'callbackPath' | 'appOrigin' | 'providerOrigin'>
  readonly maxConcurrentLogins: number
  /** Whether a path is not enough as `callbackURL`. */
  readonly needsOrigin: boolean
}

const PROFILE_ENDPOINTS: readonly ProfileEndpoint[] = ['user/me', 'get_user_info', 'auto']

/**
 * @param transportOf the connections to the provider
 * @throws TypeError naming the option that is wrong, never its value
 */
export function createProvider(
  provider: ProviderSource,
  identity: readonly string[],
  shared: SharedSettings,
  transportOf: (settings: ClientSettings) => Transport,
): ProviderSettings {
  const { options, maxConcurrentLogins } = shared
  const client = readClientOptions({ ...clientOptions(options, provider), maxConnections: maxConcurrentLogins })
  const endpoints = new Endpoints(client, transportOf(client))
  const { path, origin } = readCallback(provider.callbackURL, shared)
  return {
    name: provider.name,
    baseURL: client.origin + client.basePath,
    endpoints,
    profileEndpoint: readChoice('profileEndpoint', provider.profileEndpoint, 'user/me', PROFILE_ENDPOINTS),
    uploadsURL: readUploadsURL(provider.uploadsURL, options.allowInsecureHTTP),
    rules: { ...shared.rules, callbackPath: path, appOrigin: origin, providerOrigin: client.origin },
    identity,
    strategyDigest: strategyDigest(identity, path),
    slots: endpoints.slots,
    refusals: new Refusals(provider.name),
  }
}

/** Includes the callback's path: a login may mean something else at another callback, even of the same strategy. */
export function strategyDigest(identity: readonly string[], callbackPath: string, otherOrigin = ''): string {
  return digest(...identity, callbackPath, otherOrigin)
}

function clientOptions(shared: SharedOptions, { baseURL, clientID, clientSecret, exchangeMethod }: ProviderSource) {
  const { userAgent, timeout, dispatcher, allowInsecureHTTP } = shared
  return { baseURL, clientID, clientSecret, exchangeMethod, userAgent, timeout, dispatcher, allowInsecureHTTP }
}

/** @throws TypeError when it is not a path or an URL, or only a path where its origin is needed */
export function readCallback(callbackURL: unknown, { options, needsOrigin }: SharedSettings): CallbackLocation {
  const location = readCallbackURL(callbackURL, options.allowInsecureHTTP)
  if (needsOrigin && location.origin === undefined) {
    throw new TypeError('callbackURL must be the whole registered URL: its origin is that of the application')
  }
  return location
}
