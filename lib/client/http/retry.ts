import { type OutcomeCode, type Phase, SocialLoginError } from '../../errors'
import { MAX_PROFILE_SENDS } from '../../limits'
import type { Deadline } from '../deadline'
import { ClosedBeforeResponse, outcomeOf } from './network-errors'
import { type ProviderResponse, ResponseReader } from './response-reader'
import type { ProviderRequest, RequestContext, Transport } from './transport'

// After these, a request that changes nothing at the provider may succeed if it is sent again.
const RETRYABLE: ReadonlySet<OutcomeCode> = new Set(['provider_unavailable', 'provider_unreachable'])

/**
 * Sends a request to the provider over any transport. No redirect is followed and no cookie kept; a response is UTF-8
 * of at most `MAX_BODY_BYTES`, and complete before the deadline ends. A request is sent again:
 *
 * - at once, but only the first time, if its connection closed before the response began (`sendOverConnection`);
 * - if the provider is unavailable or unreachable, and the request changes nothing there (`idempotent`: a profile
 *   request): `MAX_PROFILE_SENDS` times in all. Each attempt may take as long as the one before. Time must be left for
 *   that, and for `Retry-After`.
 *
 * For each of them, `Connector` tries for `CONNECT_RETRY_MS` to open a connection: nothing has been sent then.
 * @throws SocialLoginError `provider_*`, or the reason of the caller's own signal
 */
export async function sendRequest(
  transport: Transport,
  request: ProviderRequest,
  phase: Phase,
  { deadline, onRetry }: RequestContext,
): Promise<ProviderResponse> {
  // `sendOverConnection` may send twice: both count.
  let sends = 0
  const newReader = (retried: boolean): ResponseReader => {
    sends += 1
    if (retried) onRetry?.()
    return new ResponseReader(phase, retried, request)
  }
  while (true) {
    const before = deadline.remaining
    try {
      if (deadline.ended) throw deadline.ended.reason
      if (sends === 0) return await sendOverConnection(transport, request, deadline, newReader)
      return await transport.send({ request, deadline, reader: newReader(true) })
    } catch (error) {
      const outcome = outcomeOf(error, phase, deadline)
      if (!request.idempotent || sends >= MAX_PROFILE_SENDS || !isRetryable(outcome)) throw outcome
      const took = before - deadline.remaining
      const wait = (outcome.retryAfter ?? 0) * 1000
      if (wait + took >= deadline.remaining) throw outcome
      await deadline.pause(wait)
    }
  }
}

/**
 * Sends a request; once more, on a new connection, if its connection closed before the response began: the other open
 * connections may be closed, too. That does no harm, because a profile request changes nothing, and a provider that has
 * exchanged a key refuses it.
 */
export async function sendOverConnection(
  transport: Transport,
  request: ProviderRequest,
  deadline: Deadline,
  newReader: (retried: boolean) => ResponseReader,
): Promise<ProviderResponse> {
  try {
    return await transport.send({ request, deadline, reader: newReader(false) })
  } catch (error) {
    if (!(error instanceof ClosedBeforeResponse)) throw error
  }
  return transport.send({ request, deadline, reader: newReader(true), onNewConnection: true })
}

function isRetryable(outcome: unknown): outcome is SocialLoginError {
  return outcome instanceof SocialLoginError && RETRYABLE.has(outcome.code)
}
