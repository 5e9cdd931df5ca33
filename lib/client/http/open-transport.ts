import type { ClientSettings } from '../options'
import { DispatcherTransport } from './dispatcher'
import { ProviderPool } from './pool'
import type { Transport } from './transport'

/** The transport to one provider: the caller's dispatcher, or a pool of its own. */
export function openTransport({ dispatcher, origin, maxConnections, timeout }: ClientSettings): Transport {
  if (dispatcher) return new DispatcherTransport(dispatcher)
  return new ProviderPool(origin, { connections: maxConnections, connectTimeout: timeout })
}
