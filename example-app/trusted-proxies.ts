import * as ipaddr from 'ipaddr.js'

const NETWORKS = ['loopback', 'linklocal', 'uniquelocal']
const MAX_PROXIES = 10
// The largest private network, 10.0.0.0/8, is as large as this. What is larger holds visitors.
const MIN_BITS = { ipv4: 8, ipv6: 16 }
const ALL_IPV4 = ipaddr.parse('::ffff:0.0.0.0')
const ALL_IPV4_BITS = 96

export const PROXIES_RULE =
  `must be a number of proxies (${MAX_PROXIES} at most), or addresses and networks such as 10.0.0.0/8 ` +
  `(none larger than /${MIN_BITS.ipv4}, in IPv6 /${MIN_BITS.ipv6}), or any of ${NETWORKS.join(', ')}: ` +
  'whoever is trusted can take any address.'

/** Express's setting of that name, or undefined for what is none, or would trust visitors. */
export function readProxies(value: string): number | string[] | undefined {
  if (/^\d{1,2}$/.test(value)) return Number(value) <= MAX_PROXIES ? Number(value) : undefined
  const proxies = value.split(',').map((proxy) => proxy.trim())
  return proxies.every(isProxy) ? proxies : undefined
}

function isProxy(value: string): boolean {
  if (NETWORKS.includes(value)) return true
  if (value.includes('%')) return false
  if (!value.includes('/')) return ipaddr.IPv4.isValidFourPartDecimal(value) || ipaddr.IPv6.isValid(value)
  if (!ipaddr.isValidCIDR(value)) return false
  const [address, bits] = ipaddr.parseCIDR(value)
  if (address.kind() === 'ipv4') return bits >= MIN_BITS.ipv4
  // To Express, an IPv4 visitor is in a network that holds the address ::ffff:192.0.2.1.
  const holdsIPv4 = ALL_IPV4.match(address, Math.min(bits, ALL_IPV4_BITS))
  return bits >= (holdsIPv4 ? ALL_IPV4_BITS + MIN_BITS.ipv4 : MIN_BITS.ipv6)
}
