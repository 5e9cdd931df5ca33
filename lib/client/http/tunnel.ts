import { request as requestHTTP } from 'node:http'
import { request as requestHTTPS } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { errors } from 'undici/index.js'
import { MAX_HEADER_BYTES } from '../../limits'
import { withoutBrackets } from '../url'
import { limitTLSMessages } from './tls-messages'
import { tlsOptions } from './tls-options'

export interface TunnelTarget {
  readonly hostname: string
  /** The host of a URL, with its port unless that is the default one. */
  readonly host?: string | undefined
  readonly protocol: string
  readonly port: string
}

export interface TunnelOptions {
  readonly proxy: URL
  /** Milliseconds until the proxy must have opened the tunnel. */
  readonly timeout: number
  readonly lookup: LookupFunction
}

/** The proxy has opened no tunnel. */
class TunnelRefused extends Error {
  readonly code: string

  constructor(status: number | undefined) {
    super('the proxy has opened no tunnel')
    this.code = status === 407 ? 'PROXY_AUTHENTICATION' : 'PROXY_REFUSED'
  }
}

type Result = [error: null, socket: Socket] | [error: Error, socket: null]

/** Opens a tunnel through a proxy, by CONNECT (RFC 9110, section 9.3.6), within the bounds of any connection. */
export function openTunnel(
  { hostname, host = hostname, protocol, port }: TunnelTarget,
  { proxy, timeout, lookup }: TunnelOptions,
  callback: (...result: Result) => void,
): void {
  const authority = port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host
  const request = (proxy.protocol === 'https:' ? requestHTTPS : requestHTTP)({
    method: 'CONNECT',
    host: withoutBrackets(proxy.hostname),
    port: proxy.port,
    path: authority,
    agent: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    lookup,
    ...tlsOptions(),
  })
  // Not among the options: Node would take from `Host` the name that the certificate of the proxy must have, and
  // NODE_DEBUG=http prints them.
  request.setHeader('host', authority)
  const authorization = authorizationOf(proxy)
  if (authorization !== undefined) request.setHeader('proxy-authorization', authorization)
  const timer = setTimeout(() => request.destroy(new errors.ConnectTimeoutError()), timeout)
  const settle = (...result: Result): void => {
    clearTimeout(timer)
    callback(...result)
  }
  // The connection to the proxy is not that to the provider where both are by TLS.
  request.once('socket', (socket) => socket.once('secureConnect', () => limitTLSMessages(socket)))
  request.once('error', (error) => settle(error, null))
  // Node gives the first response to CONNECT to this listener, also one such as 103, which is no tunnel. What the proxy
  // sends behind it is not the provider's.
  request.once('connect', ({ statusCode }, socket, head) => {
    if (statusCode === 200 && head.length === 0) return settle(null, socket)
    // An error of TLS is an event of a socket that was destroyed, too.
    socket.on('error', () => {}).destroy()
    settle(new TunnelRefused(statusCode), null)
  })
  request.end()
}

function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '') return undefined
  const credentials = [username, password].map(decoded).join(':')
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
