import { DispatcherTransport, type RequestDispatcher } from './dispatcher'
import { type PoolLimits, ProviderPool } from './pool'
import type { Transport, TransportCall } from './transport'

/** How the connections to many providers are opened, and how many are kept. */
export interface PoolsOptions extends PoolLimits {
  /** The most pools that are kept; more exist only while requests wait in all of them. */
  readonly maxPools: number
  /** Used for all of them instead of pools. */
  readonly dispatcher: RequestDispatcher | undefined
}

interface SharedPool {
  readonly pool: ProviderPool
  /** Requests that are under way. */
  requests: number
  usedAt: number
}

// As long as a pool waits after a spare connection that has failed, which it would forget when closed.
const MIN_IDLE_MS = 10_000

/** A pool for each origin, shared by all providers there; the one that has been idle for the longest is closed for a new one. */
export class ProviderPools {
  readonly #options: PoolsOptions
  readonly #busy = new Map<string, SharedPool>()
  /** By the time of their last use, the oldest first. */
  readonly #idle = new Map<string, SharedPool>()
  readonly #closing = new Set<Promise<void>>()
  #isClosed = false

  constructor(options: PoolsOptions) {
    this.#options = options
  }

  /** Sends requests to one origin, through the pool that exists at the time. */
  transportTo(origin: string): Transport {
    const { dispatcher } = this.#options
    if (dispatcher) return new DispatcherTransport(dispatcher)
    return {
      send: (call) => this.#send(origin, call),
      preconnect: () => {
        if (this.#isClosed || !this.#hasRoomFor(origin)) return
        const shared = this.#take(origin)
        shared.pool.preconnect()
        this.#release(origin, shared)
      },
    }
  }

  /** Closes all pools, once their requests have ended. A pool that a later request needs is closed after it. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const [origin, { pool }] of [...this.#idle, ...this.#busy]) this.#close(origin, pool)
    await Promise.all(this.#closing)
  }

  async #send(origin: string, call: TransportCall): Promise<void> {
    const shared = this.#take(origin)
    try {
      await shared.pool.send(call)
    } finally {
      this.#release(origin, shared)
    }
  }

  /** Whether a start may open a connection: starts at many providers in turn would close and open a pool each, at 3 ms of CPU. */
  #hasRoomFor(origin: string): boolean {
    if (this.#busy.has(origin) || this.#idle.has(origin)) return true
    if (this.#busy.size + this.#idle.size < this.#options.maxPools) return true
    const [oldest] = this.#idle.values()
    return oldest !== undefined && performance.now() - oldest.usedAt >= MIN_IDLE_MS
  }

  #take(origin: string): SharedPool {
    const shared = this.#busy.get(origin) ?? this.#idle.get(origin) ?? this.#open(origin)
    this.#idle.delete(origin)
    this.#busy.set(origin, shared)
    shared.requests += 1
    return shared
  }

  #release(origin: string, shared: SharedPool): void {
    shared.requests -= 1
    shared.usedAt = performance.now()
    // Still in use, or closed meanwhile; there may be another pool for the origin then.
    if (shared.requests > 0 || this.#busy.get(origin) !== shared) return
    this.#busy.delete(origin)
    this.#idle.set(origin, shared)
    const [oldest] = this.#idle
    const maxPools = this.#isClosed ? 0 : this.#options.maxPools
    if (oldest && this.#busy.size + this.#idle.size > maxPools) this.#close(oldest[0], oldest[1].pool)
  }

  #open(origin: string): SharedPool {
    return { pool: new ProviderPool(origin, this.#options), requests: 0, usedAt: 0 }
  }

  #close(origin: string, pool: ProviderPool): void {
    this.#idle.delete(origin)
    this.#busy.delete(origin)
    const closing = pool.close().finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }
}
