import type { Socket } from 'node:net'
import { errors } from './undici'

// A handshake with a long chain of certificates takes 20 KB, each record of a response some 25 bytes.
const MAX_OVERHEAD_BYTES = 64 * 1024
const INTERVAL_MS = 250

// Servers send one to four session tickets. Each takes 18 bytes and 14 us of CPU: 2 MB, which may be read at once, would
// take over a second. A request to repeat the handshake takes 4 bytes: it is refused, but Node checks the certificate again.
const MAX_MESSAGES = 20

interface Connection {
  /** Undefined during the handshake. */
  tls: Socket | undefined
  /** Overhead bytes at the beginning of the response to the last request. */
  overheadBefore: number
}

/**
 * Destroys connections with too many TLS messages that carry no data (key updates, session tickets): they cost CPU, and
 * neither the stream nor undici sees them. Events report tickets and refused handshakes. For the rest, polls the TCP
 * connection's overhead bytes since the last response began, four times a second.
 */
export class TLSOverhead {
  readonly #connections = new Map<Socket, Connection>()
  readonly #tcpOf = new WeakMap<Socket, Socket>()
  #timer: NodeJS.Timeout | undefined

  /** Watches the TCP connection below a TLS connection until it closes. */
  watch(tcp: Socket): void {
    this.#connections.set(tcp, { tls: undefined, overheadBefore: 0 })
    this.#timer ??= setInterval(this.#check, INTERVAL_MS).unref()
    tcp.once('close', () => {
      this.#connections.delete(tcp)
      if (this.#connections.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    })
  }

  /** Call when the handshake has ended. */
  secured(tcp: Socket, tls: Socket): void {
    const connection = this.#connections.get(tcp)
    if (connection) connection.tls = tls
    this.#tcpOf.set(tls, tcp)
    let messages = 0
    const count = (): void => {
      messages += 1
      if (messages === MAX_MESSAGES) tls.destroy(new errors.ResponseExceededMaxSizeError())
    }
    // A refused handshake is reported like the first one.
    tls.on('session', count).on('secureConnect', count)
  }

  /** Call when the response to another request begins: earlier bytes are no longer counted. */
  responseBegins(tls: Socket): void {
    const tcp = this.#tcpOf.get(tls)
    const connection = tcp && this.#connections.get(tcp)
    if (connection) connection.overheadBefore = overheadOf(tcp, tls)
  }

  /** Ends all connections. */
  destroy(): void {
    for (const [tcp, { tls }] of this.#connections) (tls ?? tcp).destroy()
  }

  readonly #check = (): void => {
    for (const [tcp, { tls, overheadBefore }] of this.#connections) {
      const isTooMuch = overheadOf(tcp, tls) - overheadBefore > MAX_OVERHEAD_BYTES
      if (isTooMuch) (tls ?? tcp).destroy(new errors.ResponseExceededMaxSizeError())
    }
  }
}

function overheadOf(tcp: Socket, tls: Socket | undefined): number {
  return tcp.bytesRead - (tls?.bytesRead ?? 0)
}
