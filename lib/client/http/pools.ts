import { MAX_CONNECTIONS } from '../../limits'
import { isLoopback } from '../option-values'
import { isPrivateHost, publicLookup, resolveName } from './address'
import { DispatcherTransport } from './dispatcher'
import { environmentProxy } from './environment-proxy'
import type { Network, Transports, TransportsOptions } from './network'
import { type PoolLimits, ProviderPool } from './pool'
import type { ProviderResponse } from './response-reader'
import type { RequestAttempt, Transport } from './transport'

/** Over connections of Node: the caller's dispatcher, or pools of undici. */
export const nodeNetwork: Network = {
  withoutOptions: {},
  openTransport({ dispatcher, origin, maxConnections, timeout }) {
    if (dispatcher) return new DispatcherTransport(dispatcher)
    const proxy = mayBeProxied(origin) ? environmentProxy() : undefined
    if (proxy) return new DispatcherTransport(proxy, () => proxy.close())
    return new ProviderPool(origin, { connections: maxConnections, connectTimeout: timeout })
  },
  openTransports: (options) => new ProviderPools(options),
}

/** A proxy would read plain http, which is allowed to this machine only because the secret does not leave it. */
function mayBeProxied(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || !isLoopback(hostname)
}

class CountingPool extends ProviderPool {
  requests = 0
}

/** A pool for each origin, shared by its providers. Beyond `maxPools`, the one that has been idle longest is closed. */
export class ProviderPools implements Transports {
  readonly #options: TransportsOptions
  readonly #proxy: ReturnType<typeof environmentProxy>
  readonly #limits: PoolLimits
  /** The pools by their origins, the one used longest ago first. */
  readonly #pools = new Map<string, CountingPool>()
  readonly #closing = new Set<Promise<void>>()
  #isClosed = false

  constructor(options: TransportsOptions) {
    const { timeout, allowPrivateAddresses, dispatcher, direct } = options
    this.#proxy = dispatcher || direct ? undefined : environmentProxy()
    if (this.#proxy && !allowPrivateAddresses)
      throw new TypeError(
        'NODE_USE_ENV_PROXY is set, and a proxy looks names up by itself, so that private addresses cannot be refused: make it refuse them, and set allowPrivateAddresses',
      )
    const lookup = allowPrivateAddresses ? undefined : publicLookup(resolveName)
    this.#options = options
    this.#limits = { connections: MAX_CONNECTIONS, connectTimeout: timeout, lookup }
  }

  /** The transport looks for the pool of the origin at each request, because an idle pool may have been closed. */
  transportTo(origin: string): Transport {
    const { dispatcher = mayBeProxied(origin) ? this.#proxy : undefined, allowPrivateAddresses } = this.#options
    if (!allowPrivateAddresses && isPrivateHost(new URL(origin).hostname))
      throw new TypeError('baseURL must not be a private address (see allowPrivateAddresses)')
    if (dispatcher) return new DispatcherTransport(dispatcher)
    return {
      send: (attempt) => this.#send(origin, attempt),
      preconnect: () => {
        if (this.#isClosed || !this.#mayConnectTo(origin)) return
        this.#use(origin).preconnect()
      },
    }
  }

  /** Closes the idle pools, and each of the others after the last request that needs it. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const [origin, pool] of this.#pools) if (pool.requests === 0) this.#close(origin, pool)
    await Promise.all([...this.#closing, this.#proxy?.close()])
  }

  async #send(origin: string, attempt: RequestAttempt): Promise<ProviderResponse> {
    const pool = this.#use(origin)
    pool.requests += 1
    try {
      return await pool.send(attempt)
    } finally {
      pool.requests -= 1
      if (this.#pools.get(origin) === pool) this.#use(origin)
      this.#closeIdle()
    }
  }

  /** A start must not open a connection for which another pool is closed, or anybody could close them one by one. */
  #mayConnectTo(origin: string): boolean {
    return this.#pools.has(origin) || this.#pools.size < this.#options.maxPools
  }

  #use(origin: string): CountingPool {
    const pool = this.#pools.get(origin) ?? new CountingPool(origin, this.#limits)
    this.#pools.delete(origin)
    this.#pools.set(origin, pool)
    return pool
  }

  #closeIdle(): void {
    const maxPools = this.#isClosed ? 0 : this.#options.maxPools
    if (this.#pools.size <= maxPools) return
    for (const [origin, pool] of this.#pools) if (pool.requests === 0) return this.#close(origin, pool)
  }

  #close(origin: string, pool: ProviderPool): void {
    this.#pools.delete(origin)
    const closing = pool.close().finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }
}
