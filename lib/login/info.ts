import type { PendingLogin } from './pending-login/pending-login'
import type { CallbackRequest } from './request/request'

/**
 * Evidence about a callback, for an application that requires more where it trusts less. Against an attacker only
 * `tabBound` says much: a link to the callback on a page of the provider, such as a chat, has all the rest.
 * @example
 * const sure = assurance.tabBound && assurance.age < 60_000
 */
export interface Assurance {
  /** Milliseconds from the start to the callback. */
  readonly age: number
  /** `Sec-Fetch-Site` of the callback; null if the browser sent none, so that only the Referer was checked. */
  readonly fetchSite: string | null
  /** `Sec-Fetch-Site` of the start; null where the browser sent none. */
  readonly startSite: string | null
  /** Whose page the Referer of the callback named. */
  readonly referer: 'provider' | 'app' | 'absent'
  /** Whether the callback came to the tab of the start (see `tabBinding`). */
  readonly tabBound: boolean
}

/**
 * What a login adds to `req.authInfo`, which a verify function that gets the request sees, too.
 * @example
 * const { returnTo = '/' }: Partial<LoginInfo> = { ...req.authInfo }
 */
export interface LoginInfo {
  readonly assurance: Assurance
  /** Set on a callback that waited for another one with the same key (a double click), and got its result. */
  readonly duplicate?: true
  /** The local path given to the start. */
  readonly returnTo?: string
  /** The state given to the start. */
  readonly state?: unknown
}

export function createLoginInfo(record: PendingLogin, callback: CallbackRequest): LoginInfo {
  const { returnTo, state, issuedAt, startSite } = record
  return {
    assurance: {
      age: Date.now() - issuedAt,
      fetchSite: callback.fetchSite ?? null,
      startSite,
      referer: callback.referer,
      tabBound: callback.tabSecret !== undefined,
    },
    ...(returnTo !== undefined && { returnTo }),
    ...(state !== undefined && { state }),
  }
}
