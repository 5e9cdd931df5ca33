import { isThenable, withTimeout } from '../client/deadline'
import { ProviderPools } from '../client/http/pools'
import { isPrivateHost, publicLookup, resolveName } from '../client/http/private-address'
import { isObject } from '../client/json'
import { requireText } from '../client/option-values'
import { type Phase, SocialLoginError } from '../errors'
import { plainPath } from './callback-path'
import type { Site, SiteAnswer } from './options'
import { createSite, readCallback, type SharedSettings, type SiteSettings, type SiteSource } from './site'

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
  /** For sites without one of their own; `:site` stands for the name. */
  readonly callbackURL: string | undefined
}

// What is kept of a site takes some kilobytes, and is made again within a millisecond.
const MAX_SITES = 1000
// The limit is that of each site, and several sites may share an origin.
const MAX_CONNECTIONS = 10_000

const CALLBACK_TAKEN =
  'callbackURL is that of another site: give each site one of its own (if the other has been corrected, restart the application)'
const NAME_TAKEN = 'name is that of a site with another baseURL (if it has moved, restart the application)'

/** The providers of a strategy whose application names one for each request. */
export class ManySites {
  readonly fixed = undefined
  readonly #strategy: string
  readonly #settings: ManySitesSettings
  readonly #shared: SharedSettings
  readonly #pools: ProviderPools
  /** By their content, so that a site with other credentials is another one; the least recently used first. */
  readonly #sites = new Map<string, SiteSettings>()
  /** Of each site at which a login has succeeded: people of two sites under one name would be the same people. */
  readonly #addressOf = new Map<string, string>()
  /** Under one callback for two sites, the key of one could be sent to the other (RFC 9700, section 4.4). */
  readonly #siteOf = new Map<string, string>()
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
    // Not within `try`: what a getter of the application's record throws may quote a secret, and is passed on.
    const members = membersOf(site)
    try {
      return this.#settingsOf(this.#inOneSpelling(readSite(members, this.#settings.callbackURL)))
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

  #inTime(answer: SiteAnswer, phase: Phase): SiteAnswer {
    // Most applications look in a map: a timer for each would cost more than all else here.
    if (!isThenable(answer)) return answer
    return withTimeout(this.#settings.timeout, answer, () => new SocialLoginError('site_timeout', phase))
  }

  /** A callback made of the `Host` header can come in millions of spellings, each of which would have limits of its own. */
  #inOneSpelling(site: SiteSource): SiteSource {
    // Claimed already, and so in its plain form.
    if (this.#siteOf.has(site.callbackURL ?? '')) return site
    const { origin, path } = readCallback(site.callbackURL, this.#shared)
    return { ...site, callbackURL: `${origin}${path}` }
  }

  #settingsOf(site: SiteSource): SiteSettings {
    const key = JSON.stringify(site)
    const known = this.#sites.get(key)
    const settings = known ?? this.#create(site)
    if (!this.#isFree(site.name, settings.baseURL)) throw new TypeError(NAME_TAKEN)
    // Moves it to the end of the map.
    this.#sites.delete(key)
    this.#sites.set(key, settings)
    if (known === undefined) this.#forgetOldest(settings)
    return settings
  }

  #create(site: SiteSource): SiteSettings {
    const { name, callbackURL = '' } = site
    const identity = [this.#strategy, name, site.baseURL, site.clientID]
    const settings = createSite(site, identity, this.#shared, ({ origin }) => this.#pools.transportTo(origin))
    const { baseURL } = settings
    if (!this.#settings.allowPrivateAddresses && isPrivateHost(new URL(baseURL).hostname))
      throw new TypeError('baseURL must not be a private address (see allowPrivateAddresses)')
    // As Express routes it: two sites must not share it by a final slash, or by capitals.
    const claimed = plainPath(callbackURL)
    if ((this.#siteOf.get(claimed) ?? name) !== name) throw new TypeError(CALLBACK_TAKEN)
    this.#siteOf.set(claimed, name)
    if (this.#isClosed) void settings.slots.close()
    // Not before: an address that was mistyped, and corrected, must not need a restart.
    const onLogin = (): void => {
      if (!this.#isFree(name, baseURL))
        throw new SocialLoginError('site_invalid', 'profile', { hint: `${NAME_TAKEN}.` })
      this.#addressOf.set(name, baseURL)
    }
    return { ...settings, onLogin }
  }

  #isFree(name: string, baseURL: string): boolean {
    return (this.#addressOf.get(name) ?? baseURL) === baseURL
  }

  // One with logins under way stays: its limit counts them. So does the newest, whose login is about to begin.
  #forgetOldest(newest: SiteSettings): void {
    for (const [key, settings] of this.#sites) {
      if (this.#sites.size <= MAX_SITES) return
      if (settings.slots.isIdle && settings !== newest) this.#sites.delete(key)
    }
  }
}

/** The members that this package knows: an application's own record may have more. Undefined if it is no object. */
function membersOf(site: Site): Site | undefined {
  if (!isObject(site)) return undefined
  const { name, baseURL, clientID, clientSecret, callbackURL, profileEndpoint, exchangeMethod, uploadsURL } = site
  return { name, baseURL, clientID, clientSecret, callbackURL, profileEndpoint, exchangeMethod, uploadsURL }
}

/** @throws TypeError naming the member that is wrong, never its value */
function readSite(site: Site | undefined, template: string | undefined): SiteSource {
  if (!site) throw new TypeError('site must return an object, or undefined for a site that does not exist')
  const { name, callbackURL, profileEndpoint, exchangeMethod, uploadsURL } = site
  requireText('name', name)
  // They would break lines of a log, cannot be part of a URL, or lead to another path.
  if (/[\p{Cc}\p{Cs}]|^\.{1,2}$/u.test(name))
    throw new TypeError('name must have no control characters, and must not be . or ..')
  const source = {
    ...site,
    callbackURL: callbackURL ?? template?.replaceAll(':site', encodeURIComponent(name)),
    profileEndpoint: profileEndpoint ?? undefined,
    exchangeMethod: exchangeMethod ?? undefined,
    uploadsURL: uploadsURL ?? undefined,
  }
  for (const [member, value] of Object.entries(source)) if (value !== undefined) requireText(member, value)
  return source
}
