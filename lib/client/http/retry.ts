import { type OutcomeCode, type Phase, SocialLoginError } from '../../errors'
import { MAX_PROFILE_SENDS } from '../../limits'
import { ClosedBeforeResponse, outcomeOf } from './network-errors'
import { type ProviderResponse, ResponseReader } from './response-reader'
import type { ProviderRequest, RequestContext, Transport } from './transport'

// After these, a request that changes nothing at the provider may succeed if it is sent again.
const RETRYABLE: ReadonlySet<OutcomeCode> = new Set(['provider_unavailable', 'provider_unreachable'])

/**
 * Sends a request to the provider over any transport. No redirect is followed and no cookie kept; a response is UTF-8
 * of at most `MAX_BODY_BYTES`, and complete before the deadline ends. A request is sent again:
 *
 * - without a pause, but only the first time, if its connection closed before the response began (`sendOverConnection`);
 * - if the provider is unavailable or unreachable, and the request changes nothing there (`idempotent`: a profile
 *   request): `MAX_PROFILE_SENDS` times in all. Time must be left for `Retry-After`, and for as long as it took to get
 *   the outcome before.
 *
 * For each of them, `Connection` tries for `CONNECT_RETRY_MS` to open a connection: nothing has been sent then.
 * @throws SocialLoginError `provider_*`, or the reason of the caller's own signal
 */
export async function sendRequest(
  transport: Transport,
  request: ProviderRequest,
  phase: Phase,
  { deadline, onRetry }: RequestContext,
): Promise<ProviderResponse> {
  let sends = 0
  const send: Send = (onNewConnection) => {
    const retried = sends > 0
    if (retried) onRetry?.()
    sends += 1
    return transport.send({ request, deadline, reader: new ResponseReader(phase, retried, request), onNewConnection })
  }
  while (true) {
    const before = deadline.remaining
    try {
      if (deadline.ended) throw deadline.ended.reason
      return await (sends === 0 ? sendOverConnection(send) : send(false))
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

/** Sends the same request each time it is called. */
type Send = (onNewConnection: boolean) => Promise<ProviderResponse>

/**
 * Sends a request; once more, on a new connection, if its connection closed before the response began: the other open
 * connections may be closed, too. That does no harm, because a profile request changes nothing, and a provider that has
 * exchanged a key refuses it.
 */
export async function sendOverConnection(send: Send): Promise<ProviderResponse> {
  try {
    return await send(false)
  } catch (error) {
    if (!(error instanceof ClosedBeforeResponse)) throw error
  }
  return send(true)
}

function isRetryable(outcome: unknown): outcome is SocialLoginError {
  return outcome instanceof SocialLoginError && RETRYABLE.has(outcome.code)
}
