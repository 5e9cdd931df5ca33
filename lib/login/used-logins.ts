import { digest, MAX_AGE_MS, MAX_CLOCK_SKEW_MS } from './pending-login'

// A double click makes two. No other limit counts the callbacks that wait for another one's login.
const MAX_SHARERS = 8
// Old records that each login removes at most: enough to keep up, too few to block the event loop.
const MAX_FORGOTTEN = 100
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
 * while it could be used again: 11 minutes and about 100 bytes per login, 70 MB at 1,000 logins a second.
 *
 * A double click sends one callback twice and the browser shows the response to the second: it shares the login of the
 * first instead of failing.
 */
export class UsedLogins<T> {
  /** By the record's id: when the record has expired anyway. */
  readonly #used = new Map<string, number>()
  readonly #running = new Map<string, RunningLogin<T>>()

  /** Whether the record was used within the lifetime of a record. */
  has(recordID: string): boolean {
    return this.#used.has(recordID)
  }

  /** The running login of the same key and record, if any, unless too many share it already. */
  join(recordID: string, authKey: string): SharedLogin<T> | undefined {
    const login = this.#running.get(recordID)
    if (login?.authKey !== digest(recordID, authKey) || login.sharers === MAX_SHARERS) return undefined
    login.sharers += 1
    return login
  }

  /** Marks the record as used and runs its login. */
  run(recordID: string, authKey: string, consumed: Promise<void>, login: () => Promise<T>): Promise<T> {
    this.#forgetExpired()
    this.#used.set(recordID, performance.now() + LIFETIME_MS)
    const result = login().finally(() => {
      // Another may be running by now, if the record was forgotten.
      if (this.#running.get(recordID) === running) this.#running.delete(recordID)
    })
    const running = { authKey: digest(recordID, authKey), consumed, result, sharers: 0 }
    this.#running.set(recordID, running)
    return result
  }

  /** Makes the record usable again: its key was not sent. Callbacks that share its login share the failure. */
  forget(recordID: string): void {
    this.#used.delete(recordID)
  }

  // Insertion order and a monotonic clock: the first unexpired record ends the search.
  #forgetExpired(): void {
    const now = performance.now()
    let forgotten = 0
    for (const [id, endsAt] of this.#used) {
      if (endsAt > now || forgotten === MAX_FORGOTTEN) return
      this.#used.delete(id)
      forgotten += 1
    }
  }
}
