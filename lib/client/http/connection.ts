import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
// undici is imported by its file, because Bun replaces the name by its own stub, which cannot open connections.
import { Client, errors } from 'undici/index.js'
import { CONNECT_RETRIES, CONNECT_RETRY_MS, KEEP_ALIVE_MS, MAX_HEADER_BYTES, MAX_WIRE_BYTES } from '../../limits'
import type { Connect } from './connect'
import { ClosedBeforeResponse, errorCode } from './network-errors'
import type { ProviderResponse } from './response-reader'
import type { RequestAttempt } from './transport'

const CLIENT_OPTIONS = {
  // Each request has its own deadline.
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: MAX_HEADER_BYTES,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
}

// What connections meet while a server restarts, or while its address or its name moves. ECONNRESET is not among them:
// a server that resets a TLS handshake may have cost us CPU, and would cost as much for each of `CONNECT_RETRIES`.
const TRANSIENT: readonly unknown[] = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']

/** undici opens a connection for this request, and keeps it for the next one, because this one is not sent. */
const ONLY_CONNECT: Dispatcher.DispatchHandler = {
  onRequestStart() {
    throw new errors.RequestAbortedError()
  },
  onResponseError() {},
}

/**
 * One connection, for one request at a time: a client of undici, which opens it when it is needed, and closes it when it
 * has been idle for long, or when its server sends anything that is no response.
 */
export class Connection {
  readonly #client: Client
  readonly #connect: Connect
  readonly #timeout: number
  readonly #onClose: (connection: Connection) => void
  readonly #closing = new AbortController()
  #isBusy = false
  #socket: Socket | undefined
  /** What it had received before its last request. */
  #bytesBefore = 0
  /** Why it closed. */
  #error: unknown

  /** @param timeout milliseconds within which it must open */
  constructor(origin: string, connect: Connect, timeout: number, onClose: (connection: Connection) => void) {
    this.#connect = connect
    this.#timeout = timeout
    this.#onClose = onClose
    this.#client = new Client(origin, {
      connect: (_options, callback) =>
        void this.#open().then(
          (socket) => callback(null, socket),
          (error: Error) => callback(error, null),
        ),
      ...CLIENT_OPTIONS,
    })
    const ended = (): void => {
      // undici opens it again for a request that it has not written yet.
      if (!this.#isBusy) void this.close()
    }
    this.#client.on('disconnect', ended).on('connectionError', ended)
  }

  /** Whether it has a request. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  /** Whether it is open, or opening, and has no request. */
  get isFree(): boolean {
    return !this.#isBusy && !this.#socket?.destroyed
  }

  /** Opens it for a later request. */
  open(): void {
    this.#client.dispatch({ path: '/', method: 'GET' }, ONLY_CONNECT)
  }

  /**
   * Sends a request, and gives its response to the reader. Only a complete response leaves the connection open.
   * @throws ClosedBeforeResponse, the deadline's reason, an outcome, or another error of the network
   */
  async send({ request, deadline, reader }: RequestAttempt): Promise<ProviderResponse> {
    this.#isBusy = true
    this.#bytesBefore = this.#socket?.bytesRead ?? 0
    let isComplete = false
    let stopListening = (): void => {}
    const received = new Promise<void>((resolve, reject) => {
      stopListening = deadline.onEnd(reject)
      let readsOn = true
      const readOnIf = (isWanted: boolean): void => {
        readsOn = isWanted
        // What has come with it is parsed before this has an effect, so that it may still be complete.
        if (!isWanted) resolve()
      }
      // By `dispatch`, because a stream does not tell whether the response is complete once its reader has left it.
      this.#client.dispatch(request, {
        onRequestStart: () => {},
        onResponseStart: (_controller, status, headers) => readOnIf(reader.start(status, headers)),
        onResponseData: (_controller, chunk) => readsOn && readOnIf(reader.add(chunk)),
        onResponseEnd: () => {
          isComplete = true
          stopListening()
          // A turn later, the next request meets the end of a connection whose server closes it without a word.
          setImmediate(resolve)
        },
        onResponseError: (_controller, error) => reject(error),
      })
    })
    try {
      await received
      return reader.finish()
    } catch (error) {
      throw this.#hasClosedBeforeResponse(error) ? new ClosedBeforeResponse(error) : error
    } finally {
      stopListening()
      this.#isBusy = false
      if (!isComplete || this.#socket?.destroyed) void this.close()
    }
  }

  /** Closes it, also while it opens. */
  close(): Promise<void> {
    this.#onClose(this)
    const closed = this.#client.destroy()
    this.#closing.abort()
    return closed
  }

  /** Opens it. While a request waits for it, and the server seems to restart, that is tried again for a while. */
  async #open(): Promise<Socket> {
    const { signal } = this.#closing
    const timer = setTimeout(() => this.#closing.abort(new errors.ConnectTimeoutError()), this.#timeout).unref()
    const retryTime = Math.min(CONNECT_RETRY_MS, this.#timeout / 3)
    const until = performance.now() + retryTime
    const isSpare = !this.#isBusy
    try {
      while (true) {
        try {
          return this.#watch(await this.#connect(signal))
        } catch (error) {
          // A request that comes while a spare one opens may try another.
          if (isSpare) this.#error = error
          if (!this.#isBusy || performance.now() >= until || !TRANSIENT.includes(errorCode(error))) throw error
        }
        // Unreferenced, because anyone who waits has a deadline, whose timer keeps the process alive.
        await new Promise((resolve) => setTimeout(resolve, retryTime / CONNECT_RETRIES).unref())
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Limits what it receives for a request, and learns why it closes. */
  #watch(socket: Socket): Socket {
    this.#socket = socket
    // What a proxy sent before the tunnel was open is no response.
    this.#bytesBefore = socket.bytesRead
    socket.on('readable', () => {
      if (this.#bytesReceived > MAX_WIRE_BYTES) socket.destroy(new errors.ResponseExceededMaxSizeError())
    })
    return socket.on('error', (error) => {
      this.#error = error
    })
  }

  get #bytesReceived(): number {
    return (this.#socket?.bytesRead ?? 0) - this.#bytesBefore
  }

  /** Whether the error is that of the connection, and nothing of a response had come. */
  #hasClosedBeforeResponse(error: unknown): boolean {
    if (this.#error === undefined || error !== this.#error) return false
    // Messages of TLS are no part of a response. One that was too large is not requested again.
    return this.#bytesReceived === 0 && !(error instanceof errors.ResponseExceededMaxSizeError)
  }
}
