import { digest, MAX_AGE_MS, MAX_CLOCK_SKEW_MS } from './record'

const MAX_RECORDS = 10_000
// As long as a record used now can still be young enough for `refusalOf`, its last millisecond included.
const LIFETIME_MS = MAX_AGE_MS + MAX_CLOCK_SKEW_MS + 1

interface Flight<T> {
  readonly authKey: string
  readonly endsAt: number
  /** The login, until it has settled. */
  result?: Promise<T>
}

/**
 * Which records this process has used up, so that each is used once, however fast its callbacks follow each other. A
 * double click sends one callback twice and the browser shows the answer to the second: it shares the login of the
 * first instead of failing beside it.
 */
export class LoginsInFlight<T> {
  readonly #flights = new Map<string, Flight<T>>()

  /** Whether the record was used here within the lifetime of a record. */
  has(recordID: string): boolean {
    return this.#flights.has(recordID)
  }

  /** The login that the same key of the same record has under way, if any. */
  join(recordID: string, authKey: string): Promise<T> | undefined {
    const flight = this.#flights.get(recordID)
    return flight?.authKey === digest(recordID, authKey) ? flight.result : undefined
  }

  /** Uses the record up and runs its login. */
  start(recordID: string, authKey: string, login: () => Promise<T>): Promise<T> {
    this.#forgetOld()
    const flight: Flight<T> = { authKey: digest(recordID, authKey), endsAt: Date.now() + LIFETIME_MS }
    this.#flights.set(recordID, flight)
    const result = login().finally(() => {
      delete flight.result
    })
    flight.result = result
    return result
  }

  // In order of insertion, so the first that is still of use ends the search.
  #forgetOld(): void {
    const now = Date.now()
    for (const [id, flight] of this.#flights) {
      if (flight.endsAt > now && this.#flights.size < MAX_RECORDS) return
      this.#flights.delete(id)
    }
  }
}
