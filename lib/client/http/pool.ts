import type { LookupFunction } from 'node:net'
import { Semaphore } from '../semaphore'
import { Connector } from './connector'
import { dispatch } from './dispatch'
import { PooledRequest, type PoolState } from './pooled-request'
import type { Transport, TransportCall } from './transport'
import { Client, type Connect, errors, Pool } from './undici'

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
  // of memory. With 7 KiB, a response could take more than 2 MB at its peak.
  maxHeaderSize: 6 * 1024,
}

const CLIENT_OPTIONS = {
  ...RESPONSE_LIMITS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
}

/** The connections to one provider: an undici pool with a {@link Connector}. */
export class ProviderPool implements Transport {
  readonly #origin: string
  readonly #pool: Pool
  readonly #state: PoolState
  #closing: Promise<void> | undefined

  constructor(origin: string, { connections, connectTimeout, lookup }: PoolLimits) {
    this.#origin = origin
    const connector = new Connector(origin, connectTimeout, lookup)
    this.#state = { connector, slots: new Semaphore(connections), waiting: 0 }
    this.#pool = new Pool(origin, { ...CLIENT_OPTIONS, connections, connect: this.#connect })
  }

  /**
   * Sends a request. Retried once if its connection closed before the response began (a profile request changes nothing,
   * and a provider that has exchanged a key refuses it), or where the call allows it. The retry keeps the slot.
   */
  send(call: TransportCall): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(new errors.ClientClosedError())
    const { slots } = this.#state
    return slots.tryAcquire() ? this.#send(call) : slots.waitForSlot(call.deadline).then(() => this.#send(call))
  }

  #send(call: TransportCall): Promise<void> {
    const request = new PooledRequest(call, this.#state)
    return dispatch(this.#pool, call, request).catch((error: unknown) => {
      if (request.retry === undefined) throw error
      // The other connections may be closed, too.
      return request.retry === 'on a new connection'
        ? this.#sendOnNewConnection(call)
        : this.#sendAgain(call, request.retry)
    })
  }

  /** Opens a connection for an expected login. Returns at once and never fails. */
  preconnect(): void {
    this.#state.connector.preconnect()
  }

  /** Closes all connections once their requests have ended. Idempotent. */
  close(): Promise<void> {
    const { connector, slots } = this.#state
    connector.close()
    this.#closing ??= slots
      .close()
      .then(() => this.#pool.close())
      .then(() => connector.destroy())
    return this.#closing
  }

  /**
   * `connect` for undici's pool, which opens a connection after each aborted request, too. While the provider hangs, as many
   * would be left as logins timed out, and if they are dead, each would cost a later login its time. While another request
   * waits for a connection, one is opened all the same.
   */
  readonly #connect: Connect = (options, callback) => {
    const { connector } = this.#state
    if (this.#state.waiting > 0) return connector.connect(options, callback)
    // An aborted request frees its slot, and the next call may need this connection. undici gives the error to the requests of this
    // one connection, all of which have been aborted.
    setImmediate(() => {
      if (this.#state.waiting > 0) connector.connect(options, callback)
      else callback(new errors.RequestAbortedError(), null)
    })
  }

  async #sendAgain(call: TransportCall, wait: number): Promise<void> {
    try {
      await call.deadline.pause(wait)
    } catch (reason) {
      this.#state.slots.release()
      throw reason
    }
    await dispatch(this.#pool, call, new PooledRequest(call, this.#state, true))
  }

  async #sendOnNewConnection(call: TransportCall): Promise<void> {
    const { connector, slots } = this.#state
    const client = new Client(this.#origin, { ...CLIENT_OPTIONS, connect: connector.connectNew })
    const sent = dispatch(client, call, { onDone: () => slots.release() })
    // Closes after the last byte of the response; the request's own promise reports how it ended.
    client.close().catch(() => {})
    await sent
  }
}
