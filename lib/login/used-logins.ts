import { digest, MAX_AGE_MS, MAX_CLOCK_SKEW_MS } from './pending-login'

// A double click makes two. No other limit counts the callbacks that wait for another one's login.
const MAX_SHARERS = 8
// How long `checkCallback` can accept a record that is used now, its last millisecond included.
const LIFETIME_MS = MAX_AGE_MS + MAX_CLOCK_SKEW_MS + 1

/** A login that another callback may share. */
export interface SharedLogin<T> {
  /** Settles when the record has been consumed. */
  readonly consumed: Promise<void>
  readonly result: Promise<T>
}

interface RunningLogin<T> extends SharedLogin<T> {
  /** Digest, so that the key does not outlive its exchange. */
  readonly authKey: string
  sharers: number
}

/**
 * The records that a strategy has used, so that each is used once even by concurrent callbacks. Each is remembered
 * while it could be used again, which is 11 minutes, and for 11 more at most: about 75 bytes per login, 100 MB at 1,000 logins a
 * second.
 *
 * A double click sends one callback twice and the browser shows the response to the second: it shares the login of the
 * first instead of failing.
 */
export class UsedLogins<T> {
  // Forgotten together: to delete each by itself takes longer than all else here.
  /** Ids of the records used since `#since`. */
  #used = new Set<string>()
  /** Ids of those used in the lifetime before. */
  #usedBefore = new Set<string>()
  #since = performance.now()
  readonly #running = new Map<string, RunningLogin<T>>()

  /** Whether the record was used within the lifetime of a record, or not long before. */
  has(recordID: string): boolean {
    return this.#used.has(recordID) || this.#usedBefore.has(recordID)
  }

  /** The running login of the same key and record, if any, unless too many share it already. */
  join(recordID: string, authKey: string): SharedLogin<T> | undefined {
    const login = this.#running.get(recordID)
    if (login?.authKey !== digest(recordID, authKey) || login.sharers === MAX_SHARERS) return undefined
    login.sharers += 1
    return login
  }

  /** Marks the record as used. */
  add(recordID: string): void {
    this.#forgetExpired()
    this.#used.add(recordID)
  }

  /** Lets other callbacks join the login of the record until it has ended. */
  share(recordID: string, authKey: string, { consumed, result }: SharedLogin<T>): void {
    const running = { consumed, result, authKey: digest(recordID, authKey), sharers: 0 }
    this.#running.set(recordID, running)
    const end = (): void => {
      // Another may be running by now, if the record was forgotten.
      if (this.#running.get(recordID) === running) this.#running.delete(recordID)
    }
    running.result.then(end, end)
  }

  /** Makes the record usable again: its key was not sent. Callbacks that share its login share the failure. */
  forget(recordID: string): void {
    this.#used.delete(recordID)
    this.#usedBefore.delete(recordID)
  }

  /** By a monotonic clock, which nobody sets back. */
  #forgetExpired(): void {
    const now = performance.now()
    const age = now - this.#since
    if (age < LIFETIME_MS) return
    this.#usedBefore = age < 2 * LIFETIME_MS ? this.#used : new Set()
    this.#used = new Set()
    this.#since = now
  }
}
