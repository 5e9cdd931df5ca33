import { digest, MAX_AGE_MS, MAX_CLOCK_SKEW_MS } from './pending-login'

// A double click makes two. Callbacks that wait for another one's login are not counted elsewhere.
const MAX_SHARERS = 8
// Each login forgets at most this many old records beside adding its own: enough to keep up, too few to block the event loop.
const MAX_FORGOTTEN = 100
// As long as a record used now can still be young enough for `checkCallback`, its last millisecond included.
const LIFETIME_MS = MAX_AGE_MS + MAX_CLOCK_SKEW_MS + 1

interface RunningLogin<T> {
  /** Digest: the key itself need not outlive its exchange. */
  readonly authKey: string
  readonly result: Promise<T>
  sharers: number
}

/**
 * Which records a strategy has used up, so that each is used once, however fast its callbacks follow each other. None is
 * forgotten while it could be used again, which takes 11 minutes and about 100 bytes of each login: 70 MB at 1,000
 * logins a second.
 *
 * A double click sends one callback twice and the browser shows the response to the second: it shares the login of the
 * first instead of failing beside it.
 */
export class UsedLogins<T> {
  /** By the record's id, when the record is too old to be of use anyway. */
  readonly #used = new Map<string, number>()
  readonly #running = new Map<string, RunningLogin<T>>()

  /** Whether the record was used within the lifetime of a record. */
  has(recordID: string): boolean {
    return this.#used.has(recordID)
  }

  /** The login that the same key of the same record runs at this moment, if any, and if not too many share it already. */
  join(recordID: string, authKey: string): Promise<T> | undefined {
    const login = this.#running.get(recordID)
    if (login?.authKey !== digest(recordID, authKey) || login.sharers === MAX_SHARERS) return undefined
    login.sharers += 1
    return login.result
  }

  /** Uses the record up and runs its login. */
  run(recordID: string, authKey: string, login: () => Promise<T>): Promise<T> {
    this.#forgetExpired()
    this.#used.set(recordID, performance.now() + LIFETIME_MS)
    const result = login().finally(() => {
      // Another one may run by now, if the record was forgotten.
      if (this.#running.get(recordID) === running) this.#running.delete(recordID)
    })
    const running = { authKey: digest(recordID, authKey), result, sharers: 0 }
    this.#running.set(recordID, running)
    return result
  }

  /** Takes back that the record was used: its key was not sent. Whoever shares its login shares the failure. */
  forget(recordID: string): void {
    this.#used.delete(recordID)
  }

  // In order of insertion, and by a clock that nobody sets, so the first that is still of use ends the search.
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
