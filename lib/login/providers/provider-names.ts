import { isLoopback } from '../../client/option-values'
import { warnOnce } from '../../warnings'
import type { LoginSettings } from './provider'

/** By name, the first `baseURL` of this process: the name is the `provider` of profiles, so that one means one set of people. */
const first = new Map<string, string>()

/** The names of a strategy's providers, each with its address: people of two providers under one name would be the same people. */
export class ProviderNames {
  readonly #baseURLs = new Map<string, string>()

  /** Whether the name belongs to a provider of this strategy at another address. */
  isTaken({ providerName, baseURL }: LoginSettings): boolean {
    return (this.#baseURLs.get(providerName) ?? baseURL) !== baseURL
  }

  /** Gives the name to the address, and warns if another strategy of this process has it for another address. */
  register({ providerName, baseURL }: LoginSettings): void {
    this.#baseURLs.set(providerName, baseURL)
    warnIfShared(providerName, baseURL)
  }
}

/**
 * Never an error, because a provider may have moved. Tests start a provider on a new port of this machine again and again, so there
 * a test runner's environment is excepted.
 */
function warnIfShared(name: string, baseURL: string): void {
  if (process.env['NODE_ENV'] === 'test' && isLoopback(new URL(baseURL).hostname)) return
  const firstURL = first.get(name)
  if (firstURL === undefined) first.set(name, baseURL)
  else if (firstURL !== baseURL) warnOnce('NAME_SHARED')
}
