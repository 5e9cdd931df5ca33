import { withTimeout } from '../client/deadline'
import { ProviderPools } from '../client/http/pools'
import { isPrivateHost, publicLookup, resolveName } from '../client/http/private-address'
import { isObject } from '../client/json'
import { requireText } from '../client/option-values'
import { type Phase, SocialLoginError } from '../errors'
import type { Site, SiteAnswer } from './options'
import { createSite, type SharedSettings, type SiteSettings, type SiteSource } from './site'

/** The provider of a strategy that has only one. */
export class OneSite {
  readonly fixed: SiteSettings

  constructor(site: SiteSettings) {
    this.fixed = site
  }

  /** Closes the connections after pending logins have ended. */
  async close(): Promise<void> {
    await this.fixed.slots.close()
    await this.fixed.endpoints.close()
  }
}

/** Validated options of many sites. */
export interface ManySitesSettings {
  readonly timeout: number
  readonly maxPools: number
  readonly allowPrivateAddresses: boolean
  /** For sites without one of their own. */
  readonly callbackURL: string | undefined
}

// What is kept of a site takes some kilobytes, and is made again within a millisecond.
const MAX_SITES = 1000
// The limit is that of each site, and several sites may share an origin.
const MAX_CONNECTIONS = 10_000

/** The providers of a strategy whose application names one for each request. */
export class ManySites {
  readonly fixed = undefined
  readonly #strategy: string
  readonly #settings: ManySitesSettings
  readonly #shared: SharedSettings
  readonly #pools: ProviderPools
  /** By their content, so that a site with other credentials is another one; the least recently used first. */
  readonly #sites = new Map<string, SiteSettings>()
  /** The address of each name, because people of two sites under one name would be the same people. */
  readonly #addresses = new Map<string, string>()
  #isClosed = false

  constructor(strategy: string, settings: ManySitesSettings, shared: SharedSettings) {
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
   * @throws SocialLoginError `site_unknown`, `site_invalid` or `site_timeout`
   * @throws what the application's function threw
   */
  async find(ask: () => SiteAnswer, phase: Phase): Promise<SiteSettings> {
    const site = await this.#inTime(ask(), phase)
    if (site === undefined || site === null) throw new SocialLoginError('site_unknown', phase)
    try {
      return this.#settingsOf(readSite(site, this.#settings.callbackURL))
    } catch (error) {
      // The application's data is wrong: its message names the option, never the value.
      if (!(error instanceof TypeError)) throw error
      throw new SocialLoginError('site_invalid', phase, { hint: `${error.message}.` })
    }
  }

  /** Closes the connections after pending logins have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(Array.from(this.#sites.values(), ({ slots }) => slots.close()))
    await this.#pools.close()
  }

  async #inTime(answer: SiteAnswer, phase: Phase): Promise<Awaited<SiteAnswer>> {
    try {
      return await withTimeout(this.#settings.timeout, Promise.resolve(answer))
    } catch (error) {
      const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
      throw isTimeout ? new SocialLoginError('site_timeout', phase) : error
    }
  }

  #settingsOf(site: SiteSource): SiteSettings {
    const key = JSON.stringify(site)
    const known = this.#sites.get(key)
    const settings = known ?? this.#create(site)
    // Moves it to the end of the map.
    this.#sites.delete(key)
    this.#sites.set(key, settings)
    if (known === undefined) this.#forgetOldest()
    return settings
  }

  #create(site: SiteSource): SiteSettings {
    const identity = [this.#strategy, site.name, site.baseURL, site.clientID]
    const settings = createSite(site, identity, this.#shared, ({ origin, basePath }) => {
      if (!this.#settings.allowPrivateAddresses) refusePrivateHost(origin)
      this.#checkName(site.name, origin + basePath)
      return this.#pools.transportTo(origin)
    })
    if (this.#isClosed) void settings.slots.close()
    return settings
  }

  #checkName(name: string, address: string): void {
    const known = this.#addresses.get(name)
    if (known !== undefined && known !== address)
      throw new TypeError(
        'name is that of another baseURL: give each site a name of its own (a site that has moved keeps its name after a restart)',
      )
    this.#addresses.set(name, address)
  }

  // One with logins under way stays: its limit counts them.
  #forgetOldest(): void {
    if (this.#sites.size <= MAX_SITES) return
    for (const [key, { slots }] of this.#sites) {
      if (slots.isIdle) return void this.#sites.delete(key)
    }
  }
}

/** The members that this package knows: an application's own record may have more, and nulls. */
function readSite(site: Site, defaultCallbackURL: string | undefined): SiteSource {
  if (!isObject(site)) throw new TypeError('site must return an object, or undefined for a site that does not exist')
  const { name, baseURL, clientID, clientSecret, callbackURL, profileEndpoint, exchangeMethod, uploadsURL } = site
  requireText('name', name)
  return {
    name,
    baseURL,
    clientID,
    clientSecret,
    callbackURL: callbackURL ?? defaultCallbackURL,
    profileEndpoint: profileEndpoint ?? undefined,
    exchangeMethod: exchangeMethod ?? undefined,
    uploadsURL: uploadsURL ?? undefined,
  }
}

function refusePrivateHost(origin: string): void {
  if (isPrivateHost(new URL(origin).hostname))
    throw new TypeError('baseURL must not be a private address (see allowPrivateAddresses)')
}
