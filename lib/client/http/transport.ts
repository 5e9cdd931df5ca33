import { type OutcomeCode, type Phase, SocialLoginError } from '../../errors'
import { MAX_SENDS } from '../../limits'
import type { Deadline } from '../deadline'
import type { Semaphore } from '../semaphore'
import { outcomeOf } from './network-errors'
import { type ProviderResponse, ResponseReader } from './response-reader'

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
  /** Called when a request is sent for the second time. */
  readonly onRetry?: () => void
}

/** Sends requests to the provider. */
export interface Transport {
  /** One for each call or login under way: whoever sends a request has acquired one. */
  readonly slots: Semaphore
  /** Sends one request. @throws an outcome, the deadline's reason, or a network error */
  send(call: TransportCall): Promise<ProviderResponse>
  /** Opens a connection for an expected login, in the background. Never fails. */
  preconnect?(): void
  /** Closes the connections once all slots are free. The caller's own stay open. */
  close?(): Promise<void>
}

// After these, retrying a request that changes nothing at the provider may succeed.
const RETRYABLE: ReadonlySet<OutcomeCode> = new Set(['provider_unavailable', 'provider_unreachable'])

/** One request of the client, which is sent at most `MAX_SENDS` times. */
export class TransportCall {
  readonly request: ProviderRequest
  readonly deadline: Deadline
  readonly #phase: Phase
  readonly #onRetry: (() => void) | undefined
  #attempts = 0

  constructor(request: ProviderRequest, phase: Phase, { deadline, onRetry }: RequestContext) {
    this.request = request
    this.deadline = deadline
    this.#phase = phase
    this.#onRetry = onRetry
  }

  /** Whether the request may be sent once more. */
  get mayRetry(): boolean {
    return this.#attempts < MAX_SENDS
  }

  /** A reader for the response to one attempt. */
  newReader(): ResponseReader {
    if (this.#attempts > 0) this.#onRetry?.()
    this.#attempts += 1
    return new ResponseReader(this.#phase, this.#attempts > 1, this.request)
  }
}

/**
 * Sends a request to the provider over any transport. No redirect is followed and no cookie kept; a response is UTF-8
 * of at most `MAX_BODY_BYTES`, and complete before the deadline ends.
 *
 * A request that changes nothing at the provider is sent once more if the provider is unavailable or unreachable. The
 * second attempt may take as long as the first: time must be left for that, and for `Retry-After`.
 *
 * @throws SocialLoginError `provider_*`, or the reason of the caller's own signal
 */
export async function sendRequest(
  transport: Transport,
  request: ProviderRequest,
  phase: Phase,
  context: RequestContext,
): Promise<ProviderResponse> {
  const { deadline } = context
  const call = new TransportCall(request, phase, context)
  const before = deadline.remaining
  try {
    if (deadline.ended) throw deadline.ended.reason
    return await transport.send(call)
  } catch (error) {
    const outcome = outcomeOf(error, phase, deadline)
    if (!request.idempotent || !call.mayRetry || !isRetryable(outcome)) throw outcome
    const wait = (outcome.retryAfter ?? 0) * 1000
    if (wait + before - deadline.remaining >= deadline.remaining) throw outcome
    await deadline.pause(wait)
  }
  return transport.send(call).catch((error: unknown) => {
    throw outcomeOf(error, phase, deadline)
  })
}

function isRetryable(outcome: unknown): outcome is SocialLoginError {
  return outcome instanceof SocialLoginError && RETRYABLE.has(outcome.code)
}
