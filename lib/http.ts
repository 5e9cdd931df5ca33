import { errors } from 'undici'
import { AnswerReader, badResponse } from './answer-reader'
import type { Deadline } from './deadline'
import { type OutcomeCode, type Phase, SocialLoginError } from './errors'
import type { Transport, TransportCall, TransportRequest } from './transport'
import { unreachable } from './unreachable'

/** A complete answer below 500 that is no redirect and no rate limit. */
export interface ProviderAnswer {
  readonly status: number
  readonly text: string
  /** Whether the request was sent twice: the provider may have read the first one. */
  readonly repeated: boolean
}

// The connection held, and what it delivered was not a proper HTTP answer.
const BAD_ANSWER_ERRORS = [
  errors.HTTPParserError,
  errors.HeadersOverflowError,
  errors.ResponseContentLengthMismatchError,
]

// After these a GET, which changes nothing at the provider, may well succeed when it is sent once more.
const REPEATABLE: ReadonlySet<OutcomeCode> = new Set(['provider_unavailable', 'provider_unreachable'])

/** Headers of every request: no encoding is negotiated. */
export const REQUEST_HEADERS = { accept: 'application/json', 'accept-encoding': 'identity' } as const

/** What belongs to one call of the client, or to the one login of which it is part. */
export interface AskContext {
  readonly deadline: Deadline
  /** Called when a request is sent for the second time. */
  readonly onRepeat?: () => void
}

/**
 * Asks the provider over any transport. No redirect is followed and no cookie kept; an answer is at most 64 KiB of UTF-8
 * and complete before the deadline ends. A GET that finds the provider down or out of reach is sent once more.
 *
 * @throws SocialLoginError `provider_unreachable`, `provider_timeout`, `provider_redirected`,
 *   `provider_unavailable`, `provider_rate_limited`, `provider_bad_response`
 * @throws the reason of the caller's own signal
 */
export async function ask(
  transport: Transport,
  phase: Phase,
  request: TransportRequest,
  context: AskContext,
): Promise<ProviderAnswer> {
  const { deadline } = context
  const call = new Call(phase, request, context)
  try {
    if (deadline.ended) throw deadline.ended.reason
    await transport.send(call)
    return call.finish()
  } catch (error) {
    throw outcomeOf(error, phase, deadline)
  }
}

class Call implements TransportCall {
  readonly request: TransportRequest
  readonly deadline: Deadline
  readonly #phase: Phase
  readonly #onRepeat: (() => void) | undefined
  readonly #timeAtStart: number
  #reader: AnswerReader | undefined
  #repeated = false

  constructor(phase: Phase, request: TransportRequest, { deadline, onRepeat }: AskContext) {
    this.request = request
    this.deadline = deadline
    this.#phase = phase
    this.#onRepeat = onRepeat
    this.#timeAtStart = deadline.remaining
  }

  newReader(): AnswerReader {
    if (this.#reader) {
      this.#repeated = true
      this.#onRepeat?.()
    }
    this.#reader = new AnswerReader(this.#phase)
    return this.#reader
  }

  /** What has taken long once would take as long again: there must be time left for that, and for the wait asked for. */
  repeatAfter(error: unknown): number | undefined {
    if (this.request.method !== 'GET' || this.deadline.ended) return undefined
    const outcome = outcomeOf(error, this.#phase, this.deadline)
    if (!(outcome instanceof SocialLoginError) || !REPEATABLE.has(outcome.code)) return undefined
    const wait = (outcome.retryAfter ?? 0) * 1000
    const { remaining } = this.deadline
    const took = this.#timeAtStart - remaining
    return wait + took < remaining ? wait : undefined
  }

  finish(): ProviderAnswer {
    // A transport that resolves has read an answer.
    const { status, text } = (this.#reader ?? this.newReader()).finish()
    return { status, text, repeated: this.#repeated }
  }
}

// Classified by class: undici's parser errors have no stable code. Never a `cause`: it may quote what was sent.
function outcomeOf(error: unknown, phase: Phase, deadline: Deadline): unknown {
  if (error instanceof SocialLoginError) return error
  if (deadline.expired) return new SocialLoginError('provider_timeout', phase)
  if (deadline.ended) return deadline.ended.reason
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return badResponse(phase, 'The answer took more than 128 KiB, headers and framing included.')
  if (BAD_ANSWER_ERRORS.some((kind) => error instanceof kind))
    return badResponse(phase, 'The answer was not proper HTTP.')
  return unreachable(phase, error)
}
