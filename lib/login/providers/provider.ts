import { Endpoints } from '../../client/endpoints'
import type { Transports } from '../../client/http/transport'
import type { ProfileEndpoint } from '../../client/options'
import { Semaphore } from '../../client/semaphore'
import { parseCallbackURL } from '../../client/url-options'
import { type ParsedOptions, parseOptions } from '../../values'
import { digest } from '../pending-login/pending-login'
import type { OriginPolicy } from '../request/description'
import { PROVIDER_OPTIONS, type SHARED_OPTIONS } from './options'

/** What all logins of one strategy at one provider have in common. */
export interface LoginSettings extends ParsedOptions<typeof SHARED_OPTIONS>, OriginPolicy {
  /** The `provider` of profiles. */
  readonly providerName: string
  /** Whether the application names the provider for each request: it is then someone else's, and not the operator's. */
  readonly isOneOfMany: boolean
  readonly baseURL: string
  readonly endpoints: Endpoints
  readonly profileEndpoint: ProfileEndpoint
  readonly uploadsURL: URL | undefined
  readonly displayName: string
  /** Distinguishes the provider from those of other strategies: the names, the address and the application id. */
  readonly identity: readonly string[]
  readonly strategyDigest: string
  /** One slot for each login that waits for the provider (`maxConcurrentLogins`). */
  readonly concurrentLogins: Semaphore
  /** Called after exchange and profile. @throws SocialLoginError `provider_invalid` if another provider has the name */
  readonly onExchanged?: () => void
}

/** The options of a provider, or the members of its record, before they are parsed. */
export interface ProviderSource {
  readonly name: string
  readonly callbackURL: string
}

/** @throws TypeError naming the option that is wrong, never its value */
export function createLoginSettings(
  source: ProviderSource,
  shared: ParsedOptions<typeof SHARED_OPTIONS>,
  transports: Pick<Transports, 'transportTo'>,
  { isOneOfMany }: Pick<LoginSettings, 'isOneOfMany'>,
): LoginSettings {
  const { name } = source
  const { allowInsecureHTTP, maxConcurrentLogins, userRecord: select } = shared
  const parsed = parseOptions(PROVIDER_OPTIONS, { ...source, allowInsecureHTTP })
  const { baseURL: api, profileEndpoint, displayName, uploadsURL, ...credentials } = parsed
  const userRecord = select && ((json: unknown) => select(json, name))
  const client = { ...shared, ...api, ...credentials, userRecord }
  const endpoints = new Endpoints(client, transports.transportTo(api.origin))
  const callback = parseCallbackURL(source.callbackURL, 'callbackURL', shared)
  if (callback.origin !== undefined && shared.allowedCallbackOrigins.has(callback.origin))
    throw new TypeError(
      'allowedCallbackOrigins must not hold the origin of callbackURL: links inside the application would count as the provider',
    )
  const baseURL = api.origin + api.basePath
  // Browsers know the provider by its login page.
  const { origin: providerOrigin, host } = new URL(endpoints.loginURL)
  const identity = [shared.name, name, baseURL, credentials.clientID]
  return {
    ...shared,
    isOneOfMany,
    isCallbackCaseSensitive: isOneOfMany,
    providerName: name,
    baseURL,
    endpoints,
    profileEndpoint,
    displayName: displayName ?? host,
    uploadsURL,
    callbackPath: callback.path,
    appOrigin: callback.origin,
    providerOrigin,
    identity,
    strategyDigest: digestOfStrategy(identity, callback.path),
    concurrentLogins: new Semaphore(maxConcurrentLogins),
  }
}

/** The settings for a request that has its own `callbackURL`. @throws TypeError for one that is no URL and no path */
export function withCallback(settings: LoginSettings, callbackURL: string): LoginSettings {
  // Plain http is allowed, because requests are only compared with it.
  const options = { allowInsecureHTTP: true }
  const { path, origin = settings.appOrigin } = parseCallbackURL(callbackURL, 'callbackURL', options)
  return {
    ...settings,
    callbackPath: path,
    appOrigin: origin,
    strategyDigest: digestOfStrategy(settings.identity, path, origin === settings.appOrigin ? '' : origin),
  }
}

/**
 * Of many providers, each is someone else's: at the address of the application, its login page would make of a click on
 * "Sign in" a same-origin request to any page there.
 * @throws TypeError
 */
export function refuseOwnAddress({ appOrigin, providerOrigin, baseURL }: LoginSettings): void {
  if (appOrigin !== undefined && [providerOrigin, baseURL].map(hostOf).includes(hostOf(appOrigin)))
    throw new TypeError('baseURL and authorizationURL must not be at the address of this application')
}

/**
 * The host and port of a URL, by which the addresses of applications and providers are compared: without the scheme,
 * which browsers may change (HSTS), and without the dot that may end a name.
 */
export function hostOf(url: string): string {
  return new URL(url).host.replace(/\.(?=:|$)/, '')
}

/** Includes the callback: at another one, a login may mean something else even for the same strategy. */
function digestOfStrategy(identity: readonly string[], callbackPath: string, otherOrigin = ''): string {
  return digest(...identity, callbackPath, otherOrigin)
}
