import { setTimeout as sleep } from 'node:timers/promises'

// Long enough for most restarts and failovers, and short enough for a person to wait for the page.
export const BRIEF_MS = 4000
export const RETRY_EVERY_MS = 100
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
