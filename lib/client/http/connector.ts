import type { Socket } from 'node:net'
import { type buildConnector, errors } from 'undici/index.js'
import {
  CONNECT_RETRIES,
  CONNECT_RETRY_MS,
  MAX_WIRE_BYTES,
  PRECONNECT_INTERVAL_MS,
  SPARE_MAX_AGE_MS,
} from '../../limits'
import { type Connect, type ConnectOptions, connectTo } from './connect'
import { errorCode } from './network-errors'

/** How undici's pool and client have a connection opened. */
type UndiciConnect = ReturnType<typeof buildConnector>

// What connections meet while a server restarts, or while its address or its name moves. ECONNRESET is not among them:
// a server that resets a TLS handshake may have cost us CPU, and would cost as much for each of `CONNECT_RETRIES`.
const TRANSIENT: readonly unknown[] = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']

/**
 * Opens the connections to one provider. A pool alone opens no spare connection while the person is on the provider's
 * page, does not retry while the provider restarts, and does not tell whether a connection closed before the response.
 */
export class Connector {
  readonly #connect: Connect
  readonly #timeout: number
  readonly #retryTime: number
  /** One for each connection that is opening. */
  readonly #opening = new Set<AbortController>()
  /** For the error of a connection, whether anything was received after the last request was written to it. */
  readonly #hadAnswered = new WeakMap<Error, boolean>()
  #spare: SpareConnection | undefined
  #nextPreconnectAt = 0
  #isClosed = false

  constructor(origin: string, options: ConnectOptions) {
    this.#connect = connectTo(origin, options)
    this.#timeout = options.connectTimeout
    this.#retryTime = Math.min(CONNECT_RETRY_MS, this.#timeout / 3)
  }

  /** `connect` for undici's pool: the spare connection, if it is open or opening. */
  readonly connect: UndiciConnect = (options, callback) => {
    const spare = this.#spare
    this.#spare = undefined
    if (!spare) return this.connectNew(options, callback)
    void spare.take().then((socket) => {
      if (!socket || socket.destroyed) return this.connectNew(options, callback)
      this.#nextPreconnectAt = 0
      this.#watch(socket)
      callback(null, socket)
    })
  }

  /** `connect` for a request that must not use a kept-alive connection. */
  readonly connectNew: UndiciConnect = (_options, callback) => {
    const until = performance.now() + this.#retryTime
    const attempt = (): void =>
      void this.#open().then(
        (socket) => {
          this.#watch(socket)
          callback(null, socket)
        },
        (error: Error) => {
          const isTriedAgain = performance.now() < until && !this.#isClosed && TRANSIENT.includes(errorCode(error))
          if (!isTriedAgain) return callback(error, null)
          // The timer is unreferenced, because whoever waits has a deadline, whose timer keeps the process alive.
          setTimeout(attempt, this.#retryTime / CONNECT_RETRIES).unref()
        },
      )
    attempt()
  }

  /** Opens a spare connection in the background unless a recent one is still unused. Never fails. */
  preconnect(): void {
    const now = performance.now()
    if (this.#isClosed || now < this.#nextPreconnectAt) return
    this.#nextPreconnectAt = now + PRECONNECT_INTERVAL_MS
    this.#spare?.close()
    this.#spare = new SpareConnection(this.#open())
  }

  /** Whether the connection closed before the response began. `isSent` tells whether the request got a connection. */
  closedBeforeResponse(error: Error, isSent: boolean): boolean {
    const hadAnswered = this.#hadAnswered.get(error)
    // If the connection had answered all requests written to it, a request that was not written has no response.
    return hadAnswered === false || (hadAnswered === true && !isSent)
  }

  close(): void {
    this.#isClosed = true
    this.#spare?.close()
    for (const opening of this.#opening) opening.abort()
  }

  /** Opens a connection within the timeout, and while this is not closed. */
  async #open(): Promise<Socket> {
    const opening = new AbortController()
    const timer = setTimeout(() => opening.abort(new errors.ConnectTimeoutError()), this.#timeout).unref()
    this.#opening.add(opening)
    try {
      return await this.#connect(opening.signal)
    } finally {
      clearTimeout(timer)
      this.#opening.delete(opening)
    }
  }

  // Limits what a socket receives between two requests, and fills `#hadAnswered`, because undici rejects requests with
  // the socket's error.
  #watch(socket: Socket): void {
    // What a proxy sent before the tunnel was open is no response.
    let { bytesRead } = socket
    let bytesReadBefore = socket.bytesRead
    let bytesWrittenBefore = -1
    socket.on('readable', () => {
      if (socket.bytesRead === bytesRead) return
      if (socket.bytesWritten !== bytesWrittenBefore) bytesReadBefore = bytesRead
      bytesRead = socket.bytesRead
      bytesWrittenBefore = socket.bytesWritten
      if (bytesRead - bytesReadBefore > MAX_WIRE_BYTES) socket.destroy(new errors.ResponseExceededMaxSizeError())
    })
    socket.on('error', (error) => {
      // A response that was too large is not requested again, because the next one would be, too.
      if (error instanceof errors.ResponseExceededMaxSizeError) return
      // Node does not count the bytes of a write that fails at once.
      const failedToWrite = Reflect.get(error, 'syscall') === 'write'
      this.#hadAnswered.set(error, bytesWrittenBefore === socket.bytesWritten && !failedToWrite)
    })
  }
}

/** A connection that is opened for a later request. Its timer closes it, whatever its server does. */
class SpareConnection {
  readonly #socket: Promise<Socket | undefined>
  readonly #timer: NodeJS.Timeout

  constructor(opening: Promise<Socket>) {
    this.#socket = opening.then(
      (socket) => this.#opened(socket),
      () => undefined,
    )
    this.#timer = setTimeout(this.close, SPARE_MAX_AGE_MS).unref()
  }

  /** The connection, once it is open; none if that failed. */
  async take(): Promise<Socket | undefined> {
    clearTimeout(this.#timer)
    const socket = await this.#socket
    return socket?.off('readable', this.close)
  }

  readonly close = (): void => {
    void this.#socket.then((socket) => socket?.destroy())
  }

  #opened(socket: Socket): Socket {
    // A server that sends anything, or the end, before a request will not serve one here. An unused connection must not
    // keep the process alive.
    return socket.on('readable', this.close).unref()
  }
}
