import type { ResponseReader } from './response-reader'

/** A request as it is written; the path with its query. */
export interface ProviderRequest {
  readonly origin: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** One request of the client, which a transport sends once, or twice if that is allowed. */
export interface TransportCall {
  readonly request: ProviderRequest
  readonly signal: AbortSignal
  /** A reader for the response to one sending. */
  newReader(): ResponseReader
  /** Milliseconds to wait before the request is retried after this error; undefined if it must not be. */
  retryAfter(error: unknown): number | undefined
}

/** What carries requests to the provider. */
export interface Transport {
  /**
   * Sends one request, twice at the most, and feeds each response to a reader of its own.
   *
   * @throws what the reader threw, the signal's reason, or an error of the network
   */
  send(call: TransportCall): Promise<void>
}
