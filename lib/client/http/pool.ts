import type { LookupFunction } from 'node:net'
import { Semaphore } from '../semaphore'
import { type Connect, Connector } from './connector'
import { dispatch } from './dispatch'
import type { Transport, TransportCall } from './transport'
import { Client, errors, Pool } from './undici'

/** Limits of the connections to the provider. */
export interface PoolLimits {
  /** The most connections at one time. */
  readonly connections: number
  /** Milliseconds that a connection may take to open. */
  readonly connectTimeout: number
  /** Looks names up instead of `dns.lookup`. */
  readonly lookup?: LookupFunction | undefined
}

// Logins of different people are often seconds apart. A shorter time in the server's `Keep-Alive` header wins.
const KEEP_ALIVE_MS = 60_000

/** Options of undici that limit a response. */
export const RESPONSE_LIMITS = {
  // Each request has a deadline of its own.
  headersTimeout: 0,
  bodyTimeout: 0,
  // Counts names and values, without `:` and line breaks: a header line of one letter counts as one byte and takes 200
  // of memory. With 8 KiB, a response could take more than 2 MB at its peak.
  maxHeaderSize: 7 * 1024,
}

const CLIENT_OPTIONS = {
  ...RESPONSE_LIMITS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
}

/** The connections to one provider: an undici pool with a {@link Connector}. */
export class ProviderPool implements Transport {
  readonly #origin: string
  readonly #connector: Connector
  readonly #pool: Pool
  /**
   * One slot per request in the pool: a request could not leave undici's own queue, which would open connections in
   * vain.
   */
  readonly #slots: Semaphore
  /** Calls that have no connection yet. */
  readonly #waiting = new Set<TransportCall>()
  #closing: Promise<void> | undefined

  constructor(origin: string, { connections, connectTimeout, lookup }: PoolLimits) {
    this.#origin = origin
    this.#connector = new Connector(origin, connectTimeout, lookup)
    this.#slots = new Semaphore(connections)
    this.#pool = new Pool(origin, { ...CLIENT_OPTIONS, connections, connect: this.#connect })
  }

  /**
   * Sends a request. Retried after a stale connection (closed by the server as the request was written), because in
   * nearly all cases the server has not read it, and where the call allows it. The retry keeps the slot.
   */
  async send(call: TransportCall): Promise<void> {
    if (this.#closing !== undefined) throw new errors.ClientClosedError()
    if (!this.#slots.tryAcquire()) await this.#slots.waitForSlot(call.deadline)
    const retry: { wait: number | undefined } = { wait: undefined }
    const onDone = (error?: unknown): void => {
      retry.wait = this.#retryAfter(error, call)
      if (retry.wait === undefined) this.#slots.release()
    }
    try {
      await this.#dispatch(call, onDone)
    } catch (error) {
      if (retry.wait === undefined) throw error
      await this.#retry(call, retry.wait, error)
    }
  }

  /** Opens a connection for an expected login. Returns at once and never fails. */
  preconnect(): void {
    this.#connector.preconnect()
  }

  /** Closes all connections once their requests have ended. Idempotent. */
  close(): Promise<void> {
    this.#connector.close()
    this.#closing ??= this.#slots
      .close()
      .then(() => this.#pool.close())
      .then(() => this.#connector.destroy())
    return this.#closing
  }

  /**
   * `connect` for undici's pool, which opens a connection after each aborted request, too. While the provider hangs, as many
   * would be left as logins timed out, and if they are dead, each would cost a later login its time. While another call waits
   * for a connection, one is opened all the same.
   */
  readonly #connect: Connect = (options, callback) => {
    if (this.#waiting.size > 0) return this.#connector.connect(options, callback)
    // An aborted request frees its slot, and the next call may need this connection. undici gives the error to the requests of this
    // one connection, all of which have been aborted.
    setImmediate(() => {
      if (this.#waiting.size > 0) this.#connector.connect(options, callback)
      else callback(new errors.RequestAbortedError(), null)
    })
  }

  #dispatch(call: TransportCall, onDone: (error?: unknown) => void): Promise<void> {
    this.#waiting.add(call)
    const sent = (): void => void this.#waiting.delete(call)
    const done = (error?: unknown): void => {
      sent()
      onDone(error)
    }
    return dispatch(this.#pool, call, done, sent)
  }

  #retryAfter(error: unknown, call: TransportCall): number | undefined {
    if (error === undefined || call.deadline.ended) return undefined
    return this.#connector.wasStale(error) ? 0 : call.retryAfter(error)
  }

  async #retry(call: TransportCall, wait: number, error: unknown): Promise<void> {
    const release = (): void => this.#slots.release()
    // All other kept-alive connections may be stale, too.
    if (this.#connector.wasStale(error)) return this.#sendOnNewConnection(call, release)
    try {
      await call.deadline.pause(wait)
    } catch (reason) {
      release()
      throw reason
    }
    await this.#dispatch(call, release)
  }

  async #sendOnNewConnection(call: TransportCall, onDone: () => void): Promise<void> {
    const client = new Client(this.#origin, { ...CLIENT_OPTIONS, connect: this.#connector.connectNew })
    const sent = dispatch(client, call, onDone)
    // Closes after the last byte of the response; the request's own promise reports how it ended.
    client.close().catch(() => {})
    await sent
  }
}
