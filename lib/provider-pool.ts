import { Client, errors, Pool } from 'undici'
import { Connector } from './connector'
import { dispatch } from './dispatch'
import { Places } from './places'
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
  maxHeaderSize: 16 * 1024,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
}

/** The connections to one provider: an undici pool, with what a login needs beyond it (see {@link Connector}). */
export class ProviderPool implements Transport {
  readonly #origin: string
  readonly #connector: Connector
  readonly #pool: Pool
  /** In the pool at one time. A request of its own queue could not be taken back, and would open connections in vain. */
  readonly #places: Places
  #closing: Promise<void> | undefined

  constructor(origin: string, { connections, connectTimeout }: PoolLimits) {
    this.#origin = origin
    this.#connector = new Connector(origin, connectTimeout)
    this.#places = new Places(connections)
    this.#pool = new Pool(origin, { ...CLIENT_OPTIONS, connections, connect: this.#connector.connect })
  }

  /**
   * Sends a request. Any request that met a stale connection (the server closed it as the request was written) is sent
   * once more: in nearly all cases nobody has read the first. So is one whose call allows it.
   */
  async send(call: TransportCall): Promise<void> {
    if (this.#closing !== undefined) throw new errors.ClientClosedError()
    await this.#places.take(call.deadline)
    const repeat: { wait: number | undefined } = { wait: undefined }
    const onThrough = (error?: unknown): void => {
      repeat.wait = this.#repeatAfter(error, call)
      // What will be sent once more keeps its place.
      if (repeat.wait === undefined) this.#places.give()
    }
    try {
      await dispatch(this.#pool, call, onThrough)
    } catch (error) {
      if (repeat.wait === undefined) throw error
      await this.#sendAgain(call, repeat.wait, error)
    }
  }

  /** Opens a connection for a login that is about to come. Returns at once and never fails. */
  prepare(): void {
    this.#connector.openSpare()
  }

  /** Closes all connections once their requests have ended. Again is harmless. */
  close(): Promise<void> {
    this.#connector.close()
    this.#closing ??= this.#places
      .empty()
      .then(() => this.#pool.close())
      .then(() => this.#connector.destroy())
    return this.#closing
  }

  #repeatAfter(error: unknown, call: TransportCall): number | undefined {
    if (error === undefined || call.deadline.ended) return undefined
    return this.#connector.wasStale(error) ? 0 : call.repeatAfter(error)
  }

  async #sendAgain(call: TransportCall, wait: number, error: unknown): Promise<void> {
    const give = (): void => this.#places.give()
    // All other kept connections may be stale, too.
    if (this.#connector.wasStale(error)) return this.#sendFresh(call, give)
    try {
      await call.deadline.pause(wait)
    } catch (reason) {
      give()
      throw reason
    }
    await dispatch(this.#pool, call, give)
  }

  async #sendFresh(call: TransportCall, onThrough: () => void): Promise<void> {
    const client = new Client(this.#origin, { ...CLIENT_OPTIONS, connect: this.#connector.connectFresh })
    const answered = dispatch(client, call, onThrough)
    // Ends with the answer's last byte; how the request itself ends is said by its own promise.
    client.close().catch(() => {})
    await answered
  }
}
