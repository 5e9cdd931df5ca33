import type { IncomingHttpHeaders } from 'node:http'
import { type Phase, SocialLoginError } from '../../errors'

const MAX_BODY_BYTES = 64 * 1024
// 64 KiB usually come in about fifty chunks; thousands mean a hostile server.
const MAX_CHUNKS = 2000
const MAX_INFORMATIONAL = 8
const MAX_RETRY_AFTER_SECONDS = 86_400

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads one response of the provider chunk by chunk, and rejects it as early as possible: a server error, a rate limit,
 * a redirect, a compressed or an endless body.
 */
export class ResponseReader {
  readonly #phase: Phase
  #body = Buffer.alloc(0)
  #size = 0
  #chunks = 0
  #informational = 0
  #status = 0

  constructor(phase: Phase) {
    this.#phase = phase
  }

  /** An informational response (102, 103). @throws SocialLoginError `provider_bad_response` beyond eight */
  informational(): void {
    this.#informational += 1
    if (this.#informational > MAX_INFORMATIONAL)
      throw badResponse(this.#phase, 'Too many responses came before the response (1xx).')
  }

  /** @throws SocialLoginError `provider_unavailable`, `provider_rate_limited`, `provider_redirected`, `provider_bad_response` */
  start(status: number, headers: IncomingHttpHeaders): void {
    this.#status = status
    const phase = this.#phase
    if (status >= 500) throw new SocialLoginError('provider_unavailable', phase, retryAfter(headers))
    if (status === 429) throw new SocialLoginError('provider_rate_limited', phase, retryAfter(headers))
    if (status >= 300 && status < 400) throw new SocialLoginError('provider_redirected', phase)
    if (!/^(identity)?$/i.test(String(headers['content-encoding'] ?? ''))) {
      throw badResponse(phase, 'The body of the response was compressed, although compression was not accepted.')
    }
  }

  /** @throws SocialLoginError `provider_bad_response` beyond 64 KiB, or 2,000 chunks */
  add(chunk: Uint8Array): void {
    this.#chunks += 1
    if (this.#chunks > MAX_CHUNKS) throw badResponse(this.#phase, 'The body of the response came in too many chunks.')
    const size = this.#size + chunk.length
    if (size > MAX_BODY_BYTES) throw badResponse(this.#phase, 'The body of the response was larger than 64 KiB.')
    if (size > this.#body.length) this.#grow(size)
    // Copied: a chunk is a view of its socket's read buffer, which may keep 64 KiB alive for a single byte.
    this.#body.set(chunk, this.#size)
    this.#size = size
  }

  /** @throws SocialLoginError `provider_bad_response` for invalid UTF-8 */
  finish(): { readonly status: number; readonly text: string } {
    const body = this.#body.subarray(0, this.#size)
    try {
      return { status: this.#status, text: utf8.decode(body) }
    } catch {
      throw badResponse(this.#phase, 'The body of the response was not UTF-8.')
    }
  }

  #grow(size: number): void {
    const larger = Buffer.alloc(Math.min(Math.max(size, 2 * this.#body.length), MAX_BODY_BYTES))
    larger.set(this.#body)
    this.#body = larger
  }
}

/** A `provider_bad_response` whose hint narrows the cause. */
export function badResponse(phase: Phase, hint: string): SocialLoginError {
  return new SocialLoginError('provider_bad_response', phase, { hint })
}

function retryAfter(headers: IncomingHttpHeaders): { retryAfter?: number } {
  const value: unknown = headers['retry-after']
  if (typeof value !== 'string') return {}
  if (!/^\d+$|GMT$/.test(value)) return {}
  const seconds = value.endsWith('GMT') ? Math.ceil((Date.parse(value) - Date.now()) / 1000) : Number(value)
  if (Number.isNaN(seconds)) return {}
  return { retryAfter: Math.min(Math.max(0, seconds), MAX_RETRY_AFTER_SECONDS) }
}
