import { connect, type LookupFunction, type Socket } from 'node:net'
import { oneLookupAtATime, systemLookup } from './lookup'
import { retryConnect } from './retry-connect'
import { SpareSocket } from './spare-socket'
import { tlsOptions } from './tls-options'
import { TLSOverhead } from './tls-overhead'
import { buildConnector, type Connect, errors } from './undici'

// Twice the largest body. What does not count as body (chunk extensions, white space, early hints, trailers) would
// otherwise cost unbounded memory and time.
const MAX_WIRE_BYTES = 128 * 1024

// More than the most chunks of a body. Each read costs CPU, however little has come: byte by byte, 128 KiB take 0.2 seconds.
const MAX_READS = 2500

// undici parses at once what it reads. After too many headers it creates an error, with its stack, for each further line of
// that: half a second for 64 KiB of the shortest lines.
const PIECE_BYTES = 1024

const PRECONNECT_INTERVAL_MS = 1000
// A failed attempt may be expensive: unresponsive name servers, a handshake that takes a second of CPU.
const PRECONNECT_INTERVAL_AFTER_FAILURE_MS = 10_000

// Node gives an address 0.25 seconds before it turns to the next one: too few where the provider is far away or a packet is
// lost, and the next one, often of IPv6, cannot be reached at all. A lost packet is sent again after a second.
const ADDRESS_TIMEOUT_MS = 1500

// Longer than most restarts. At most a third of the timeout: the rest is for the requests.
const CONNECT_RETRY_MS = 3000

/** A request that waits for the spare connection to open; gets null if that failed. */
type Waiter = (socket: Socket | null) => void

/**
 * Opens the connections to one provider, with two features that a pool lacks:
 *
 * - A person spends seconds on the provider's page between start and callback. A spare connection opened at the start
 *   saves the callback the handshakes.
 * - A connection may close before the response to a request begins: a kept-alive one just as the request is written to
 *   it, and any connection when the server restarts. The connector recognises such requests, so that they can be
 *   retried.
 */
export class Connector {
  readonly #origin: URL
  readonly #connect: Connect
  readonly #tlsOverhead = new TLSOverhead()
  readonly #spare = new SpareSocket()
  /** By the error of a connection: whether anything was received after the last request was written to it. */
  readonly #hadAnswered = new WeakMap<object, boolean>()
  #opening: { waiter?: Waiter } | undefined
  #nextPreconnectAt = Number.NEGATIVE_INFINITY
  readonly #lookup: LookupFunction
  readonly #timeout: number
  readonly #addressTimeout: number
  readonly #openWithRetries: Connect
  #closed = false

  /** @param timeout milliseconds that a connection may take to open */
  constructor(origin: string, timeout: number, lookup: LookupFunction = systemLookup) {
    this.#origin = new URL(origin)
    this.#lookup = oneLookupAtATime(lookup)
    this.#timeout = timeout
    // Leaves time for further addresses.
    this.#addressTimeout = Math.ceil(Math.min(ADDRESS_TIMEOUT_MS, timeout / 4))
    const options = this.#origin.protocol === 'https:' ? tlsOptions() : {}
    const autoSelectFamilyAttemptTimeout = this.#addressTimeout
    this.#openWithRetries = retryConnect(this.#open, Math.min(CONNECT_RETRY_MS, timeout / 3))
    this.#connect = buildConnector({ timeout, lookup: this.#lookup, autoSelectFamilyAttemptTimeout, ...options })
  }

