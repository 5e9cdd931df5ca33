import type { Socket } from 'node:net'
import { errors } from 'undici'

// A handshake with a long chain of certificates takes 20 KB, each record of an answer some 25 bytes.
const MAX_OVERHEAD_BYTES = 64 * 1024
const INTERVAL_MS = 250

interface Connection {
  /** Undefined during the handshake. */
  tls: Socket | undefined
  bytesWritten: number
  /** Bytes that were no data, at the last look. */
  overhead: number
  /** The same at the last look before the last request. */
  overheadBefore: number
}

/**
 * Cuts connections over which TLS talks to itself: messages of its own (new keys, session tickets) cost CPU for each of
 * their bytes, and neither the stream nor undici sees any of them. Counted are the bytes of the TCP connection that were
 * no data, since the last request. Looked at four times a second, because nothing tells when they come.
 */
export class TLSOverhead {
  readonly #connections = new Map<Socket, Connection>()
  #timer: NodeJS.Timeout | undefined

  /** Watches the TCP connection below a TLS connection until it closes. */
  watch(tcp: Socket): void {
    this.#connections.set(tcp, { tls: undefined, bytesWritten: 0, overhead: 0, overheadBefore: 0 })
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
  }

  readonly #check = (): void => {
    for (const [tcp, connection] of this.#connections) {
      const { tls } = connection
      if (tls && tls.bytesWritten !== connection.bytesWritten) {
        connection.bytesWritten = tls.bytesWritten
        connection.overheadBefore = connection.overhead
      }
      connection.overhead = tcp.bytesRead - (tls?.bytesRead ?? 0)
      if (connection.overhead - connection.overheadBefore > MAX_OVERHEAD_BYTES)
        (tls ?? tcp).destroy(new errors.ResponseExceededMaxSizeError())
    }
  }
}
