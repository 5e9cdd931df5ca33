import { Client, errors, Pool } from 'undici'
import { pause } from '../deadline'
import { Semaphore } from '../semaphore'
import { Connector } from './connector'
import { dispatch } from './dispatch'
import type { Transport, TransportCall } from './transport'

/** Limits of the connections to the provider. */
export interface PoolLimits {
  /** The most connections at one time. */
  readonly connections: number
  /** Milliseconds that a connection may take to open. */
  readonly connectTimeout: number
}

// A person's logins are minutes apart, other people's seconds: a server that says less in `Keep-Alive` is believed.
const KEEP_ALIVE_MS = 60_000

const CLIENT_OPTIONS = {
  // The deadline of each request is its signal.
  headersTimeout: 0,
  bodyTimeout: 0,
  // Of names and values, without `:` and line breaks: a header line of one letter takes 200 bytes of memory, and counts as one.
  maxHeaderSize: 8 * 1024,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
}

/** The connections to one provider: an undici pool, with what a login needs beyond it (see {@link Connector}). */
export class ProviderPool implements Transport {
  readonly #origin: string
  readonly #connector: Connector
  readonly #pool: Pool
  /** A slot for each request in the pool, whose own queue could not be left again, and would open connections in vain. */
  readonly #slots: Semaphore
  #closing: Promise<void> | undefined

  constructor(origin: string, { connections, connectTimeout }: PoolLimits) {
    this.#origin = origin
    this.#connector = new Connector(origin, connectTimeout)
    this.#slots = new Semaphore(connections)
    this.#pool = new Pool(origin, { ...CLIENT_OPTIONS, connections, connect: this.#connector.connect })
  }

  /**
   * Sends a request. Any request that met a stale connection (the server closed it as the request was written) is retried:
   * in nearly all cases nobody has read the first. So is one whose call allows it. The retry keeps the slot.
   */
  async send(call: TransportCall): Promise<void> {
    if (this.#closing !== undefined) throw new errors.ClientClosedError()
    await this.#slots.acquire(call.signal)
    const retry: { wait: number | undefined } = { wait: undefined }
    const onDone = (error?: unknown): void => {
      retry.wait = this.#retryAfter(error, call)
      if (retry.wait === undefined) this.#slots.release()
    }
    try {
      await dispatch(this.#pool, call, onDone)
    } catch (error) {
      if (retry.wait === undefined) throw error
      await this.#retry(call, retry.wait, error)
    }
  }

  /** Opens a connection for a login that is about to come. Returns at once and never fails. */
  preconnect(): void {
    this.#connector.preconnect()
  }

  /** Closes all connections once their requests have ended. Again is harmless. */
  close(): Promise<void> {
    this.#connector.close()
    this.#closing ??= this.#slots
      .close()
      .then(() => this.#pool.close())
      .then(() => this.#connector.destroy())
    return this.#closing
  }

  #retryAfter(error: unknown, call: TransportCall): number | undefined {
    if (error === undefined || call.signal.aborted) return undefined
    return this.#connector.wasStale(error) ? 0 : call.retryAfter(error)
  }

  async #retry(call: TransportCall, wait: number, error: unknown): Promise<void> {
    const release = (): void => this.#slots.release()
    // All other kept connections may be stale, too.
    if (this.#connector.wasStale(error)) return this.#sendOnNewConnection(call, release)
    try {
      await pause(wait, call.signal)
    } catch (reason) {
      release()
      throw reason
    }
    await dispatch(this.#pool, call, release)
  }

  async #sendOnNewConnection(call: TransportCall, onDone: () => void): Promise<void> {
    const client = new Client(this.#origin, { ...CLIENT_OPTIONS, connect: this.#connector.connectNew })
    const sent = dispatch(client, call, onDone)
    // Ends with the last byte of the response; how the request itself ends is said by its own promise.
    client.close().catch(() => {})
    await sent
  }
}
