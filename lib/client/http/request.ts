import { type OutcomeCode, type Phase, SocialLoginError } from '../../errors'
import type { Deadline } from '../deadline'
import { badResponse, LargePage, type ProviderResponse, ResponseReader } from './response-reader'
import type { ProviderRequest, Transport, TransportCall } from './transport'
import { errors } from './undici'
import { unreachable } from './unreachable'

// The connection held, but what it delivered was not a valid HTTP response.
const BAD_RESPONSE_ERRORS = [
  errors.HTTPParserError,
  errors.HeadersOverflowError,
  errors.ResponseContentLengthMismatchError,
]

// After these, retrying a request that changes nothing at the provider may succeed.
const RETRYABLE: ReadonlySet<OutcomeCode> = new Set(['provider_unavailable', 'provider_unreachable'])

/** The context of one client call, or of the login that it is part of. */
export interface RequestContext {
  readonly deadline: Deadline
  /** Called when a request is sent for the second time. */
  readonly onRetry?: () => void
}

/**
 * Sends a request to the provider over any transport. No redirect is followed and no cookie kept; a response is at most
 * 64 KiB of UTF-8 and complete before the deadline ends. An idempotent request is retried once if the provider is
 * unavailable or unreachable; the pool also retries others, if the connection closes before the response begins.
 *
 * @throws SocialLoginError `provider_unreachable`, `provider_timeout`, `provider_redirected`,
 *   `provider_unavailable`, `provider_rate_limited`, `provider_bad_response`
 * @throws the reason of the caller's own signal
 */
export async function sendRequest(
  transport: Transport,
  phase: Phase,
  request: ProviderRequest,
  context: RequestContext,
): Promise<ProviderResponse> {
  const { deadline } = context
  const call = new Call(phase, request, context)
  try {
    if (deadline.ended) throw deadline.ended.reason
    await transport.send(call)
    return call.finish()
  } catch (error) {
    if (error instanceof LargePage) return error.response
    throw outcomeOf(error, phase, deadline)
  }
}

class Call implements TransportCall {
  readonly request: ProviderRequest
  readonly deadline: Deadline
  readonly #phase: Phase
  readonly #onRetry: (() => void) | undefined
  readonly #timeAtStart: number
  #reader: ResponseReader | undefined

  constructor(phase: Phase, request: ProviderRequest, { deadline, onRetry }: RequestContext) {
    this.request = request
    this.deadline = deadline
    this.#phase = phase
    this.#onRetry = onRetry
    this.#timeAtStart = deadline.remaining
  }

  newReader(): ResponseReader {
    const isRetry = this.#reader !== undefined
    if (isRetry) this.#onRetry?.()
    this.#reader = new ResponseReader(this.#phase, isRetry)
    return this.#reader
  }

  /** The retry may take as long as the first attempt: time must be left for that, and for `Retry-After`. */
  retryAfter(error: unknown): number | undefined {
    if (!this.request.idempotent || error instanceof LargePage || this.deadline.ended) return undefined
    const outcome = outcomeOf(error, this.#phase, this.deadline)
    if (!(outcome instanceof SocialLoginError) || !RETRYABLE.has(outcome.code)) return undefined
    const wait = (outcome.retryAfter ?? 0) * 1000
    const { remaining } = this.deadline
    const took = this.#timeAtStart - remaining
    return wait + took < remaining ? wait : undefined
  }

  finish(): ProviderResponse {
    // A transport that resolves has read a response.
    return (this.#reader ?? this.newReader()).finish()
  }
}

// Classified by class: undici's parser errors have no stable code. Never a `cause`: it may quote the request.
function outcomeOf(error: unknown, phase: Phase, deadline: Deadline): unknown {
  if (error instanceof SocialLoginError) return error
  if (deadline.expired) return new SocialLoginError('provider_timeout', phase)
  if (deadline.ended) return deadline.ended.reason
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return badResponse(phase, 'The response took more than 128 KiB, headers and framing included, or too many pieces.')
  if (BAD_RESPONSE_ERRORS.some((kind) => error instanceof kind))
    return badResponse(phase, 'The response was not proper HTTP.')
  return unreachable(phase, error)
}
