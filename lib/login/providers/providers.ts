import type { Transports } from '../../client/http/transport'
import { isObject } from '../../client/response/json'
import { parseWholeCallbackURL } from '../../client/url-options'
import { type Phase, SocialLoginError } from '../../errors'
import { MAX_PROVIDERS } from '../../limits'
import { isThenable, withTimeout } from '../../promises'
import { type ParsedOptions, parseText } from '../../values'
import { withoutLastSlashes } from '../request/paths'
import { PROVIDER_OPTIONS, type ProviderResult, type SHARED_OPTIONS } from './options'
import { claimCallback, claimName, Owners } from './owners'
import {
  createLoginSettings,
  hostOf,
  type LoginSettings,
  type ProviderSource,
  refuseOwnAddress,
  withCallback,
} from './provider'

type ProvidersOptions = ParsedOptions<typeof SHARED_OPTIONS> & {
  /** The callback of providers without one of their own; `:provider` stands for the name. */
  readonly callbackURL?: string | undefined
}

const MEMBERS = ['name', 'callbackURL', ...Object.keys(PROVIDER_OPTIONS)]

const CALLBACK_TAKEN =
  'callbackURL is that of another provider: give each provider its own (if the other has been corrected, restart the application)'
const NAME_TAKEN = 'name is that of a provider with another baseURL (if it has moved, restart the application)'

/** The providers of a strategy: the one of its options, or those that its application names for each request. */
export class Providers {
  readonly #options: ProvidersOptions
  readonly #transports: Transports
  /** The only provider, which the options describe; undefined if the application names one for each request. */
  readonly #only: LoginSettings | undefined
  /** The settings by the JSON of their records, the least recently used first. */
  readonly #providers = new Map<string, LoginSettings>()
  /**
   * The address of each name, once a login has succeeded there: correcting a mistyped address must not need a restart.
   * Under one name, the users of two providers would be taken for the same.
   */
  readonly #names = new Owners()
  /** The provider of each callback: two with one callback could be sent each other's keys (RFC 9700, section 4.4). */
  readonly #callbacks = new Owners()
  #isClosed = false

