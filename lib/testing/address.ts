import { BlockList, isIPv6 } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether an address to listen on is a loopback address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')
}

/** The origin for a host and a port. */
export function originFor(host: string, port: number): string {
  // A wildcard address can be listened on, but not connected to.
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
}

// A valid `Host` header. Checked before parsing, which takes quadratic time for a long international name.
const hostHeaderPattern = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i

/** The `Host` header if it is valid, else undefined. */
export function checkedHost(hostHeader: string | undefined): string | undefined {
  return hostHeader !== undefined && hostHeaderPattern.test(hostHeader) ? hostHeader : undefined
}

/**
 * Whether a `Host` header names this machine or the given origin. No other name is accepted, not even a single label: a
 * neighbour in the same network can own it.
 */
export function namesUs(hostHeader: string, origin: string | undefined): boolean {
  const checked = checkedHost(hostHeader)
  if (checked === undefined || !URL.canParse(`http://${checked}`)) return false
  const { host, hostname } = new URL(`http://${checked}`)
  if (origin !== undefined && new URL(origin).host === host) return true
  return isLoopback(hostname.replace(/^\[|\]$/g, '')) || hostname.endsWith('.localhost')
}

/** Validates the `origin` option: scheme, host and port only. */
export function checkedOrigin(origin: string): string {
  const isWeb = origin.length <= 300 && URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol)
  if (!isWeb || new URL(origin).origin !== origin) {
    throw new TypeError('origin must be scheme, host and port, such as http://provider.test:4400')
  }
  return origin
}
