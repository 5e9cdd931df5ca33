import dns from 'node:dns'
import { connect, type LookupFunction, type Socket } from 'node:net'
import { DEFAULT_CIPHERS } from 'node:tls'
import { buildConnector, errors } from 'undici'
import { TLSOverhead } from './tls-overhead'

type Connect = ReturnType<typeof buildConnector>

// Twice the largest body. What does not count as body (chunk extensions, white space, early hints, trailers) would otherwise
// cost memory and time without bound.
const MAX_WIRE_BYTES = 128 * 1024

const PRECONNECT_INTERVAL_MS = 1000
// What fails may be expensive: name servers that do not answer, a handshake that takes a second of CPU.
const PRECONNECT_INTERVAL_AFTER_FAILURE_MS = 10_000

// A server chooses the size of a finite-field group: a key exchange with 10,000 bits takes a second of CPU.
const CIPHERS = `${DEFAULT_CIPHERS}:!DHE`

// Servers drop connections on which nothing is sent: nginx after a minute, Apache after 20 seconds.
const SPARE_MAX_AGE_MS = 50_000
// So that it lasts while a person whose login starts now is on the provider's page.
const SPARE_FRESH_MS = 10_000

/** A request that waits for the spare connection to be open; null when that failed. */
type Waiter = (socket: Socket | null) => void

/**
 * Opens the connections to one provider, and does two things that a pool cannot:
 *
 * - A person spends seconds on the provider's page between start and callback. A spare connection that is opened at the
 *   start is ready at the callback, where nobody then waits for its handshakes.
 * - A server may close a kept connection at the very moment when a request is written to it. The connector recognises the
 *   requests to which no response began, so that they may be retried.
 */
export class Connector {
  readonly #origin: URL
  readonly #connect: Connect
  readonly #tlsOverhead = new TLSOverhead()
  readonly #spare = new SpareSocket()
  readonly #stale = new WeakSet<object>()
  #opening: { waiter?: Waiter } | undefined
  #nextPreconnectAt = Number.NEGATIVE_INFINITY
  readonly #lookup = sharedLookup()
  #closed = false

  /** @param timeout milliseconds that a connection may take to open */
  constructor(origin: string, timeout: number) {
    this.#origin = new URL(origin)
    // Said explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED does not switch it off.
    this.#connect = buildConnector({ timeout, rejectUnauthorized: true, ciphers: CIPHERS, lookup: this.#lookup })
  }

