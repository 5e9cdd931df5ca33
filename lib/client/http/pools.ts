import type { ClientSettings } from '../options'
import { Semaphore } from '../semaphore'
import { DispatcherTransport, type RequestDispatcher } from './dispatcher'
import { type PoolLimits, ProviderPool } from './pool'
import type { ProviderResponse } from './response-reader'
import type { Transport, TransportCall } from './transport'

/** The transport to one provider: the caller's dispatcher, or a pool of its own. */
export function openTransport({ dispatcher, origin, maxConnections, timeout }: ClientSettings): Transport {
  if (dispatcher) return new DispatcherTransport(dispatcher, maxConnections)
  return new ProviderPool(origin, { connections: maxConnections, connectTimeout: timeout })
}

/** How the connections to many providers are opened, and how many are kept. */
export interface PoolsOptions extends PoolLimits {
  /** The most pools that are kept; more exist only while requests wait in all of them. */
  readonly maxPools: number
  /** Used for all of them instead of pools. */
  readonly dispatcher: RequestDispatcher | undefined
}

/** A pool for each origin, shared by all providers there; the one that has been idle for the longest is closed for a new one. */
export class ProviderPools {
  readonly #options: PoolsOptions
  /** By the time of their last use, the oldest first. */
  readonly #pools = new Map<string, ProviderPool>()
  readonly #closing = new Set<Promise<void>>()
  #isClosed = false

  constructor(options: PoolsOptions) {
    this.#options = options
  }

  /** Sends the requests of one provider, through the pool of its origin that exists at the time. */
  transportTo(origin: string, slots: number): Transport {
    const { dispatcher } = this.#options
    if (dispatcher) return new DispatcherTransport(dispatcher, slots)
    return {
      slots: new Semaphore(slots),
      send: (call) => this.#send(origin, call),
      preconnect: () => {
        if (this.#isClosed) return
        this.#use(origin).preconnect()
        this.#closeIdle()
      },
    }
  }

  /** Closes all pools, once their requests have ended. A pool that a later request needs is closed after it. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const [origin, pool] of this.#pools) this.#close(origin, pool)
    await Promise.all(this.#closing)
  }

  async #send(origin: string, call: TransportCall): Promise<ProviderResponse> {
    const pool = this.#use(origin)
    pool.slots.forceAcquire()
    try {
      return await pool.send(call)
    } finally {
      pool.slots.release()
      if (this.#pools.get(origin) === pool) this.#use(origin)
      this.#closeIdle()
    }
  }

  /** The pool of an origin, which becomes the one that was used last. */
  #use(origin: string): ProviderPool {
    const pool = this.#pools.get(origin) ?? new ProviderPool(origin, this.#options)
    this.#pools.delete(origin)
    this.#pools.set(origin, pool)
    return pool
  }

  /** Closes the pool that has been idle for the longest, if there are too many. */
  #closeIdle(): void {
    const maxPools = this.#isClosed ? 0 : this.#options.maxPools
    if (this.#pools.size <= maxPools) return
    for (const [origin, pool] of this.#pools) if (pool.slots.isIdle) return this.#close(origin, pool)
  }

  #close(origin: string, pool: ProviderPool): void {
    this.#pools.delete(origin)
    const closing = pool.close().finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }
}
