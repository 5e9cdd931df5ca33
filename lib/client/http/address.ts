import dns, { type LookupAddress } from 'node:dns'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'
import { promisify } from 'node:util'
import { MAX_ADDRESSES } from '../../limits'
import { withoutBrackets } from '../url'

// IANA's special-purpose registries (RFC 6890), without ranges that are reachable from everywhere. An IPv4 address
// inside an IPv6 address is compared as IPv4 by the list itself. Some of the others are networks that translate to
// IPv4.
const PRIVATE = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.168.0.0/16
  198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3
  ::/96 ::ffff:0:0:0/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10
  fec0::/10 ff00::/8`

let list: BlockList | undefined

/** A host is not of the public internet, or its name leads to one that is not. */
export class PrivateAddressError extends Error {
  readonly code = 'PRIVATE_ADDRESS'
}

/** The list is built when first needed, because that takes milliseconds. */
function privateNetworks(): BlockList {
  const networks = new BlockList()
  for (const [, network = '', prefix] of PRIVATE.matchAll(/(\S+)\/(\d+)/g)) {
    networks.addSubnet(network, Number(prefix), isIPv6(network) ? 'ipv6' : 'ipv4')
    // In networks without IPv4, name servers (DNS64) give the public addresses in this form, too.
    if (!isIPv6(network)) networks.addSubnet(`64:ff9b::${network}`, 96 + Number(prefix), 'ipv6')
  }
  return networks
}

function isPrivateAddress(address: string): boolean {
  const [plain = ''] = address.split('%')
  list ??= privateNetworks()
  return isIP(plain) === 0 || list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')
}

/** Whether the host of a URL is a private IP address. A name is checked by {@link publicLookup}. */
export function isPrivateHost(hostname: string): boolean {
  const address = withoutBrackets(hostname)
  return isIP(address) !== 0 && isPrivateAddress(address)
}

/** Node's own lookup, read at each call, because an application may have replaced it. */
export const systemLookup: LookupFunction = (...args) => dns.lookup(...args)

/**
 * Runs one DNS lookup at a time. Each blocks a thread of libuv's small pool until the name servers answer, and one
 * provider must not occupy the threads that others need. Returns only the first `MAX_ADDRESSES` of a name.
 */
export function oneLookupAtATime(lookup: LookupFunction): LookupFunction {
  let waiting: Parameters<LookupFunction>[2][] | undefined
  return (hostname, options, callback) => {
    if (waiting) return void waiting.push(callback)
    const callbacks = [callback]
    waiting = callbacks
    try {
      lookup(hostname, options, (error, found, family) => {
        waiting = undefined
        const addresses = Array.isArray(found) ? found.slice(0, MAX_ADDRESSES) : found
        for (const callback of callbacks) callback(error, addresses, family)
      })
    } catch (error) {
      // An application's own lookup has thrown; the next one may work.
      waiting = undefined
      throw error
    }
  }
}

/** Fails where any address of the name is private. The connection uses these addresses, and looks up no other. */
export function publicLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found) => {
      const addresses: LookupAddress[] = Array.isArray(found) ? found : []
      if (error) return callback(error, '')
      if (addresses.some(({ address }) => isPrivateAddress(address))) return callback(new PrivateAddressError(), '')
      const [first] = addresses
      if (options.all) return callback(null, addresses)
      callback(null, first?.address ?? '', first?.family)
    })
  }
}

/**
 * `dns.lookup` without its threads, of which a process has four: ten names whose servers do not answer would keep it
 * from looking up any other name, and from reading files. Asks the name servers only, and not `/etc/hosts`.
 */
export const resolveName: LookupFunction = (hostname, { family }, callback) => {
  // For `node:dns/promises`, an application's `dns.setServers` would have no effect.
  const answers = [
    ...(family === 6 ? [] : [promisify(dns.resolve4)(hostname).then(withFamily(4))]),
    ...(family === 4 ? [] : [promisify(dns.resolve6)(hostname).then(withFamily(6))]),
  ]
  void Promise.allSettled(answers).then((results) => {
    const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    // An error of `resolve` would be taken for one of a connection, such as ECONNREFUSED by a name server.
    callback(addresses.length > 0 ? null : Object.assign(new Error(), { code: 'ENOTFOUND' }), addresses)
  })
}

function withFamily(family: number) {
  return (addresses: readonly string[]): LookupAddress[] => addresses.map((address) => ({ address, family }))
}
