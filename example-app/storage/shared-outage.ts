import { BRIEF_MS, isBroken, RETRY_EVERY_MS } from './brief-outage'
import { isReadOnly } from './postgres-pool'

// After this time without a failure, the next one begins another outage.
const OVER_AFTER_MS = 2000

/** Work that waits for the end of an outage. */
interface Waiting {
  /** When it gives up. */
  readonly until: number
  readonly mayTry: (may: boolean) => void
}

/**
 * An outage that all requests wait for together: for its first seconds, so that in a long one they fail fast. Of those that
 * wait, one tries each tenth of a second, until one has succeeded. If all tried, they would leave no time for anything else.
 */
export class SharedOutage {
  #since = Number.NEGATIVE_INFINITY
  #lastSeen = Number.NEGATIVE_INFINITY
  /** Whether the last failure was that of a server that is read-only. */
  #isReadOnly = false
  #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined

  /** Repeats the work, which must be safe to repeat, while the outage is brief. Begins no repeat after four seconds. */
  async outlast<T>(work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + BRIEF_MS
    for (let isFirst = true; ; isFirst = false) {
      const begunAt = performance.now()
      try {
        const result = await work()
        // A server that is read-only still answers reads: there, only work that has failed before shows that it is over.
        if (!isFirst || (begunAt > this.#lastSeen && !this.#isReadOnly)) this.#lastSeen = Number.NEGATIVE_INFINITY
        if (!isFirst) this.#letAll()
        return result
      } catch (error) {
        if (!isBroken(error) || performance.now() >= deadline) throw error
        this.#note(error)
        if (!(await this.#turn(Math.min(deadline, this.#since + BRIEF_MS)))) throw error
      }
    }
  }

  #note(error: unknown): void {
    const now = performance.now()
    if (now - this.#lastSeen > OVER_AFTER_MS) this.#since = now
    this.#lastSeen = now
    this.#isReadOnly = isReadOnly(error)
  }

  /** Waits. @returns whether to try again; false when it is too late */
  #turn(until: number): Promise<boolean> {
    if (until <= performance.now()) return Promise.resolve(false)
    this.#timer ??= setInterval(() => this.#letOne(), RETRY_EVERY_MS)
    return new Promise((mayTry) => this.#waiting.push({ until, mayTry }))
  }

  #letOne(): void {
    const now = performance.now()
    const late = this.#waiting.filter(({ until }) => until <= now)
    this.#waiting = this.#waiting.filter(({ until }) => until > now)
    for (const { mayTry } of late) mayTry(false)
    this.#waiting.shift()?.mayTry(true)
    if (this.#waiting.length === 0) this.#stopTimer()
  }

  #letAll(): void {
    for (const { mayTry } of this.#waiting.splice(0)) mayTry(true)
    this.#stopTimer()
  }

  #stopTimer(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
