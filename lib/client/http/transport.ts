import type { Deadline } from '../deadline'
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
  /** Closes the connections, which no request may need any more. The caller's own stay open. */
  close?(): Promise<void>
}
