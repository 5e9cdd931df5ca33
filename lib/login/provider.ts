import { Endpoints } from '../client/endpoints'
import type { Transport } from '../client/http/transport'
import { type ParsedOptions, parseCallbackURL, parseOptions } from '../client/option-values'
import type { ClientSettings, ProfileEndpoint } from '../client/options'
import type { Semaphore } from '../client/semaphore'
import { PROVIDER_OPTIONS, type SHARED_OPTIONS } from './options'
import { digest } from './pending-login'
import type { OriginPolicy } from './request-headers'

/** One provider, and what belongs to its logins alone. */
export interface ProviderSettings {
  /** The `provider` of profiles. */
  readonly name: string
  /** Where the provider is, as an URL. */
  readonly baseURL: string
  readonly endpoints: Endpoints
  readonly profileEndpoint: ProfileEndpoint
  readonly uploadsURL: URL | undefined
  readonly policy: OriginPolicy
  /** Distinguishes it from other strategies and providers: the names, the address and the application id. */
  readonly identity: readonly string[]
  /** Digest of the identity and the callback. */
  readonly strategyDigest: string
  /** One slot for each login that waits for the provider. */
  readonly loginSlots: Semaphore
  /** Called after each exchange that has brought a profile. @throws SocialLoginError `provider_invalid` if another provider has the name */
  readonly onLogin?: () => void
}

/** The options of a provider, or the members of its record, which have yet to be parsed. */
export interface ProviderSource {
  readonly name: string
  readonly callbackURL: string
}

/**
 * @param shared what all providers of a strategy share
 * @param transportOf the connections to the provider
 * @throws TypeError naming the option that is wrong, never its value
 */
export function createProvider(
  source: ProviderSource,
  shared: ParsedOptions<typeof SHARED_OPTIONS>,
  transportOf: (settings: ClientSettings) => Transport,
): ProviderSettings {
  const { name } = source
  const { allowInsecureHTTP, maxConcurrentLogins, userRecord: select } = shared
  const parsed = parseOptions(PROVIDER_OPTIONS, { ...source, allowInsecureHTTP })
  const { baseURL: api, profileEndpoint, uploadsURL, ...credentials } = parsed
  const userRecord = select && ((json: unknown) => select(json, name))
  const client = { ...shared, ...api, ...credentials, userRecord, maxConnections: maxConcurrentLogins }
  const callback = parseCallbackURL(source.callbackURL, 'callbackURL', shared)
  const baseURL = api.origin + api.basePath
  const identity = [shared.name, name, baseURL, credentials.clientID]
  const endpoints = new Endpoints(client, transportOf(client))
  return {
    name,
    baseURL,
    endpoints,
    profileEndpoint,
    uploadsURL,
    policy: {
      callbackPath: callback.path,
      appOrigin: callback.origin,
      providerOrigin: api.origin,
      allowedStartOrigins: shared.allowedStartOrigins,
      allowedCallbackOrigins: shared.allowedCallbackOrigins,
      unverifiedStart: shared.unverifiedStart,
      tabBinding: shared.tabBinding,
    },
    identity,
    strategyDigest: digestOfStrategy(identity, callback.path),
    loginSlots: endpoints.slots,
  }
}

/** Includes the callback's path: a login may mean something else at another callback, even of the same strategy. */
export function digestOfStrategy(identity: readonly string[], callbackPath: string, otherOrigin = ''): string {
  return digest(...identity, callbackPath, otherOrigin)
}