  /** @throws TypeError naming the option of the only provider that is wrong, never its value */
  constructor(options: ProvidersOptions, transports: Transports, only?: ProviderSource) {
    this.#options = options
    this.#transports = transports
    if (!only) return
    this.#only = createLoginSettings(only, options, transports, { isOneOfMany: false })
    claimName(this.#only)
    claimCallback(this.#only)
  }

  /** The name of the strategy. */
  get name(): string {
    return this.#options.name
  }

  /**
   * The settings for one request.
   * @param lookup the application's function, not called where there is only one provider
   * @param phaseOf called for an error
   * @param callbackURL that of this request, instead of the provider's own
   * @throws SocialLoginError `provider_unknown`, `provider_invalid`, `provider_lookup_timeout`, or what `lookup` threw
   * @throws TypeError for a `callbackURL` that is no URL and no path
   */
  find(
    lookup: () => ProviderResult,
    phaseOf: () => Phase,
    callbackURL?: string,
  ): LoginSettings | Promise<LoginSettings> {
    const ofRequest = (found: LoginSettings): LoginSettings => {
      if (callbackURL === undefined) return found
      const settings = withCallback(found, callbackURL)
      return orInvalid(phaseOf, () => this.#own(settings))
    }
    return this.#only ? ofRequest(this.#only) : this.#lookUp(lookup, phaseOf).then(ofRequest)
  }

  /** Closes the connections after pending logins have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    const all = this.#only ? [this.#only] : [...this.#providers.values()]
    await Promise.all(all.map(({ concurrentLogins }) => concurrentLogins.close()))
    await this.#transports.close()
  }

  async #lookUp(lookup: () => ProviderResult, phaseOf: () => Phase): Promise<LoginSettings> {
    const result = lookup()
    const provider = isThenable(result) ? await this.#inTime(result, phaseOf) : result
    if (provider === undefined || provider === null) throw new SocialLoginError('provider_unknown', phaseOf())
    if (!isObject(provider))
      throw invalid('provider must return an object, or undefined for a provider that does not exist', phaseOf())
    // This is not within `orInvalid`, because what a getter of the application's record throws may quote a secret.
    const members = membersOf(provider)
    return orInvalid(phaseOf, () => this.#settingsOf(this.#parseMembers(members)))
  }

  #inTime<T>(result: PromiseLike<T>, phaseOf: () => Phase): Promise<T> {
    return withTimeout(this.#options.timeout, result, () => new SocialLoginError('provider_lookup_timeout', phaseOf()))
  }

  /** @throws TypeError naming the member that is wrong, never its value */
  #parseMembers(members: Readonly<Record<string, unknown>>): ProviderSource {
    const name = parseText(members['name'], 'name')
    // Such a name would break lines of a log, could not be part of a URL, or would lead to another path.
    if (/[\p{Cc}\p{Cs}]|^\.{1,2}$/u.test(name))
      throw new TypeError('name must have no control characters, and must not be . or ..')
    const template = this.#options.callbackURL?.replaceAll(':provider', encodeURIComponent(name))
    // The URL is put into one spelling: an application may make it of `Host`, each of whose spellings would have limits
    // of its own.
    const callbackURL = parseWholeCallbackURL(members['callbackURL'] ?? template, 'callbackURL', this.#options)
    for (const [member, value] of Object.entries(members)) if (value !== undefined) parseText(value, member)
    return { ...members, name, callbackURL }
  }

  #settingsOf(source: ProviderSource): LoginSettings {
    const key = JSON.stringify(source)
    const settings = this.#providers.get(key) ?? this.#create(source)
    if (this.#isNameTaken(settings)) throw new TypeError(NAME_TAKEN)
    // The settings move to the end of the map, as those that were used last.
    this.#providers.delete(key)
    this.#providers.set(key, settings)
    return settings
  }

  #create(source: ProviderSource): LoginSettings {
    const settings = createLoginSettings(source, this.#options, this.#transports, { isOneOfMany: true })
    const owned = this.#own(settings)
    if (this.#isClosed) void settings.concurrentLogins.close()
    this.#forgetOldest()
    return owned
  }

  /**
   * Claims the callback for the provider. Of many, each is someone else's: it must not have the callback of another one,
   * nor be at the address of the application, and it claims its name once it has exchanged a key.
   * @throws TypeError if it may not have the callback
   */
  #own(settings: LoginSettings): LoginSettings {
    if (!settings.isOneOfMany) {
      claimCallback(settings)
      return settings
    }
    const { providerName, appOrigin, callbackPath } = settings
    refuseOwnAddress(settings)
    const callback = (appOrigin === undefined ? '' : hostOf(appOrigin)) + withoutLastSlashes(callbackPath)
    if (this.#callbacks.isTaken(callback, providerName)) throw new TypeError(CALLBACK_TAKEN)
    this.#callbacks.claim(callback, providerName)
    return { ...settings, onExchanged: () => this.#registerName(settings) }
  }

  #isNameTaken({ providerName, baseURL }: LoginSettings): boolean {
    return this.#names.isTaken(providerName, baseURL)
  }

  #registerName(settings: LoginSettings): void {
    if (this.#isNameTaken(settings)) throw invalid(NAME_TAKEN, 'profile')
    this.#names.claim(settings.providerName, settings.baseURL)
    claimName(settings)
    claimCallback(settings)
  }

  /** A provider with logins under way is kept, because its limit counts them. */
  #forgetOldest(): void {
    for (const [key, { concurrentLogins }] of this.#providers) {
      if (this.#providers.size < MAX_PROVIDERS) return
      if (concurrentLogins.isIdle) this.#providers.delete(key)
    }
  }
}

function invalid(reason: string, phase: Phase): SocialLoginError {
  return new SocialLoginError('provider_invalid', phase, { hint: `${reason}.` })
}

/** What is wrong with a record, or with the callback of its provider, is no error of the code that calls this package. */
function orInvalid<T>(phaseOf: () => Phase, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof TypeError ? invalid(error.message, phaseOf()) : error
  }
}

/** An application's own record may have other members, and null for those that are not set. */
function membersOf(provider: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(MEMBERS.map((member) => [member, Reflect.get(provider, member) ?? undefined]))
}
