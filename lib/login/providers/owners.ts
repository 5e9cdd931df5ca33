import { isLoopback } from '../../client/url-options'
import { MAX_OWNERS } from '../../limits'
import { type WarningCode, warnOnce } from '../../warnings'
import { plainPath } from '../request/paths'

/** Who was the first to claim a name or a callback, for the `MAX_OWNERS` that were claimed last. */
export class Owners {
  readonly #owners = new Map<string, string>()

  isTaken(key: string, owner: string): boolean {
    return (this.#owners.get(key) ?? owner) !== owner
  }

  /** Does nothing if it is taken. */
  claim(key: string, owner: string): void {
    if (this.isTaken(key, owner)) return
    this.#owners.delete(key)
    this.#owners.set(key, owner)
    const [oldest = ''] = this.#owners.keys()
    if (this.#owners.size > MAX_OWNERS) this.#owners.delete(oldest)
  }
}

// Of all strategies of this process.
const [names, callbacks] = [new Owners(), new Owners()]

interface Named {
  readonly providerName: string
  readonly baseURL: string
}

interface Callback {
  readonly callbackPath: string
  readonly appOrigin: string | undefined
  readonly baseURL: string
}

/** Warns if another strategy of this process has given the name of a provider to another address. */
export function claimName({ providerName, baseURL }: Named): void {
  warnIfTaken('NAME_SHARED', names, providerName, baseURL)
  names.claim(providerName, baseURL)
}

/** Warns if a provider at another address has the same callback: it could be sent the keys of this one. */
export function claimCallback({ callbackPath, appOrigin = '', baseURL }: Callback): void {
  const path = plainPath(callbackPath)
  // A callback that is only a path may be that of any origin.
  for (const origin of appOrigin === '' ? ['*'] : [appOrigin, ''])
    warnIfTaken('CALLBACK_SHARED', callbacks, origin + path, baseURL)
  for (const origin of [appOrigin, '*']) callbacks.claim(origin + path, baseURL)
}

// This is no error, because a provider may have moved. Under a test runner (Jest and Vitest set NODE_ENV, and node:test
// another variable), providers of this machine are excepted, because tests start them on a new port again and again.
function warnIfTaken(code: WarningCode, owners: Owners, key: string, baseURL: string): void {
  if (!owners.isTaken(key, baseURL)) return
  const isTest = process.env['NODE_ENV'] === 'test' || process.env['NODE_TEST_CONTEXT'] !== undefined
  if (!isTest || !isLoopback(new URL(baseURL).hostname)) warnOnce(code)
}
