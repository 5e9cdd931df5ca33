import { PRECONNECT_INTERVAL_MS } from '../../limits'
import { type Connect, type ConnectOptions, connectTo } from './connect'
import { Connection } from './connection'
import type { ProviderResponse } from './response-reader'
import type { RequestAttempt, Transport } from './transport'

/** The connections to one origin: as many as there are requests at one time, which their senders limit, and a spare one. */
export class ProviderPool implements Transport {
  readonly #origin: string
  readonly #connect: Connect
  readonly #timeout: number
  readonly #connections = new Set<Connection>()
  /** Opened for a login that has started, and not used yet. */
  #spare: Connection | undefined
  #nextPreconnectAt = 0
  #isClosed = false

  constructor(origin: string, options: ConnectOptions) {
    this.#origin = origin
    this.#connect = connectTo(origin, options)
    this.#timeout = options.connectTimeout
  }

  /** Whether no request is under way. */
  get isIdle(): boolean {
    for (const { isBusy } of this.#connections) if (isBusy) return false
    return true
  }

  send(attempt: RequestAttempt): Promise<ProviderResponse> {
    const free = attempt.onNewConnection ? undefined : this.#takeFree()
    return (free ?? this.#newConnection()).send(attempt)
  }

  /** Opens a spare connection in the background unless a recent one is still unused. Never fails. */
  preconnect(): void {
    const now = performance.now()
    if (this.#isClosed || now < this.#nextPreconnectAt) return
    this.#nextPreconnectAt = now + PRECONNECT_INTERVAL_MS
    void this.#spare?.close()
    this.#spare = this.#newConnection()
    this.#spare.open()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(Array.from(this.#connections, (connection) => connection.close()))
  }

  #takeFree(): Connection | undefined {
    for (const connection of this.#connections) {
      if (!connection.isFree) continue
      if (connection === this.#spare) {
        this.#spare = undefined
        this.#nextPreconnectAt = 0
      }
      return connection
    }
    return undefined
  }

  #newConnection(): Connection {
    const forget = (connection: Connection): void => void this.#connections.delete(connection)
    const connection = new Connection(this.#origin, this.#connect, this.#timeout, forget)
    this.#connections.add(connection)
    if (this.#isClosed) void connection.close()
    return connection
  }
}
