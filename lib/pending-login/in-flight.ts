import { digest, MAX_AGE_MS, MAX_CLOCK_SKEW_MS } from './record'

// A double click makes two. Callbacks that wait for another one's login are not counted elsewhere.
const MAX_SHARERS = 8
// As many of the old as one login forgets beside its own: together they keep up, and none of them stops the others.
const MAX_FORGOTTEN = 100
// As long as a record used now can still be young enough for `refusalOf`, its last millisecond included.
const LIFETIME_MS = MAX_AGE_MS + MAX_CLOCK_SKEW_MS + 1

interface Flight<T> {
  /** Digest: the key itself need not outlive its exchange. */
  readonly authKey: string
  readonly result: Promise<T>
  sharers: number
}

/**
 * Which records this process has used up, so that each is used once, however fast its callbacks follow each other. None
 * is forgotten while it could be used again, which takes 11 minutes and about 100 bytes of each login: 70 MB at 1,000
 * logins a second.
 *
 * A double click sends one callback twice and the browser shows the answer to the second: it shares the login of the
 * first instead of failing beside it.
 */
export class LoginsInFlight<T> {
  /** By the record's id, when the record is too old to be of use anyway. */
  readonly #used = new Map<string, number>()
  readonly #flights = new Map<string, Flight<T>>()

  /** Whether the record was used here within the lifetime of a record. */
  has(recordID: string): boolean {
    return this.#used.has(recordID)
  }

  /** The login that the same key of the same record has under way, if any, and if not too many share it already. */
  join(recordID: string, authKey: string): Promise<T> | undefined {
    const flight = this.#flights.get(recordID)
    if (flight?.authKey !== digest(recordID, authKey) || flight.sharers === MAX_SHARERS) return undefined
    flight.sharers += 1
    return flight.result
  }

  /** Uses the record up and runs its login. */
  start(recordID: string, authKey: string, login: () => Promise<T>): Promise<T> {
    this.#forgetOld()
    this.#used.set(recordID, performance.now() + LIFETIME_MS)
    const result = login().finally(() => this.#flights.delete(recordID))
    this.#flights.set(recordID, { authKey: digest(recordID, authKey), result, sharers: 0 })
    return result
  }

  /** Takes back that the record was used: its key was not sent. Whoever shares its login shares the failure. */
  release(recordID: string): void {
    this.#used.delete(recordID)
  }

  // In order of insertion, and by a clock that nobody sets, so the first that is still of use ends the search.
  #forgetOld(): void {
    const now = performance.now()
    let forgotten = 0
    for (const [id, endsAt] of this.#used) {
      if (endsAt > now || forgotten === MAX_FORGOTTEN) return
      this.#used.delete(id)
      forgotten += 1
    }
  }
}
