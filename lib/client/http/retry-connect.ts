import type { Connect } from './undici'
import { errorCode } from './unreachable'

// What connections meet while a server restarts, or while its address or its name moves.
const TRANSIENT: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

// Not more often: a name may have 32 addresses, and each that refuses costs 50 us of CPU.
const RETRIES = 6

/**
 * `connect`, with up to six retries within `milliseconds` while the provider refuses. No request has been sent, so the
 * login of a person who comes back while the provider restarts need not fail.
 */
export function retryConnect(connect: Connect, milliseconds: number): Connect {
  const pause = milliseconds / RETRIES
  return (options, callback) => {
    const until = performance.now() + milliseconds
    const attempt = (): void => {
      connect(options, (...result) => {
        if (performance.now() >= until || !TRANSIENT.has(errorCode(result[0]))) return callback(...result)
        // Unreferenced: whoever waits has a deadline, and its timer keeps the process alive.
        setTimeout(attempt, pause).unref()
      })
    }
    attempt()
  }
}
