import { isLoopback } from '../../client/option-values'
import { warnOnce } from '../../warnings'
import type { LoginSettings } from './provider'

/** The first `baseURL` that this process has seen for each name. */
const first = new Map<string, string>()

/** The names of a strategy's providers. Under one name, the people of two providers would be taken for the same. */
export class ProviderNames {
  readonly #baseURLs = new Map<string, string>()

  isTaken({ providerName, baseURL }: LoginSettings): boolean {
    return (this.#baseURLs.get(providerName) ?? baseURL) !== baseURL
  }

  /** Warns if another strategy of this process has given the name to another address. */
  register({ providerName, baseURL }: LoginSettings): void {
    this.#baseURLs.set(providerName, baseURL)
    warnIfShared(providerName, baseURL)
  }
}

// This is no error, because a provider may have moved. Under a test runner, providers of this machine are excepted,
// because tests start them on a new port again and again.
function warnIfShared(name: string, baseURL: string): void {
  if (process.env['NODE_ENV'] === 'test' && isLoopback(new URL(baseURL).hostname)) return
  const firstURL = first.get(name)
  if (firstURL === undefined) first.set(name, baseURL)
  else if (firstURL !== baseURL) warnOnce('NAME_SHARED')
}
