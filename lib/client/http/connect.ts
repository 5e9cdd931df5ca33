import net, { type LookupFunction, type Socket } from 'node:net'
import tls, { type TLSSocket } from 'node:tls'
import { ADDRESS_TIMEOUT_MS } from '../../limits'
import { withoutBrackets } from '../url'
import { oneLookupAtATime, systemLookup } from './address'
import { closeOnAbort, guard } from './guard'
import { serverNameOf, tlsOptions } from './tls-options'
import { openTunnel } from './tunnel'

export interface ConnectOptions {
  /** Milliseconds that a connection may take to open. */
  readonly connectTimeout: number
  /** Looks names up instead of `dns.lookup`. */
  readonly lookup?: LookupFunction | undefined
  /** Set to connect through it. */
  readonly proxy?: URL | undefined
}

/**
 * Opens a connection, which is closed when the signal aborts. Whatever else ends it before it is open closes all that it
 * took, too.
 * @param inspect is called after the TLS handshake, whatever the certificate and the protocol; nothing may be sent then
 * @throws the error of the connection, or the signal's reason
 */
export type Connect = (signal: AbortSignal, inspect?: (socket: TLSSocket) => void) => Promise<Socket>

/** How connections to an origin are opened. There is no other way, not even for a look at its certificate. */
export function connectTo(origin: string, options: ConnectOptions): Connect {
  const { connectTimeout, lookup: given = systemLookup, proxy } = options
  const { protocol, hostname, port: givenPort } = new URL(origin)
  const isHTTPS = protocol === 'https:'
  const host = withoutBrackets(hostname)
  const port = Number(givenPort || (isHTTPS ? 443 : 80))
  const lookup = oneLookupAtATime(given)
  // A quarter of the timeout leaves time for further addresses.
  const autoSelectFamilyAttemptTimeout = Math.ceil(Math.min(ADDRESS_TIMEOUT_MS, connectTimeout / 4))
  const address = { host, port, lookup, autoSelectFamilyAttemptTimeout }
  let session: Buffer | undefined
  return async (signal, inspect) => {
    signal.throwIfAborted()
    const tunnel = proxy && (await openTunnel(`${hostname}:${port}`, { proxy, lookup }, signal))
    if (!isHTTPS) {
      if (!tunnel) return opened(net.connect(address), 'connect', signal)
      closeOnAbort(tunnel, signal)
      return tunnel
    }
    const socket = connectTLS({
      ...address,
      ...tlsOptions(),
      servername: serverNameOf(host),
      ...(tunnel && { socket: tunnel }),
      ...(inspect
        ? { ALPNProtocols: ['http/1.1', 'h2'], rejectUnauthorized: false }
        : { ALPNProtocols: ['http/1.1'], ...(session && { session }) }),
    })
    if (inspect) socket.once('secureConnect', () => inspect(socket))
    socket.on('session', (given) => {
      // Resumed by a request, the session of an inspection would make a certificate pass that was not accepted.
      if (!inspect) session = given
    })
    return opened(socket, 'secureConnect', signal, tunnel)
  }
}

/** @throws what Node says of options that cannot be, such as the environment's version of TLS; then closes the tunnel */
function connectTLS(options: tls.ConnectionOptions): tls.TLSSocket {
  try {
    return tls.connect(options)
  } catch (error) {
    options.socket?.destroy()
    throw error
  }
}

type OpenEvent = 'connect' | 'secureConnect'

function opened(socket: Socket, event: OpenEvent, signal: AbortSignal, tunnel?: Socket): Promise<Socket> {
  guard(socket)
  socket.setNoDelay()
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve(socket)).once('error', reject)
    closeOnAbort(socket, signal)
    socket.once('close', () => {
      // Only then: Node 20 crashes where the tunnel is closed under TLS.
      tunnel?.destroy()
      // No error of undici, which would connect again and again.
      reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    })
  })
}
