import { isPrivateHost, publicLookup, resolveName } from './address'
import type { ConnectOptions } from './connect'
import { DispatcherTransport } from './dispatcher'
import { environmentProxies, type ProxyOf } from './environment-proxy'
import type { ProviderPool } from './pool'
import type { ProviderResponse } from './response-reader'
import type { Network, RequestAttempt, Transport, Transports, TransportsOptions } from './transport'

/** Over connections of Node: the caller's dispatcher, or pools of undici. */
export const nodeNetwork: Network = { openTransports: (options) => new ProviderPools(options) }

let Pool: typeof ProviderPool | undefined

/**
 * undici is loaded when it is first needed: it compiles its parser then, and where that is impossible, it reports so by a
 * rejection that no one can handle.
 * @throws Error without WebAssembly
 */
function loadPool(): typeof ProviderPool {
  if (Pool) return Pool
  try {
    // Each memory reserves gigabytes of addresses, which a limit of the address space may forbid.
    const { Memory } = Reflect.get(globalThis, 'WebAssembly')
    Reflect.construct(Memory, [{ initial: 1 }])
  } catch {
    throw new Error(
      'This process has no WebAssembly, by which undici reads HTTP, or gets no memory for it: run Node without --jitless, and without a limit of the address space (ulimit -v, as on shared hosting), or give a dispatcher',
    )
  }
  const loaded: typeof import('./pool') = require('./pool')
  Pool = loaded.ProviderPool
  return Pool
}

/** A pool for each origin, shared by its providers. Beyond `maxPools`, the one that has been idle longest is closed. */
export class ProviderPools implements Transports {
  readonly #options: TransportsOptions
  readonly #proxyOf: ProxyOf | undefined
  readonly #connectOptions: ConnectOptions
  /** The pools by their origins, the one used longest ago first. */
  readonly #pools = new Map<string, ProviderPool>()
  #isClosed = false

  constructor(options: TransportsOptions) {
    const { timeout, allowPrivateAddresses, dispatcher } = options
    if (!dispatcher) loadPool()
    const { proxyOf = dispatcher ? undefined : environmentProxies() } = options
    this.#proxyOf = proxyOf || undefined
    if (this.#proxyOf && !allowPrivateAddresses)
      throw new TypeError(
        'NODE_USE_ENV_PROXY is set, and a proxy looks names up by itself, so that private addresses cannot be refused: make it refuse them, and set allowPrivateAddresses',
      )
    const lookup = allowPrivateAddresses ? undefined : publicLookup(resolveName)
    this.#options = options
    this.#connectOptions = { connectTimeout: timeout, lookup }
  }

  /** The transport looks for the pool of the origin at each request, because an idle pool may have been closed. */
  transportTo(origin: string): Transport {
    const { dispatcher } = this.#options
    this.#refusePrivate(origin)
    if (dispatcher) return new DispatcherTransport(dispatcher)
    return {
      send: (attempt) => this.#send(origin, attempt),
      preconnect: () => {
        if (this.#isClosed || !this.#mayConnectTo(origin)) return
        this.#use(origin).preconnect()
      },
    }
  }

  /** How connections to an origin are opened. @throws TypeError for a private address that is not allowed */
  connectOptionsOf(origin: string): ConnectOptions {
    this.#refusePrivate(origin)
    return { ...this.#connectOptions, proxy: this.#proxyOf?.(origin) }
  }

  /** Closes the idle pools, and each of the others after the last request that needs it. */
  async close(): Promise<void> {
    this.#isClosed = true
    const idle = [...this.#pools].filter(([, pool]) => pool.isIdle)
    await Promise.all(idle.map(([origin, pool]) => this.#close(origin, pool)))
  }

  #refusePrivate(origin: string): void {
    if (!this.#options.allowPrivateAddresses && isPrivateHost(new URL(origin).hostname))
      throw new TypeError('baseURL must not be a private address (see allowPrivateAddresses)')
  }

  async #send(origin: string, attempt: RequestAttempt): Promise<ProviderResponse> {
    try {
      return await this.#use(origin).send(attempt)
    } finally {
      // The time that it is idle begins now.
      this.#use(origin)
      this.#closeIdle()
    }
  }

  /** A start must not open a connection for which another pool is closed, or anyone could close them one by one. */
  #mayConnectTo(origin: string): boolean {
    return this.#pools.has(origin) || this.#pools.size < this.#options.maxPools
  }

  #use(origin: string): ProviderPool {
    const known = this.#pools.get(origin)
    if (known && this.#pools.size === 1) return known
    const pool = known ?? this.#open(origin)
    // It moves to the end, as the one that was used last.
    this.#pools.delete(origin)
    this.#pools.set(origin, pool)
    return pool
  }

  #open(origin: string): ProviderPool {
    const Pool = loadPool()
    return new Pool(origin, this.connectOptionsOf(origin))
  }

  #closeIdle(): void {
    const maxPools = this.#isClosed ? 0 : this.#options.maxPools
    if (this.#pools.size <= maxPools) return
    for (const [origin, pool] of this.#pools) if (pool.isIdle) return void this.#close(origin, pool)
  }

  #close(origin: string, pool: ProviderPool): Promise<void> {
    this.#pools.delete(origin)
    return pool.close()
  }
}
