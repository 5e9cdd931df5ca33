import type { Deadline } from '../deadline'
import type { ResponseReader } from './response-reader'

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

/** One request of the client, which a transport may send a second time. */
export interface TransportCall {
  readonly request: ProviderRequest
  readonly deadline: Deadline
  /** A reader for the response to one attempt. */
  newReader(): ResponseReader
  /**
   * Milliseconds to wait before the request is retried after this error; undefined if it must not be. The pool does not
   * ask after a connection that closed before the response began: it always sends such a request again.
   */
  retryAfter(error: unknown): number | undefined
}

/** Sends requests to the provider. */
export interface Transport {
  /**
   * Sends one request, at most twice, and feeds each response to a reader of its own.
   *
   * @throws what the reader threw, the deadline's reason, or a network error
   */
  send(call: TransportCall): Promise<void>
  /** Opens a connection for an expected login, in the background. Never fails. */
  preconnect?(): void
  /** Closes the connections once their requests have ended. The caller's own stay open. */
  close?(): Promise<void>
}
