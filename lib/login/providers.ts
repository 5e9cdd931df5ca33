import { isThenable, withTimeout } from '../client/deadline'
import { isPrivateHost, publicLookup, resolveName } from '../client/http/address'
import { ProviderPools } from '../client/http/pools'
import { isObject } from '../client/json'
import { requireText } from '../client/option-values'
import { type Phase, SocialLoginError } from '../errors'
import { plainPath } from './callback-path'
import type { Provider, ProviderResult } from './options'
import {
  createProvider,
  type ProviderSettings,
  type ProviderSource,
  readCallback,
  type SharedSettings,
} from './provider'

/** The provider of a strategy that has only one. */
export class OneProvider {
  readonly fixed: ProviderSettings

  constructor(provider: ProviderSettings) {
    this.fixed = provider
  }

  /** Closes the connections after pending logins have ended. */
  async close(): Promise<void> {
    await this.fixed.slots.close()
    await this.fixed.endpoints.close()
  }
}

/** Validated options of many providers. */
export interface ManyProvidersSettings {
  readonly timeout: number
  readonly maxPools: number
  readonly allowPrivateAddresses: boolean
  /** For providers without one of their own; `:provider` stands for the name. */
  readonly callbackURL: string | undefined
}

// What is kept of a provider takes some kilobytes, and is made again within a millisecond.
const MAX_PROVIDERS = 1000
// The limit is that of each provider, and several providers may share an origin.
const MAX_CONNECTIONS = 10_000

const CALLBACK_TAKEN =
  'callbackURL is that of another provider: give each provider one of its own (if the other has been corrected, restart the application)'
const NAME_TAKEN = 'name is that of a provider with another baseURL (if it has moved, restart the application)'

/** The providers of a strategy whose application names one for each request. */
export class ManyProviders {
  readonly fixed = undefined
  readonly #strategy: string
  readonly #settings: ManyProvidersSettings
  readonly #shared: SharedSettings
  readonly #pools: ProviderPools
  /** By their content, so that a provider with other credentials is another one; the least recently used first. */
  readonly #providers = new Map<string, ProviderSettings>()
  /** Of each provider at which a login has succeeded: people of two providers under one name would be the same people. */
  readonly #addressOf = new Map<string, string>()
  /** Under one callback for two providers, the key of one could be sent to the other (RFC 9700, section 4.4). */
  readonly #providerOf = new Map<string, string>()
  #isClosed = false

