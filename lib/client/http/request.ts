import { errors } from 'undici'
import { type Phase, SocialLoginError } from '../../errors'
import type { Deadline } from '../deadline'
import type { Transport, TransportRequest } from './dispatcher'
import { AnswerReader, badResponse } from './response-reader'
import { unreachable } from './unreachable'

/** A complete answer below 500 that is no redirect and no rate limit. */
export interface ProviderAnswer {
  readonly status: number
  readonly text: string
  /** Whether the request was sent twice: its first connection was stale, and the provider may have read it there. */
  readonly repeated: boolean
}

// The connection held, and what it delivered was not a proper HTTP answer.
const BAD_ANSWER_ERRORS = [
  errors.HTTPParserError,
  errors.HeadersOverflowError,
  errors.ResponseContentLengthMismatchError,
]

/** Headers of every request: no encoding is negotiated. */
export const REQUEST_HEADERS = { accept: 'application/json', 'accept-encoding': 'identity' } as const

/**
 * Asks the provider over any transport. No redirect is followed and no cookie kept; an answer is at most 64 KiB of UTF-8
 * and complete before the deadline ends.
 *
 * @throws SocialLoginError `provider_unreachable`, `provider_timeout`, `provider_redirected`,
 *   `provider_unavailable`, `provider_rate_limited`, `provider_bad_response`
 * @throws the reason of the caller's own signal
 */
export async function ask(
  transport: Transport,
  phase: Phase,
  request: TransportRequest,
  deadline: Deadline,
): Promise<ProviderAnswer> {
  const reader = new AnswerReader(phase)
  try {
    if (deadline.ended) throw deadline.ended.reason
    const { repeated } = await transport.send(request, reader, deadline)
    const { status, text } = reader.finish()
    return { status, text, repeated }
  } catch (error) {
    throw outcomeOf(error, phase, deadline)
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