  /** `connect` for undici's pool: the spare connection, if there is one or will be in a moment. */
  readonly connect: Connect = (options, callback) => {
    const spare = this.#spare.take()
    if (spare) {
      this.#nextPreconnectAt = Number.NEGATIVE_INFINITY
      this.#watch(spare, true)
      // Asynchronously, as with a new connection: undici cannot take a socket before its call of `connect` has returned.
      setImmediate(() => (spare.destroyed ? this.connectNew(options, callback) : callback(null, spare)))
    } else if (this.#opening && !this.#opening.waiter) {
      this.#opening.waiter = (socket) => {
        if (!socket) return this.connectNew(options, callback)
        this.#watch(socket, false)
        callback(null, socket)
      }
    } else {
      this.connectNew(options, callback)
    }
  }

  /** `connect` for a request that must not meet a kept connection. */
  readonly connectNew: Connect = (options, callback) => {
    this.#open(options, (...result) => {
      if (result[1]) this.#watch(result[1], false)
      callback(...result)
    })
  }

  readonly #open: Connect = (options, callback) => {
    if (options.protocol !== 'https:') return this.#connect(options, callback)
    const tcp = connect({ host: options.hostname, port: Number(options.port || 443), lookup: this.#lookup })
    // The TLS connection reports it, too.
    tcp.on('error', () => {})
    this.#tlsOverhead.watch(tcp)
    this.#connect({ ...options, httpSocket: tcp }, (...result) => {
      if (result[1]) this.#tlsOverhead.secured(tcp, result[1])
      callback(...result)
    })
  }

  /** Opens a spare connection in the background unless there is a fresh one. A failure shows when a login needs one. */
  preconnect(): void {
    if (this.#spare.isFresh || this.#opening || this.#closed) return
    // A server that gives each of them up would otherwise get as many as there are starts.
    if (performance.now() < this.#nextPreconnectAt) return
    this.#nextPreconnectAt = performance.now() + PRECONNECT_INTERVAL_MS
    const opening: { waiter?: Waiter } = {}
    this.#opening = opening
    const { protocol, hostname, host, port } = this.#origin
    this.#open({ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), host, port }, (_error, socket) => {
      this.#opening = undefined
      if (!socket) this.#nextPreconnectAt = performance.now() + PRECONNECT_INTERVAL_AFTER_FAILURE_MS
      if (opening.waiter) opening.waiter(socket)
      else if (socket && this.#closed) socket.destroy()
      else if (socket) this.#spare.keep(socket)
    })
  }

  /** Whether the request that failed with this error met a stale connection: one that was kept open, where no response began. */
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
   * Remembers the error of a socket that was kept open and received nothing after the last request was sent: undici rejects
   * that request with the same error object. Bytes that come between two requests belong to the response to the first.
   */
  #watch(socket: Socket, kept: boolean): void {
    let bytesRead = 0
    let bytesReadBefore = 0
    let bytesWrittenBefore = -1
    socket.on('readable', () => {
      if (socket.bytesRead === bytesRead) return
      if (socket.bytesWritten !== bytesWrittenBefore) {
        bytesReadBefore = bytesRead
        this.#tlsOverhead.responseBegins(socket)
      }
      bytesRead = socket.bytesRead
      bytesWrittenBefore = socket.bytesWritten
      if (bytesRead - bytesReadBefore > MAX_WIRE_BYTES) socket.destroy(new errors.ResponseExceededMaxSizeError())
    })
    socket.on('error', (error) => {
      // Nothing was received since the last request was sent.
      const unanswered = bytesWrittenBefore < socket.bytesWritten
      if ((kept || bytesRead > 0) && unanswered) this.#stale.add(error)
    })
  }
}

/**
 * Looks a name up once at a time. A lookup holds a thread of the process until the name servers answer: those of one
 * provider must not take the few that all others need.
 */
function sharedLookup(): LookupFunction {
  let waiting: Parameters<LookupFunction>[2][] | undefined
  return (hostname, options, callback) => {
    if (waiting) return void waiting.push(callback)
    const callbacks = [callback]
    waiting = callbacks
    dns.lookup(hostname, options, (...result) => {
      waiting = undefined
      for (const tell of callbacks) tell(...result)
    })
  }
}

/** Keeps one open socket until it is taken, the server closes it, or it is too old. */
class SpareSocket {
  #socket: Socket | undefined
  #keptAt = 0
  #timer: NodeJS.Timeout | undefined

  /** Whether there is one, and young enough to last for some time yet. */
  get isFresh(): boolean {
    return this.#socket !== undefined && Date.now() - this.#keptAt < SPARE_FRESH_MS
  }

  /** Keeps this one instead of any other. */
  keep(socket: Socket): void {
    this.drop()
    this.#socket = socket
    this.#keptAt = Date.now()
    // A server that closes, or sends anything before a request, will not serve one on this connection.
    for (const event of ['readable', 'end', 'close', 'error']) socket.on(event, this.drop)
    this.#timer = setTimeout(this.drop, SPARE_MAX_AGE_MS).unref()
    // A connection that may never be used must not keep the process alive.
    socket.unref()
  }

  take(): Socket | undefined {
    const socket = this.#socket
    this.#socket = undefined
    clearTimeout(this.#timer)
    for (const event of ['readable', 'end', 'close', 'error']) socket?.off(event, this.drop)
    return socket?.ref()
  }

  readonly drop = (): void => {
    this.take()
      ?.on('error', () => {})
      .destroy()
  }
}
