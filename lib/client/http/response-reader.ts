import type { IncomingHttpHeaders } from 'node:http'
import { type Phase, SocialLoginError } from '../../errors'
import { MAX_BODY_BYTES, MAX_CHUNKS, MAX_WAIT_SECONDS } from '../../limits'
import { isFirewall, refusedByFirewall } from './page'
import { type RequestTarget, redirectHint } from './redirect'

// The codings that IANA has registered (RFC 9110, section 16.6), but for `identity`. Servers also send words that are
// none, such as `none` or `UTF-8`, with plain text, which browsers, curl and fetch read.
const CODINGS: ReadonlySet<string> = new Set(
  'aes128gcm br compress dcb dcz deflate exi gzip pack200-gzip x-compress x-gzip zstd'.split(' '),
)

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A response below 500 that is neither a redirect nor a rate limit. */
export interface ProviderResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Empty for a response from status 400 on with more than `MAX_BODY_BYTES`: its status says enough. */
  readonly text: string
  /** Whether the request was sent again: the provider may have read it before. */
  readonly retried: boolean
}

/** Reads one response up to `MAX_BODY_BYTES`, and then decides what it is. */
export class ResponseReader {
  readonly #phase: Phase
  readonly #retried: boolean
  readonly #target: RequestTarget
  #chunks: Buffer[] = []
  #size = 0
  #status = 0
  #headers: IncomingHttpHeaders = {}

  constructor(phase: Phase, retried: boolean, target: RequestTarget) {
    this.#phase = phase
    this.#retried = retried
    this.#target = target
  }

  /** Begins with the head of a response. Returns whether to read its body, too: that of most errors says nothing. */
  start(status: number, headers: IncomingHttpHeaders): boolean {
    this.#status = status
    this.#headers = headers
    return !isRedirect(status) && (status < 500 || status === 503)
  }

  /** Adds a part of the body. Returns whether to read on: not beyond `MAX_BODY_BYTES`. */
  add(chunk: Uint8Array): boolean {
    this.#size += chunk.length
    // A chunk is copied, because it is a view of its socket's read buffer, which it would keep alive as a whole.
    if (this.#size <= MAX_BODY_BYTES) this.#chunks.push(Buffer.from(chunk))
    if (this.#chunks.length > MAX_CHUNKS) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#size <= MAX_BODY_BYTES
  }

  /**
   * Called when the response has ended, or `start` or `add` has returned false. @throws SocialLoginError `provider_*`
   */
  finish(): ProviderResponse {
    const status = this.#status
    const headers = this.#headers
    const phase = this.#phase
    if (isRedirect(status)) {
      const hint = redirectHint(this.#target, headers.location)
      throw new SocialLoginError('provider_redirected', phase, { hint })
    }
    if (status === 429 || status >= 500) throw this.#unavailable()
    const isTooLarge = this.#size > MAX_BODY_BYTES
    if (isTooLarge && status < 400)
      throw badResponse(
        phase,
        `The body of the response was larger than ${MAX_BODY_BYTES / 1024} KiB: is it a page, and not the API?`,
      )
    if (isEncoded(headers))
      throw badResponse(phase, 'The body of the response was compressed, although compression was not accepted.')
    return { status, headers, text: isTooLarge ? '' : this.#text(), retried: this.#retried }
  }

  /** The outcome of a status that says enough, unless the response is one of a firewall. */
  #unavailable(): SocialLoginError {
    const headers = this.#headers
    const isLimit = this.#status === 429
    const wait = isLimit ? readRateLimit(headers) : waitOf(secondsIn(headers['retry-after']))
    const body = Buffer.concat(this.#chunks).toString()
    if (isFirewall(this.#status, headers, body)) return refusedByFirewall(this.#phase, { retryable: true, ...wait })
    return new SocialLoginError(isLimit ? 'provider_rate_limited' : 'provider_unavailable', this.#phase, wait)
  }

  #text(): string {
    try {
      return utf8.decode(Buffer.concat(this.#chunks))
    } catch {
      throw badResponse(this.#phase, 'The body of the response was not UTF-8.')
    }
  }
}

export function isEncoded(headers: IncomingHttpHeaders): boolean {
  const codings: unknown = headers['content-encoding']
  // Several headers come as an array.
  return (
    codings !== undefined &&
    String(codings)
      .toLowerCase()
      .split(',')
      .some((coding) => CODINGS.has(coding.trim()))
  )
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}

export function badResponse(phase: Phase, hint: string): SocialLoginError {
  return new SocialLoginError('provider_bad_response', phase, { hint })
}

type Wait = { readonly retryAfter?: number }

/**
 * What makes a refusal with another status than 429 one of the rate limit: nothing is left of the quota, or the client
 * is to wait, which helps neither a wrong key nor a wrong token. (A success may carry the same headers.)
 */
export function readExhaustedLimit(headers: IncomingHttpHeaders): Wait | undefined {
  const mustWait = (secondsIn(headers['retry-after']) ?? 0) > 0
  return mustWait || headers['x-ratelimit-remaining'] === '0' ? readRateLimit(headers) : undefined
}

function readRateLimit(headers: IncomingHttpHeaders): Wait {
  const reset = String(headers['x-ratelimit-reset'])
  // Ten digits are a point in time, in seconds since 1970. The unit of shorter numbers differs between servers.
  const seconds = /^[1-9]\d{9}$/.test(reset) ? Math.ceil(Number(reset) - Date.now() / 1000) : undefined
  return waitOf(secondsIn(headers['retry-after']) ?? seconds)
}

function waitOf(seconds: number | undefined): Wait {
  return seconds === undefined ? {} : { retryAfter: Math.min(Math.max(0, seconds), MAX_WAIT_SECONDS) }
}

function secondsIn(header: unknown): number | undefined {
  const value = String(header)
  if (!/^\d+$|GMT$/.test(value)) return undefined
  const seconds = value.endsWith('GMT') ? Math.ceil((Date.parse(value) - Date.now()) / 1000) : Number(value)
  return Number.isNaN(seconds) ? undefined : seconds
}
