import { request as requestHTTP } from 'node:http'
import { request as requestHTTPS } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { MAX_HEADER_BYTES } from '../../limits'
import { withoutBrackets } from '../url'
import { closeOnAbort, guard } from './guard'
import { serverNameOf, tlsOptions } from './tls-options'

export interface TunnelOptions {
  readonly proxy: URL
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

/**
 * Opens a tunnel through a proxy, by CONNECT (RFC 9110, section 9.3.6), within the bounds of any connection. While it
 * opens, it is closed when the signal aborts; then by what runs in it.
 * @param authority host and port
 * @throws the error of the connection, or the signal's reason
 */
export function openTunnel(authority: string, { proxy, lookup }: TunnelOptions, signal: AbortSignal): Promise<Socket> {
  const host = withoutBrackets(proxy.hostname)
  const request = (proxy.protocol === 'https:' ? requestHTTPS : requestHTTP)({
    method: 'CONNECT',
    host,
    // Node would take from the header `Host` the name that the certificate of the proxy must have.
    servername: serverNameOf(host),
    port: proxy.port,
    path: authority,
    agent: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    lookup,
    ...tlsOptions(),
  })
  // Not among the options, which NODE_DEBUG=http prints.
  request.setHeader('host', authority)
  const authorization = authorizationOf(proxy)
  if (authorization !== undefined) request.setHeader('proxy-authorization', authorization)
  return new Promise((resolve, reject) => {
    let stop = (): void => {}
    request.once('socket', (socket) => {
      guard(socket)
      stop = closeOnAbort(socket, signal)
    })
    request.once('error', reject)
    // Node gives the first response to CONNECT to this listener, also one such as 103, which is no tunnel. What the proxy
    // sends behind it is not the provider's.
    request.once('connect', ({ statusCode }, socket, head) => {
      stop()
      if (statusCode === 200 && head.length === 0) return resolve(socket)
      socket.destroy()
      reject(new TunnelRefused(statusCode))
    })
    request.end()
  })
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
