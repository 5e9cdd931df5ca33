import type { IncomingHttpHeaders } from 'node:http'
import { type Phase, SocialLoginError } from '../../errors'
import { MAX_BODY_BYTES, MAX_CHUNKS, MAX_WAIT_SECONDS } from '../../limits'
import { decompress } from './decompress'
import { isFirewall, refusedByFirewall } from './page'
import { type RequestTarget, redirectHint } from './redirect'

const TOO_LARGE = `The body of the response was larger than ${MAX_BODY_BYTES / 1024} KiB: is it a page, and not the API?`

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
  #isUndecodable = false
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

  /** Tells that the platform, which decodes bodies by itself, could not decode this one. */
  markUndecodable(): void {
    this.#isUndecodable = true
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
    if (isTooLarge && !isFailed(status)) throw badResponse(phase, TOO_LARGE)
    return { status, headers, text: isTooLarge ? '' : this.#text(), retried: this.#retried }
  }

  /** The outcome of a status that says enough, unless the response is one of a firewall. */
  #unavailable(): SocialLoginError {
    const headers = this.#headers
    const isLimit = this.#status === 429
    const wait = isLimit ? readRateLimit(headers) : waitOf(secondsIn(headers, 'retry-after'))
    const body = Buffer.concat(this.#chunks).toString()
    if (isFirewall(this.#status, headers, body)) return refusedByFirewall(this.#phase, { retryable: true, ...wait })
    return new SocialLoginError(isLimit ? 'provider_rate_limited' : 'provider_unavailable', this.#phase, wait)
  }

  #text(): string {
    const body = this.#isUndecodable ? 'unknown' : decompress(Buffer.concat(this.#chunks), this.#headers)
    if (body === 'unknown')
      throw badResponse(
        this.#phase,
        'The body of the response was compressed in a way that is not read, although compression was not accepted.',
      )
    if (body === 'too large') throw badResponse(this.#phase, TOO_LARGE)
    try {
      return utf8.decode(body)
    } catch {
      throw badResponse(this.#phase, 'The body of the response was not UTF-8.')
    }
  }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}

/** Whether a status is one of an error. */
export function isFailed(status: number): boolean {
  return status >= 400
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
  const { retryAfter } = waitOf(secondsIn(headers, 'retry-after'))
  const isExhausted = ['x-ratelimit-remaining', 'ratelimit-remaining'].some((name) =>
    valuesOf(headers, name).every((value) => /^0+$/.test(value)),
  )
  return retryAfter || isExhausted ? readRateLimit(headers) : undefined
}

function readRateLimit(headers: IncomingHttpHeaders): Wait {
  // The unit of a number that is no point in time differs between servers.
  const reset = secondsIn(headers, 'x-ratelimit-reset', (value) => /^[1-9]\d{9,12}$/.test(value))
  return waitOf(secondsIn(headers, 'retry-after') ?? reset)
}

function waitOf(seconds: number | undefined): Wait {
  return seconds === undefined ? {} : { retryAfter: Math.min(Math.max(0, seconds), MAX_WAIT_SECONDS) }
}

/** The values of a header, which may come twice: in one line, or as an array. Of a missing one, the text "undefined". */
function valuesOf(headers: IncomingHttpHeaders, name: string): string[] {
  // A dispatcher of the application may give a number. The comma of a date splits off the name of its day.
  const values = String(headers[name]).split(',')
  return values.map((value) => value.trim())
}

// In 2001, as seconds since 1970: no wait is as long.
const firstPointInTime = 1e9

/** The longest wait of a header: a number of seconds, a date, or a point in time in seconds or milliseconds since 1970. */
function secondsIn(
  headers: IncomingHttpHeaders,
  name: string,
  isRead = (_value: string): boolean => true,
): number | undefined {
  const waits = valuesOf(headers, name)
    .filter(isRead)
    .map((value) => {
      if (value.endsWith('GMT')) return Math.ceil((Date.parse(value) - Date.now()) / 1000)
      if (!/^\d+(\.\d+)?$/.test(value)) return Number.NaN
      const number = Math.ceil(Number(value))
      if (number < firstPointInTime) return number
      const milliseconds = number < 1000 * firstPointInTime ? number * 1000 : number
      return Math.ceil((milliseconds - Date.now()) / 1000)
    })
    .filter((seconds) => !Number.isNaN(seconds))
  return waits.length === 0 ? undefined : Math.max(...waits)
}