  constructor(strategy: string, settings: ManyProvidersSettings, shared: SharedSettings) {
    this.#strategy = strategy
    this.#settings = settings
    this.#shared = shared
    this.#pools = new ProviderPools({
      maxPools: settings.maxPools,
      dispatcher: shared.options.dispatcher,
      connections: MAX_CONNECTIONS,
      connectTimeout: settings.timeout,
      lookup: settings.allowPrivateAddresses ? undefined : publicLookup(resolveName),
    })
  }

  /**
   * The provider of one request.
   *
   * @param ask calls the application's function
   * @throws SocialLoginError `provider_unknown`, `provider_invalid` or `provider_lookup_timeout`
   * @throws what the application's function threw
   */
  async find(ask: () => ProviderResult, phase: Phase): Promise<ProviderSettings> {
    const provider = await this.#inTime(ask(), phase)
    if (provider === undefined || provider === null) throw new SocialLoginError('provider_unknown', phase)
    // Not within `try`: what a getter of the application's record throws may quote a secret, and is passed on.
    const members = membersOf(provider)
    try {
      return this.#settingsOf(this.#inOneSpelling(readProvider(members, this.#settings.callbackURL)))
    } catch (error) {
      // The application's data is wrong: its message names the option, never the value.
      if (!(error instanceof TypeError)) throw error
      throw new SocialLoginError('provider_invalid', phase, { hint: `${error.message}.` })
    }
  }

  /** Closes the connections after pending logins have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(Array.from(this.#providers.values(), ({ slots }) => slots.close()))
    await this.#pools.close()
  }

  #inTime(answer: ProviderResult, phase: Phase): ProviderResult {
    // Most applications look in a map: a timer for each would cost more than all else here.
    if (!isThenable(answer)) return answer
    return withTimeout(this.#settings.timeout, answer, () => new SocialLoginError('provider_lookup_timeout', phase))
  }

  /** A callback made of the `Host` header can come in millions of spellings, each of which would have limits of its own. */
  #inOneSpelling(provider: ProviderSource): ProviderSource {
    // Claimed already, and so in its plain form.
    if (this.#providerOf.has(provider.callbackURL ?? '')) return provider
    const { origin, path } = readCallback(provider.callbackURL, this.#shared)
    return { ...provider, callbackURL: `${origin}${path}` }
  }

  #settingsOf(provider: ProviderSource): ProviderSettings {
    const key = JSON.stringify(provider)
    const known = this.#providers.get(key)
    const settings = known ?? this.#create(provider)
    if (!this.#isFree(provider.name, settings.baseURL)) throw new TypeError(NAME_TAKEN)
    // Moves it to the end of the map.
    this.#providers.delete(key)
    this.#providers.set(key, settings)
    if (known === undefined) this.#forgetOldest(settings)
    return settings
  }

  #create(provider: ProviderSource): ProviderSettings {
    const { name, callbackURL = '' } = provider
    const identity = [this.#strategy, name, provider.baseURL, provider.clientID]
    const settings = createProvider(provider, identity, this.#shared, ({ origin, maxConnections }) =>
      this.#pools.transportTo(origin, maxConnections),
    )
    const { baseURL } = settings
    if (!this.#settings.allowPrivateAddresses && isPrivateHost(new URL(baseURL).hostname))
      throw new TypeError('baseURL must not be a private address (see allowPrivateAddresses)')
    // As Express routes it: two providers must not share it by a final slash, or by capitals.
    const claimed = plainPath(callbackURL)
    if ((this.#providerOf.get(claimed) ?? name) !== name) throw new TypeError(CALLBACK_TAKEN)
    this.#providerOf.set(claimed, name)
    if (this.#isClosed) void settings.slots.close()
    // Not before: an address that was mistyped, and corrected, must not need a restart.
    const onLogin = (): void => {
      if (!this.#isFree(name, baseURL))
        throw new SocialLoginError('provider_invalid', 'profile', { hint: `${NAME_TAKEN}.` })
      this.#addressOf.set(name, baseURL)
    }
    return { ...settings, onLogin }
  }

  #isFree(name: string, baseURL: string): boolean {
    return (this.#addressOf.get(name) ?? baseURL) === baseURL
  }

  // One with logins under way stays: its limit counts them. So does the newest, whose login is about to begin.
  #forgetOldest(newest: ProviderSettings): void {
    for (const [key, settings] of this.#providers) {
      if (this.#providers.size <= MAX_PROVIDERS) return
      if (settings.slots.isIdle && settings !== newest) this.#providers.delete(key)
    }
  }
}

/** The members that this package knows: an application's own record may have more. Undefined if it is no object. */
function membersOf(provider: Provider): Provider | undefined {
  if (!isObject(provider)) return undefined
  const { name, baseURL, clientID, clientSecret, callbackURL, profileEndpoint, exchangeMethod, uploadsURL } = provider
  return { name, baseURL, clientID, clientSecret, callbackURL, profileEndpoint, exchangeMethod, uploadsURL }
}

/** @throws TypeError naming the member that is wrong, never its value */
function readProvider(provider: Provider | undefined, template: string | undefined): ProviderSource {
  if (!provider) throw new TypeError('provider must return an object, or undefined for a provider that does not exist')
  const { name, callbackURL, profileEndpoint, exchangeMethod, uploadsURL } = provider
  requireText('name', name)
  // They would break lines of a log, cannot be part of a URL, or lead to another path.
  if (/[\p{Cc}\p{Cs}]|^\.{1,2}$/u.test(name))
    throw new TypeError('name must have no control characters, and must not be . or ..')
  const source = {
    ...provider,
    callbackURL: callbackURL ?? template?.replaceAll(':provider', encodeURIComponent(name)),
    profileEndpoint: profileEndpoint ?? undefined,
    exchangeMethod: exchangeMethod ?? undefined,
    uploadsURL: uploadsURL ?? undefined,
  }
  for (const [member, value] of Object.entries(source)) if (value !== undefined) requireText(member, value)
  return source
}
