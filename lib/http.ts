import { setImmediate } from 'node:timers/promises'
import { type Dispatcher, errors } from 'undici'
import { hasExpired } from './deadline'
import { type Phase, SocialLoginError } from './errors'
import { type PoolLimits, ProviderPool } from './provider-pool'

/** One request to the provider. */
export interface ProviderRequest {
  readonly phase: Phase
  readonly method: 'GET' | 'POST'
  /** Path with query, below the provider's origin. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Ends the request: by a deadline (see `Deadline`) or by the caller's own wish. */
  readonly signal: AbortSignal
}

/** A complete answer below 500 that is no redirect and no rate limit. */
export interface ProviderAnswer {
  readonly status: number
  readonly text: string
  /** Whether the request was sent twice: its first connection was stale, and the provider may have read it there. */
  readonly repeated: boolean
}

const MAX_BODY_BYTES = 64 * 1024
const MAX_RETRY_AFTER_SECONDS = 86_400

// The connection held, and what it delivered was not a proper HTTP answer.
const BAD_ANSWER_ERRORS = [
  errors.HTTPParserError,
  errors.HeadersOverflowError,
  errors.ResponseContentLengthMismatchError,
]

/**
 * The only room that touches the network: bounded requests to one provider. No redirect is followed, no cookie kept,
 * no encoding negotiated; an answer is at most 64 KiB of UTF-8 and complete before the signal fires.
 */
export class ProviderConnection {
  readonly #origin: string
  readonly #dispatcher: Pick<Dispatcher, 'request'>
  readonly #ownPool: ProviderPool | undefined

  /**
   * @param origin the provider's origin
   * @param limits of the own pool
   * @param dispatcher used instead of an own pool; the caller closes it
   */
  constructor(origin: string, limits: PoolLimits, dispatcher?: Pick<Dispatcher, 'request'>) {
    const requester = dispatcher ?? new ProviderPool(origin, limits)
    this.#origin = origin
    this.#dispatcher = requester
    this.#ownPool = requester instanceof ProviderPool ? requester : undefined
  }

  /**
   * Sends one request and reads its whole answer.
   *
   * @throws SocialLoginError `provider_unreachable`, `provider_timeout`, `provider_redirected`,
   *   `provider_unavailable`, `provider_rate_limited`, `provider_bad_response`
   * @throws the signal's reason when the caller aborted
   */
  async request(request: ProviderRequest): Promise<ProviderAnswer> {
    const { phase, signal, method, path, body = null } = request
    const headers = { accept: 'application/json', 'accept-encoding': 'identity', ...request.headers }
    try {
      signal.throwIfAborted()
      const response = await this.#dispatcher.request({ origin: this.#origin, path, method, headers, body, signal })
      const text = await readAnswer(response, phase)
      // One turn later the connection is free again: asked sooner, undici would open a second one for the profile.
      await setImmediate()
      return { status: response.statusCode, text, repeated: this.#ownPool?.wasRepeated(response) ?? false }
    } catch (error) {
      throw outcomeOf(error, phase, signal)
    }
  }

  /** Opens a connection for a login that is about to come, in the background. A caller's dispatcher is left alone. */
  prepare(): void {
    this.#ownPool?.prepare()
  }

  /** Closes the own pool once its requests have ended; again is harmless. A caller's dispatcher stays open. */
  async close(): Promise<void> {
    await this.#ownPool?.close()
  }
}

async function readAnswer(response: Dispatcher.ResponseData, phase: Phase): Promise<string> {
  const refusal = refusalOf(response, phase)
  if (refusal) {
    // What was read so far says all: the body, be it endless, is not waited for.
    response.body.on('error', () => {}).destroy()
    throw refusal
  }
  return readText(response.body, phase)
}

function refusalOf({ statusCode, headers }: Dispatcher.ResponseData, phase: Phase): SocialLoginError | undefined {
  if (statusCode >= 500) return new SocialLoginError('provider_unavailable', phase, retryAfter(headers))
  if (statusCode === 429) return new SocialLoginError('provider_rate_limited', phase, retryAfter(headers))
  if (statusCode >= 300 && statusCode < 400) return new SocialLoginError('provider_redirected', phase)
  if (!/^(identity)?$/i.test(String(headers['content-encoding'] ?? ''))) {
    return badResponse(phase, 'Its body was compressed, although compression was not accepted.')
  }
  return undefined
}

function retryAfter(headers: Dispatcher.ResponseData['headers']): { retryAfter?: number } {
  const value = headers['retry-after']
  if (typeof value !== 'string') return {}
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000)
  if (Number.isNaN(seconds)) return {}
  return { retryAfter: Math.min(Math.max(0, seconds), MAX_RETRY_AFTER_SECONDS) }
}

async function readText(body: AsyncIterable<Uint8Array>, phase: Phase): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw badResponse(phase, 'Its body was larger than 64 KiB.')
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw badResponse(phase, 'Its body was not UTF-8.')
  }
}

/** A `provider_bad_response` whose hint narrows the cause. */
export function badResponse(phase: Phase, hint: string): SocialLoginError {
  return new SocialLoginError('provider_bad_response', phase, { hint })
}

// Classified by class: undici's parser errors have no stable code. Never a `cause`: it may quote what was sent.
function outcomeOf(error: unknown, phase: Phase, signal: AbortSignal): unknown {
  if (error instanceof SocialLoginError) return error
  if (hasExpired(signal)) return new SocialLoginError('provider_timeout', phase)
  if (signal.aborted) return signal.reason
  if (BAD_ANSWER_ERRORS.some((kind) => error instanceof kind)) return badResponse(phase, 'It was not proper HTTP.')
  return new SocialLoginError('provider_unreachable', phase)
}
