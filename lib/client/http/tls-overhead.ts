import type { Socket } from 'node:net'
import { errors } from 'undici'

// A handshake with a long chain of certificates takes 20 KB, each record of an answer some 25 bytes.
const MAX_OVERHEAD_BYTES = 64 * 1024
const INTERVAL_MS = 250

interface Connection {
  /** Undefined during the handshake. */
  tls: Socket | undefined
  /** Bytes that were no data when the answer to the last request began. */
  overheadBefore: number
}

/**
 * Cuts connections over which TLS talks to itself: messages of its own (new keys, session tickets) cost CPU for each of
 * their bytes, and neither the stream nor undici sees any of them. Counted are the bytes of the TCP connection that were
 * no data, since the last answer began. Looked at four times a second, because nothing tells when they come.
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

  /** Tells the TLS connection, once there is one. */
  secured(tcp: Socket, tls: Socket): void {
    const connection = this.#connections.get(tcp)
    if (connection) connection.tls = tls
    this.#tcpOf.set(tls, tcp)
  }

  /** Tells that the answer to another request has begun: what came before it does not count any more. */
  answerBegins(tls: Socket): void {
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
