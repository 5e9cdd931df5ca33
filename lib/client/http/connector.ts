import { connect, type Socket } from 'node:net'
import { buildConnector, errors } from 'undici'
import { SpareSocket } from './spare-socket'
import { TLSOverhead } from './tls-overhead'

type Connect = ReturnType<typeof buildConnector>

// Twice the largest body. What does not count as body (chunk extensions, white space, early hints, trailers) would otherwise
// cost memory and time without bound.
const MAX_WIRE_BYTES = 128 * 1024

const MIN_SPARE_INTERVAL_MS = 1000

/** A login that waits for the spare connection to be open; null when that failed. */
type Waiter = (socket: Socket | null) => void

/**
 * Opens the connections to one provider, and does two things that a pool cannot:
 *
 * - A person spends seconds on the provider's page between start and callback. A connection that is opened at the start
 *   is ready at the callback: its handshakes are not waited for when the person waits.
 * - A server may close a kept connection at the very moment when a request is written to it. The connector knows the
 *   requests that nobody can have answered, so that they may be sent once more.
 */
export class Connector {
  readonly #origin: URL
  readonly #connect: Connect
  readonly #tlsOverhead = new TLSOverhead()
  readonly #spare = new SpareSocket()
  readonly #stale = new WeakSet<object>()
  #opening: { waiter?: Waiter } | undefined
  #spareOpenedAt = Number.NEGATIVE_INFINITY
  #closed = false

  /** @param timeout milliseconds that a connection may take to open */
  constructor(origin: string, timeout: number) {
    this.#origin = new URL(origin)
    // Said explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED does not switch it off.
    this.#connect = buildConnector({ timeout, rejectUnauthorized: true })
  }

  /** `connect` for undici's pool: the spare connection, if there is one or will be in a moment. */
  readonly connect: Connect = (options, callback) => {
    const spare = this.#spare.take()
    if (spare) {
      this.#spareOpenedAt = Number.NEGATIVE_INFINITY
      this.#watch(spare, true)
      // As late as any other connection comes: undici is not ready for it within its own call.
      setImmediate(() => (spare.destroyed ? this.connectFresh(options, callback) : callback(null, spare)))
    } else if (this.#opening && !this.#opening.waiter) {
      this.#opening.waiter = (socket) => {
        if (!socket) return this.connectFresh(options, callback)
        this.#watch(socket, false)
        callback(null, socket)
      }
    } else {
      this.connectFresh(options, callback)
    }
  }

  /** `connect` for a request that must not meet a kept connection. */
  readonly connectFresh: Connect = (options, callback) => {
    this.#open(options, (...result) => {
      if (result[1]) this.#watch(result[1], false)
      callback(...result)
    })
  }

  readonly #open: Connect = (options, callback) => {
    if (options.protocol !== 'https:') return this.#connect(options, callback)
    const tcp = connect({ host: options.hostname, port: Number(options.port || 443) })
    // The TLS connection reports it, too.
    tcp.on('error', () => {})
    this.#tlsOverhead.watch(tcp)
    this.#connect({ ...options, httpSocket: tcp }, (...result) => {
      if (result[1]) this.#tlsOverhead.secured(tcp, result[1])
      callback(...result)
    })
  }

  /** Opens a spare connection in the background unless there is a fresh one. A failure shows when a login needs one. */
  openSpare(): void {
    if (this.#spare.isFresh || this.#opening || this.#closed) return
    // A server that gives each of them up would otherwise get as many as there are starts.
    if (performance.now() - this.#spareOpenedAt < MIN_SPARE_INTERVAL_MS) return
    this.#spareOpenedAt = performance.now()
    const opening: { waiter?: Waiter } = {}
    this.#opening = opening
    const { protocol, hostname, host, port } = this.#origin
    this.#open({ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), host, port }, (_error, socket) => {
      this.#opening = undefined
      if (opening.waiter) opening.waiter(socket)
      else if (socket && this.#closed) socket.destroy()
      else if (socket) this.#spare.keep(socket)
    })
  }

  /** Whether the request that failed with this error met a stale connection: kept open before, and no answer begun. */
  wasStale(error: unknown): boolean {
    return typeof error === 'object' && error !== null && this.#stale.has(error)
  }

  close(): void {
    this.#closed = true
    this.#spare.drop()
  }

  /** Ends what undici may have left open: connections whose request was given up during their handshake. */
  destroy(): void {
    this.#tlsOverhead.destroy()
  }

  /**
   * undici rejects a request with the very error that its socket emits: so the error tells the connection's story. What
   * comes between two requests belongs to the answer of the first.
   */
  #watch(socket: Socket, kept: boolean): void {
    let bytesRead = 0
    let bytesReadBefore = 0
    let bytesWrittenBefore = -1
    socket.on('readable', () => {
      if (socket.bytesRead === bytesRead) return
      if (socket.bytesWritten !== bytesWrittenBefore) {
        bytesReadBefore = bytesRead
        this.#tlsOverhead.answerBegins(socket)
      }
      bytesRead = socket.bytesRead
      bytesWrittenBefore = socket.bytesWritten
      if (bytesRead - bytesReadBefore > MAX_WIRE_BYTES) socket.destroy(new errors.ResponseExceededMaxSizeError())
    })
    socket.on('error', (error) => {
      // What was read last came before the last request was written.
      const unanswered = bytesWrittenBefore < socket.bytesWritten
      if ((kept || bytesRead > 0) && unanswered) this.#stale.add(error)
    })
  }
}
