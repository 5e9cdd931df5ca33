import type { LookupFunction } from 'node:net'
import { isPrivateHost, publicLookup as publicLookupBy, systemLookup } from '../client/http/address'
import { ProbeError } from './probe-error'

/**
 * Refuses the URL of a private address. A name is checked when it is looked up: see {@link publicLookup}.
 *
 * @throws ProbeError
 */
export function refusePrivate({ hostname }: URL): void {
  if (isPrivateHost(hostname)) throw ProbeError.privateAddress()
}

/** `dns.lookup` that refuses private addresses. */
export const publicLookup: LookupFunction = publicLookupBy(systemLookup)
