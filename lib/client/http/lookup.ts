import dns from 'node:dns'
import type { LookupFunction } from 'node:net'

// Addresses are tried one after the other. A name may have thousands, and each refused one costs 50 us of CPU.
const MAX_ADDRESSES = 32

/** Node's own lookup; called by its name each time, because an application may have replaced it. */
export const systemLookup: LookupFunction = (...args) => dns.lookup(...args)

/**
 * Runs one DNS lookup at a time. Each blocks a thread of libuv's small pool until the name servers answer: one provider
 * must not occupy the threads that others need. Only the first addresses of a name are told.
 */
export function oneLookupAtATime(lookup: LookupFunction): LookupFunction {
  let waiting: Parameters<LookupFunction>[2][] | undefined
  return (hostname, options, callback) => {
    if (waiting) return void waiting.push(callback)
    const callbacks = [callback]
    waiting = callbacks
    lookup(hostname, options, (error, found, family) => {
      waiting = undefined
      const addresses = Array.isArray(found) ? found.slice(0, MAX_ADDRESSES) : found
      for (const tell of callbacks) tell(error, addresses, family)
    })
  }
}
