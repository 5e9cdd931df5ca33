import type { Request } from 'express'
import * as ipaddr from 'ipaddr.js'

// Some proxies send the port along: 192.0.2.1:5678 and [2001:db8::1]:5678.
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d*)?|([\d.]+):\d*)$/

/**
 * What visitors are counted by: an IPv4 address, however it is written, or the first half of an IPv6 address, of which
 * one person has all. Where the header of the proxy holds no address, it is the proxy's own.
 */
export function addressOf(req: Request): string {
  const address = [req.ip, req.socket.remoteAddress].map(withoutPort).find((text) => ipaddr.isValid(text))
  // The connection has ended: nobody will read the answer.
  if (address === undefined) return 'unknown'
  // On a listener for both families, IPv4 visitors come as ::ffff:192.0.2.1, all in the same /64.
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}

function withoutPort(address = ''): string {
  const [, v6, v4] = WITH_PORT.exec(address) ?? []
  return v6 ?? v4 ?? address
}
