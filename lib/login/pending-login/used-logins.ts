import { MAX_WAITING, RETENTION_MS } from '../../limits'
import type { PendingLogin } from './pending-login'

// How long `checkCallback` can accept a record that is used now, its last millisecond included.
const LIFETIME_MS = RETENTION_MS + 1

/** A login that has begun to use its record and has not ended. */
export interface RunningLogin<T> {
  readonly authKey: string
  /** Resolves when the record is consumed; never, if the login ends without that. */
  readonly consumed: Promise<void>
  readonly result: Promise<T>
  waiting: number
}

/**
 * The records that a strategy has used in this process, so that each is used once even by concurrent callbacks. An id
 * is remembered for at least as long as its record could be used again (`LIFETIME_MS`), and dropped by a login two or
 * three times as long after it. It takes about 75 bytes: 100 MB at 1,000 logins a second.
 *
 * A double click sends one callback twice, and the browser shows the response to the second, which therefore waits for
 * the login of the first and gets its result.
 */
export class UsedLogins<T> {
  // Ids are dropped a whole set at a time, because deleting each at its own time takes longer than all else here.
  /** Ids of the records used since `#since`. */
  #used = new Set<string>()
  /** Ids of those used in the lifetime before. */
  #usedBefore = new Set<string>()
  #since = performance.now()
  readonly #running = new Map<string, RunningLogin<T>>()

  /** Whether a callback has used the record: in this process, or in any, as its store has marked it. */
  isUsed({ id, consumed }: Pick<PendingLogin, 'id' | 'consumed'>): boolean {
    return consumed === true || this.#used.has(id) || this.#usedBefore.has(id)
  }

  /**
   * Runs the login of a record, which counts as used before this method first waits. If the login fails before it has
   * called `onConsumed`, its key has not been sent, and the record may be used again.
   */
  async run(recordID: string, authKey: string, login: (onConsumed: () => void) => Promise<T>): Promise<T> {
    this.#dropExpired()
    this.#used.add(recordID)
    let isConsumed = false
    let resolve = (): void => {}
    const consumed = new Promise<void>((resolveConsumed) => {
      resolve = resolveConsumed
    })
    const result = login(() => {
      isConsumed = true
      resolve()
    })
    this.#running.set(recordID, { authKey, consumed, result, waiting: 0 })
    try {
      return await result
    } catch (error) {
      if (!isConsumed) this.#forget(recordID)
      throw error
    } finally {
      this.#running.delete(recordID)
    }
  }

  /** The running login of the same key and record, for a duplicate callback; undefined if too many wait for it. */
  attach(recordID: string, authKey: string): RunningLogin<T> | undefined {
    const login = this.#running.get(recordID)
    if (login?.authKey !== authKey || login.waiting === MAX_WAITING) return undefined
    login.waiting += 1
    return login
  }

  #forget(recordID: string): void {
    this.#used.delete(recordID)
    this.#usedBefore.delete(recordID)
  }

  // The clock is monotonic, which no one can set back. In workerd it is `Date.now()`, by which a record expires, too;
  // there it is 0 while modules are loaded, and advances only when a request waits for I/O.
  #dropExpired(): void {
    const now = performance.now()
    const age = now - this.#since
    if (age < LIFETIME_MS) return
    this.#usedBefore = age < 2 * LIFETIME_MS ? this.#used : new Set()
    this.#used = new Set()
    this.#since = now
  }
}
