import { Client, errors, Pool } from 'undici'
import type { Deadline } from '../deadline'
import { Semaphore } from '../semaphore'
import { Connector } from './connector'
import { dispatch } from './dispatch'
import type { Transport, TransportRequest } from './dispatcher'
import type { AnswerReader } from './response-reader'

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
  // Counted without `:` and line breaks: a header of one letter a line takes 200 bytes of memory for each that is counted.
  maxHeaderSize: 8 * 1024,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
}

/** The connections to one provider: an undici pool, with what a login needs beyond it (see {@link Connector}). */
export class ProviderPool implements Transport {
  readonly #origin: string
  readonly #connector: Connector
  readonly #pool: Pool
  /** In the pool at one time. A request of its own queue could not be taken back, and would open connections in vain. */
  readonly #slots: Semaphore
  #closing: Promise<void> | undefined

  constructor(origin: string, { connections, connectTimeout }: PoolLimits) {
    this.#origin = origin
    this.#connector = new Connector(origin, connectTimeout)
    this.#slots = new Semaphore(connections)
    this.#pool = new Pool(origin, { ...CLIENT_OPTIONS, connections, connect: this.#connector.connect })
  }

  /**
   * Sends a request. One that met a stale connection (the server closed it as the request was written) is sent once
   * more, on a fresh one: in nearly all cases nobody has read the first.
   */
  async send(request: TransportRequest, reader: AnswerReader, deadline: Deadline): Promise<{ repeated: boolean }> {
    if (this.#closing !== undefined) throw new errors.ClientClosedError()
    await this.#slots.acquire(deadline)
    // What will be sent once more keeps its place.
    const onThrough = (error?: unknown): void => {
      if (deadline.ended || !this.#connector.wasStale(error)) this.#slots.release()
    }
    try {
      await dispatch(this.#pool, request, reader, deadline, onThrough)
      return { repeated: false }
    } catch (error) {
      if (!this.#connector.wasStale(error)) throw error
      await this.#sendFresh(request, reader, deadline)
      return { repeated: true }
    }
  }

  /** Opens a connection for a login that is about to come. Returns at once and never fails. */
  preconnect(): void {
    this.#connector.openSpare()
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

  async #sendFresh(request: TransportRequest, reader: AnswerReader, deadline: Deadline): Promise<void> {
    const client = new Client(this.#origin, { ...CLIENT_OPTIONS, connect: this.#connector.connectFresh })
    const answered = dispatch(client, request, reader, deadline, () => this.#slots.release())
    // Ends with the answer's last byte; how the request itself ends is said by its own promise.
    client.close().catch(() => {})
    await answered
  }
}
