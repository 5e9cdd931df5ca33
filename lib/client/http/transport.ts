import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Deadline } from '../deadline'
import type { ProxyOf } from './environment-proxy'
import type { ProviderResponse, ResponseReader } from './response-reader'

/** A request as it is sent; the path includes the query. */
export interface ProviderRequest {
  readonly origin: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Whether the request changes nothing at the provider, however often it is sent. undici, too, reads it. */
  readonly idempotent: boolean
}

/** The context of one client call, or of the login that it is part of. */
export interface RequestContext {
  readonly deadline: Deadline
  /** Called each time a request is sent again. */
  readonly onRetry?: () => void
}

/** A request that is sent once. `retry.ts` decides whether it is sent again. */
export interface RequestAttempt {
  readonly request: ProviderRequest
  readonly deadline: Deadline
  readonly reader: ResponseReader
  readonly onNewConnection: boolean
}

export interface Transport {
  /**
   * @throws ClosedBeforeResponse if its connection was open, and closed before the response began
   * @throws an outcome, the deadline's reason, or another network error
   */
  send(attempt: RequestAttempt): Promise<ProviderResponse>
  /** Opens a connection for an expected login, in the background. Never fails. */
  preconnect?(): void
}

/** The transports to all providers of a client or a strategy. */
export interface Transports {
  /** @throws TypeError for a private address that is not allowed */
  transportTo(origin: string): Transport
  /** Closes the connections, which no request may need any more. The caller's own stay open. */
  close(): Promise<void>
}

export interface TransportsOptions {
  readonly dispatcher?: RequestDispatcher | undefined
  /** Milliseconds that a connection may take to open. */
  readonly timeout: number
  readonly allowPrivateAddresses: boolean
  /** The proxies, or false to connect directly. Default: those of the environment, where Node uses them itself. */
  readonly proxyOf?: ProxyOf | false | undefined
  /** The most pools of connections that are kept; more exist only while requests wait in all of them. */
  readonly maxPools: number
}

/** How requests reach providers: over connections of Node, or by `fetch` where there is no Node. */
export interface Network {
  /** Options that it cannot keep, each with the reason. */
  readonly withoutOptions?: Readonly<Record<string, string>>
  /** @throws TypeError if it cannot refuse private addresses, and they are not allowed */
  openTransports(options: TransportsOptions): Transports
}

/**
 * The part of a dispatcher that the package needs: undici's `request` method, which all of undici 6, 7 and 8 have.
 * @example
 * import { EnvHttpProxyAgent } from 'undici'
 *
 * const dispatcher: RequestDispatcher = new EnvHttpProxyAgent() // reads HTTPS_PROXY and NO_PROXY
 */
export interface RequestDispatcher {
  /** Sends one request. The package reads the body of the response, or destroys it. */
  request(options: {
    origin: string
    method: 'GET' | 'POST'
    path: string
    headers: Record<string, string>
    body: string | null
    idempotent: boolean
    signal: AbortSignal
  }): Promise<{ statusCode: number; headers: IncomingHttpHeaders; body: Readable }>
}
