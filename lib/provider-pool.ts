import { Client, type Dispatcher, Pool } from 'undici'
import { Connector } from './connector'

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
export class ProviderPool {
  readonly #origin: string
  readonly #connector: Connector
  readonly #pool: Pool
  readonly #repeated = new WeakSet<Dispatcher.ResponseData>()
  #closing: Promise<void> | undefined

  constructor(origin: string, { connections, connectTimeout }: PoolLimits) {
    this.#origin = origin
    this.#connector = new Connector(origin, connectTimeout)
    this.#pool = new Pool(origin, { ...CLIENT_OPTIONS, connections, connect: this.#connector.connect })
  }

  /**
   * Sends a request. One that met a stale connection (the server closed it as the request was written) is sent once
   * more, on a fresh one: in nearly all cases nobody has read the first.
   */
  async request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    try {
      return await this.#pool.request(options)
    } catch (error) {
      if (!this.#connector.wasStale(error)) throw error
      const response = await this.#requestFresh(options)
      this.#repeated.add(response)
      return response
    }
  }

  /** Whether the response answers a request that was sent a second time. */
  wasRepeated(response: Dispatcher.ResponseData): boolean {
    return this.#repeated.has(response)
  }

  /** Opens a connection for a login that is about to come. Returns at once and never fails. */
  prepare(): void {
    this.#connector.openSpare()
  }

  /** Closes all connections once their requests have ended. Again is harmless. */
  close(): Promise<void> {
    this.#connector.close()
    this.#closing ??= this.#pool.close()
    return this.#closing
  }

  async #requestFresh(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    const client = new Client(this.#origin, { ...CLIENT_OPTIONS, connect: this.#connector.connectFresh })
    const response = client.request(options)
    // Ends with the answer's last byte; how the request itself ends is said by its own promise.
    client.close().catch(() => {})
    return response
  }
}