  /** `connect` for undici's pool: the spare connection, if it is open or opening. */
  readonly connect: Connect = (options, callback) => {
    const spare = this.#spare.take()
    if (spare) {
      this.#nextPreconnectAt = Number.NEGATIVE_INFINITY
      this.#watch(spare)
      // Asynchronously, as with a new connection: undici cannot take a socket before `connect` has returned.
      setImmediate(() => (spare.destroyed ? this.connectNew(options, callback) : callback(null, spare)))
    } else if (this.#opening && !this.#opening.waiter) {
      this.#opening.waiter = (socket) => {
        if (!socket) return this.connectNew(options, callback)
        this.#watch(socket)
        callback(null, socket)
      }
    } else {
      this.connectNew(options, callback)
    }
  }

  /** `connect` for a request that must not use a kept-alive connection. */
  readonly connectNew: Connect = (options, callback) => {
    this.#openWithRetries(options, (...result) => {
      if (result[1]) this.#watch(result[1])
      callback(...result)
    })
  }

  /** The TLS socket comes last: of one that waits for a TCP connection, Node dies when the first address of a name fails. */
  readonly #open: Connect = (options, callback) => {
    if (options.protocol !== 'https:') return this.#connect(options, callback)
    const tcp = connect({
      host: options.hostname,
      port: Number(options.port || 443),
      lookup: this.#lookup,
      autoSelectFamilyAttemptTimeout: this.#addressTimeout,
    })
    const limit = setTimeout(() => tcp.destroy(new errors.ConnectTimeoutError()), this.#timeout)
    tcp.once('close', () => clearTimeout(limit))
    this.#tlsOverhead.watch(tcp)
    const failed = (error: Error): void => callback(error, null)
    tcp.once('error', failed)
    tcp.once('connect', () => {
      // The TLS socket reports the same error.
      tcp.off('error', failed).on('error', () => {})
      this.#connect({ ...options, httpSocket: tcp }, (...result) => {
        clearTimeout(limit)
        if (result[1]) this.#tlsOverhead.secured(tcp, result[1])
        callback(...result)
      })
    })
  }

  /**
   * Opens a spare connection in the background unless there is a fresh one. A failure shows only when a login needs a
   * connection.
   */
  preconnect(): void {
    if (this.#spare.isFresh || this.#opening || this.#closed) return
    // A server that drops each of them would otherwise get one attempt per start.
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

  /**
   * Whether a request failed because its connection, which was open, closed before the first byte of its response.
   *
   * @param isSent whether the request had been written to the connection
   */
  closedBeforeResponse(error: unknown, isSent: boolean): boolean {
    const hadAnswered = typeof error === 'object' && error !== null ? this.#hadAnswered.get(error) : undefined
    // Of a connection that had answered all requests, the response was one to an earlier request.
    return hadAnswered === false || (hadAnswered === true && !isSent)
  }

  close(): void {
    this.#closed = true
    this.#spare.drop()
  }

  /** Destroys connections that undici may have left open: those whose request was aborted during the handshake. */
  destroy(): void {
    this.#tlsOverhead.destroy()
  }

  /**
   * Limits what a socket may receive for one request, and fills `#hadAnswered`: undici rejects a request with the error
   * object of its socket. Bytes received between two requests belong to the response to the first.
   */
  #watch(socket: Socket): void {
    readInPieces(socket)
    let reads = 0
    let bytesRead = 0
    let bytesReadBefore = 0
    let bytesWrittenBefore = -1
    socket.on('readable', () => {
      if (socket.bytesRead === bytesRead) return
      if (socket.bytesWritten !== bytesWrittenBefore) {
        bytesReadBefore = bytesRead
        reads = 0
        this.#tlsOverhead.responseBegins(socket)
      }
      bytesRead = socket.bytesRead
      bytesWrittenBefore = socket.bytesWritten
      reads += 1
      const isTooMuch = reads > MAX_READS || bytesRead - bytesReadBefore > MAX_WIRE_BYTES
      if (isTooMuch) socket.destroy(new errors.ResponseExceededMaxSizeError())
    })
    socket.on('error', (error) => {
      // Not when a limit of ours closed it: the server would do the same again.
      if (error instanceof errors.ResponseExceededMaxSizeError) return
      // Node does not count a text whose write fails at once.
      const failedToWrite = 'syscall' in error && error.syscall === 'write'
      this.#hadAnswered.set(error, bytesWrittenBefore === socket.bytesWritten && !failedToWrite)
    })
  }
}

/** Lets a reader have at most 1 KiB at a time, and nothing from a socket that it has destroyed meanwhile. */
function readInPieces(socket: Socket): void {
  const read = socket.read.bind(socket)
  socket.read = (size = Math.min(socket.readableLength, PIECE_BYTES) || undefined) =>
    socket.destroyed ? null : read(size)
}
