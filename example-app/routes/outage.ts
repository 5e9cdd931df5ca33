import { setTimeout as sleep } from 'node:timers/promises'
import { SocialLoginError } from 'passport-social-login'

/** What programs are told to wait before they ask again. */
export const RETRY_AFTER_S = 5

// A restart or a failover is over by then, or it takes longer than anybody waits for a page.
const BRIEF_MS = 4000
const RETRY_MS = 100

// A connection that broke, as drivers and Postgres name it, or a transaction that another one stopped.
const BROKEN = /^(E(CONN|PIPE)\w*|(08|40|57)[\dA-Z]{3})$/

const CODES = [
  // The network, as Node names it.
  /^E(CONNREFUSED|CONNRESET|CONNABORTED|PIPE|TIMEDOUT|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|NOTFOUND|AI_AGAIN)$/,
  // Postgres: connection (08), login (28, 3D), conflicts (40), resources (53), intervention (57), system (58).
  /^(08|28|3D|40|53|57|58)[\dA-Z]{3}$/,
  // Postgres: read-only, as a standby is; a lock that another has.
  /^(25006|55P03)$/,
  // SQLite: locked by another process, read-only, a disk that is full or fails.
  /^SQLITE_(BUSY|LOCKED|READONLY|IOERR|CANTOPEN|FULL|PROTOCOL|NOMEM)(_|$)/,
]

// Of these, the drivers say nothing but words.
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end|The database connection is not open)/

/** Whether an error means that the database cannot do its work now, but will again: no fault of the request or of ours. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // The strategy keeps its record in our session, and could not.
  if (error instanceof SocialLoginError) return error.code === 'session_unavailable'
  if ('code' in error && CODES.some((codes) => codes.test(String(error.code)))) return true
  if (MESSAGES.test(error.message)) return true
  if (error instanceof AggregateError && error.errors.some(isOutage)) return true
  return isOutage(error.cause)
}

/**
 * Does the work once more while the database is away for a moment. For what a login does after its key is spent, and only
 * for work that may be done twice: nobody knows whether the statement that failed was carried out.
 */
export async function throughBriefOutage<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + BRIEF_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBroken(error) || performance.now() > deadline) throw error
      await sleep(RETRY_MS)
    }
  }
}

function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isBroken)
  return error.message.startsWith('Connection terminated') || ('code' in error && BROKEN.test(String(error.code)))
}
