import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
// undici is imported by its file, because Bun replaces the name by a stub of its own, which cannot open connections.
import { Client, errors, Pool } from 'undici/index.js'
import { KEEP_ALIVE_MS, MAX_HEADER_BYTES } from '../../limits'
import type { EndListener } from '../deadline'
import { Semaphore } from '../semaphore'
import type { ConnectOptions } from './connect'
import { Connector } from './connector'
import { ClosedBeforeResponse } from './network-errors'
import type { ProviderResponse } from './response-reader'
import type { RequestAttempt, Transport } from './transport'

export interface PoolOptions extends ConnectOptions {
  readonly connections: number
}

const CLIENT_OPTIONS = {
  // Each request has a deadline of its own.
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: MAX_HEADER_BYTES,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
}

/** The connections to one provider: an undici pool with a {@link Connector}. */
export class ProviderPool implements Transport {
  /** How many requests wait in it, if somebody counts them. */
  requests = 0
  readonly #origin: string
  readonly #pool: Pool
  readonly #connector: Connector
  /**
   * A slot for each request until undici has done with it. A request whose deadline has ended stays in a queue of undici,
   * which opens connections for it: without end, because it no longer counts a connection that has failed.
   */
  readonly #slots: Semaphore

  constructor(origin: string, options: PoolOptions) {
    const { connections } = options
    this.#origin = origin
    this.#slots = new Semaphore(connections)
    this.#connector = new Connector(origin, options)
    this.#pool = new Pool(origin, { connections, connect: this.#connector.connect, ...CLIENT_OPTIONS })
  }

  async send(attempt: RequestAttempt): Promise<ProviderResponse> {
    if (!attempt.onNewConnection) {
      await this.#slots.acquire(attempt.deadline)
      return new Dispatch(attempt, this.#connector, () => this.#slots.release()).sendOver(this.#pool)
    }
    const dispatch = new Dispatch(attempt, this.#connector)
    const client = new Client(this.#origin, { connect: this.#connector.connectNew, ...CLIENT_OPTIONS })
    const response = dispatch.sendOver(client)
    // Closes after the last byte of the response; the request's own promise reports how it ended.
    client.close().catch(() => {})
    return response
  }

  preconnect(): void {
    this.#connector.preconnect()
  }

  close(): Promise<void> {
    this.#connector.close()
    // undici's `close` will not do: it may still be opening a connection for a request that has been aborted.
    return this.#pool.destroy()
  }
}

/** One request, by `dispatch`: undici's `request` adds a stream, which costs a login 5 KiB and 10 to 50 µs of CPU. */
class Dispatch implements Dispatcher.DispatchHandler {
  readonly #attempt: RequestAttempt
  readonly #connector: Connector
  /** Whether the request got a connection. */
  #isSent = false
  #controller: Dispatcher.DispatchController | undefined
  #hasEnough = false
  #resolve: ((response: ProviderResponse) => void) | undefined
  #reject: EndListener | undefined
  readonly #onDone: (() => void) | undefined

  /** @param onDone is called once undici has done with the request, which may be long after its deadline */
  constructor(attempt: RequestAttempt, connector: Connector, onDone?: () => void) {
    this.#attempt = attempt
    this.#connector = connector
    this.#onDone = onDone
  }

  /** @throws the deadline's reason, an outcome, or undici's own error */
  sendOver(dispatcher: Dispatcher): Promise<ProviderResponse> {
    this.#attempt.deadline.addListener(this.#onDeadline)
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      // undici gives what this throws to `onResponseError`.
      dispatcher.dispatch(this.#attempt.request, this)
    })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing instead of aborting keeps the connection for another request.
    if (this.#attempt.deadline.ended) throw new errors.RequestAbortedError()
    this.#controller = controller
    this.#isSent = true
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    this.#readOnIf(this.#attempt.reader.start(status, headers))
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (!this.#hasEnough) this.#readOnIf(this.#attempt.reader.add(chunk))
  }

  onResponseEnd(): void {
    this.#attempt.deadline.removeListener(this.#onDeadline)
    // undici's own setImmediate, scheduled after this method, frees the connection for the profile request.
    queueMicrotask(() =>
      setImmediate(() => {
        this.#finish()
        this.#onDone?.()
      }),
    )
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#attempt.deadline.removeListener(this.#onDeadline)
    this.#onDone?.()
    if (this.#hasEnough) return this.#finish()
    const isClosed = !this.#attempt.onNewConnection && this.#connector.closedBeforeResponse(error, this.#isSent)
    this.#reject?.(isClosed ? new ClosedBeforeResponse(error) : error)
  }

  readonly #onDeadline = (reason: unknown): void => {
    this.#reject?.(reason)
    this.#abort()
  }

  #finish(): void {
    try {
      this.#resolve?.(this.#attempt.reader.finish())
    } catch (error) {
      this.#reject?.(error)
    }
  }

  readonly #abort = (): void => this.#controller?.abort(new errors.RequestAbortedError())

  #readOnIf(readsOn: boolean): void {
    this.#hasEnough = !readsOn
    // The abort waits until the received bytes are parsed: after a complete response the connection can be reused.
    if (this.#hasEnough) queueMicrotask(this.#abort)
  }
}
