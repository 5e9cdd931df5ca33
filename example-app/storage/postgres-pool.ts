import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, Pool, type PoolConfig } from 'pg'

const READ_ONLY = '25006'
const RENEW_EVERY_MS = 1000
const RETIRE_MS = 10_000

/** A pool whose sockets are known, so that it can be closed although the server does not answer. */
export class KnownPool {
  readonly pool: Pool
  readonly #sockets = new Set<Socket>()
  #ended: Promise<void> | undefined

  constructor(config: PoolConfig) {
    this.pool = new Pool({ ...config, stream: () => this.#open() })
    // The server closed a connection that nobody was using: the pool opens another one. Without a listener, Node exits.
    this.pool.on('error', () => {})
    // The same for a connection that is in use: whoever uses it learns it from the statement that fails.
    this.pool.on('connect', (client) => client.on('error', () => {}))
  }

  /** Lets statements under way end, for so long. A server that is frozen does not even take leave of idle connections. */
  async end(limitMs: number): Promise<void> {
    const limit = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, limitMs)
    this.#ended ??= this.pool.end()
    await this.#ended
    await Promise.all([...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))))
    clearTimeout(limit)
  }

  #open(): Socket {
    const socket = new Socket()
    this.#sockets.add(socket)
    return socket.once('close', () => this.#sockets.delete(socket))
  }
}

/**
 * A pool that is given up for a new one when its connections lead nowhere: one of them has fallen silent, or says that
 * the server has become read-only, as the old primary does after a failover. The others lead to the same place, and
 * each would cost somebody a timeout.
 */
export class RenewablePool {
  readonly #config: PoolConfig
  readonly #retired = new Set<KnownPool>()
  #current: KnownPool
  #renewedAt = Number.NEGATIVE_INFINITY

  constructor(config: PoolConfig) {
    this.#config = config
    this.#current = new KnownPool(config)
  }

  /** Uses the pool. What fails for the connection's sake renews it. */
  async use<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
    const used = this.#current
    try {
      return await work(used.pool)
    } catch (error) {
      if (leadsNowhere(error) && used === this.#current) this.renew()
      throw error
    }
  }

  async end(limitMs: number): Promise<void> {
    await Promise.all([this.#current, ...this.#retired].map((known) => known.end(limitMs)))
  }

  /** Not more often than once a second: as long as the server is read-only, each new connection is, too. */
  renew(): void {
    const now = performance.now()
    if (now - this.#renewedAt < RENEW_EVERY_MS) return
    this.#renewedAt = now
    const failed = this.#current
    this.#current = new KnownPool(this.#config)
    this.#retired.add(failed)
    void retire(failed).finally(() => this.#retired.delete(failed))
  }
}

/** A pool that has been ended serves nobody who still waits for a connection of it. */
async function retire(known: KnownPool): Promise<void> {
  const deadline = performance.now() + RETIRE_MS
  while (known.pool.waitingCount > 0 && performance.now() < deadline) await sleep(50, undefined, { ref: false })
  await known.end(RETIRE_MS)
}

/** Whether a connection must not be used again: the server said nothing of the statement, or refuses to write. */
export function isSpent(error: unknown): boolean {
  return !(error instanceof DatabaseError) || error.code === READ_ONLY
}

/** Whether other connections, opened at the same time, will be no better than the one that failed. */
export function leadsNowhere(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === READ_ONLY
  // The driver gives its `query_timeout` no code.
  return error instanceof Error && error.message === 'Query read timeout'
}
