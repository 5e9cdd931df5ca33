import type { ClientSettings } from '../options'
import type { RequestDispatcher } from './dispatcher'
import type { ProxyOf } from './environment-proxy'
import type { Transport } from './transport'

/** How requests reach providers: over connections of Node, or by `fetch` where there is no Node. */
export interface Network {
  /** Options that it cannot keep, each with the reason. */
  readonly withoutOptions?: Readonly<Record<string, string>>
  openTransport(settings: ClientSettings): Transport
  /** @throws TypeError if it cannot refuse private addresses, and they are not allowed */
  openTransports(options: TransportsOptions): Transports
}

export interface Transports {
  /** @throws TypeError for a private address that is not allowed */
  transportTo(origin: string): Transport
  close(): Promise<void>
}

export interface TransportsOptions {
  readonly dispatcher?: RequestDispatcher | undefined
  /** Milliseconds that a connection may take to open. */
  readonly timeout: number
  readonly allowPrivateAddresses: boolean
  /** The most connections to one origin. Default: `MAX_CONNECTIONS`. */
  readonly connections?: number
  /** The proxies, or false to connect directly. Default: those of the environment, where Node uses them itself. */
  readonly proxyOf?: ProxyOf | false | undefined
  /** The most pools of connections that are kept; more exist only while requests wait in all of them. */
  readonly maxPools: number
}
