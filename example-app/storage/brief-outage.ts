import { setTimeout as sleep } from 'node:timers/promises'

// Long enough for most restarts and failovers, and short enough for a person to wait for the page.
const BRIEF_MS = 4000
// After this time without a failure, the next one begins another outage.
const OVER_AFTER_MS = 2000
const RETRY_EVERY_MS = 100
// Codes of connections that broke or could not be opened (ENOENT: a Unix socket without a server; 53300: too many), and of
// transactions that were cancelled because of another one (55P03: it holds a lock); of a server that is about to be replaced
// (25006: it is read-only), or a database that is being restored (55000: it admits nobody).
const BROKEN_CONNECTION =
  /^(E(CONN|PIPE|TIMEDOUT|HOST|NET|NOTFOUND|AI_AGAIN)\w*|ENOENT|25006|53300|55000|55P03|(08|40|57)[\dA-Z]{3})$/
const BROKEN_CONNECTION_MESSAGES = /^(Connection terminated|timeout exceeded when trying to connect)/

/**
 * Repeats the work during a brief outage of the database, so that a login whose key is spent already does not fail. The
 * work must be safe to repeat, because a statement that failed may have been executed.
 */
export async function throughBriefOutage<T>(work: () => Promise<T>, limitMs = BRIEF_MS): Promise<T> {
  const deadline = performance.now() + limitMs
  return repeatWhile((error) => isBroken(error) && performance.now() < deadline, work)
}

/** Repeats the work, a tenth of a second after each failure, as long as `mayRepeat` says so. */
export async function repeatWhile<T>(mayRepeat: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!mayRepeat(error)) throw error
      await sleep(RETRY_EVERY_MS)
    }
  }
}

/** Whether the error may be gone after some seconds: the connection broke, or could not be opened. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isBroken)
  if (BROKEN_CONNECTION_MESSAGES.test(error.message)) return true
  return ('code' in error && BROKEN_CONNECTION.test(String(error.code))) || isBroken(error.cause)
}

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
  #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined

  /** Repeats the work as long as the outage is brief, and for four seconds at most. It must be safe to repeat. */
  async outlast<T>(work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + BRIEF_MS
    for (let isFirst = true; ; isFirst = false) {
      try {
        const result = await work()
        // The first time does not count: reading, for example, succeeds while a server is read-only.
        if (!isFirst) this.#end()
        return result
      } catch (error) {
        // A statement that was given up after a long time says nothing about the others.
        if (!isBroken(error) || performance.now() >= deadline) throw error
        this.#note()
        if (!(await this.#turn(Math.min(deadline, this.#since + BRIEF_MS)))) throw error
      }
    }
  }

  #note(): void {
    const now = performance.now()
    if (now - this.#lastSeen > OVER_AFTER_MS) this.#since = now
    this.#lastSeen = now
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

  #end(): void {
    this.#lastSeen = Number.NEGATIVE_INFINITY
    for (const { mayTry } of this.#waiting.splice(0)) mayTry(true)
    this.#stopTimer()
  }

  #stopTimer(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
