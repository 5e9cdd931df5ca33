import type { IncomingHttpHeaders } from 'node:http'
import { type Phase, SocialLoginError } from '../../errors'
import { firewallPage, isFirewallStatus, isPage } from './page'
import { readExhaustedLimit, readRateLimit, readRetryAfter, type Wait } from './rate-limit'

const MAX_BODY_BYTES = 64 * 1024
// 64 KiB usually come in about fifty chunks; thousands mean a hostile server.
const MAX_CHUNKS = 2000
const MAX_INFORMATIONAL = 8

// Enough to find where a page begins; a body of white space in thousands of chunks must not be searched as often.
const MAX_BLANK_BYTES = 1024
// Neither white space nor a byte order mark, in Latin-1.
const VISIBLE = /[^\s\xef\xbb\xbf]/

const EMPTY = Buffer.alloc(0)
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A complete response below 500 that is neither a redirect nor a rate limit. */
export interface ProviderResponse {
  readonly status: number
  /** Empty for a page of more than 64 KiB. */
  readonly text: string
  /** Whether the body is HTML for people. */
  readonly isPage: boolean
  /** Set if the headers make a refusal one of the rate limit. */
  readonly exhaustedLimit: Wait | undefined
  /** Whether the request was sent twice: the provider may have read the first one. */
  readonly retried: boolean
}

/** Thrown to stop reading a page of more than 64 KiB, such as a site's own "not found": its status says enough. */
export class LargePage extends Error {
  constructor(readonly response: ProviderResponse) {
    super('a page of more than 64 KiB')
  }
}

/**
 * Reads one response of the provider chunk by chunk, and rejects it as early as possible: a server error, a rate limit,
 * a redirect, a compressed or an endless body.
 */
export class ResponseReader {
  readonly #phase: Phase
  readonly #retried: boolean
  #body = EMPTY
  #size = 0
  #chunks = 0
  #informational = 0
  #status = 0
  #exhaustedLimit: Wait | undefined
  /** The outcome of a response with a status that says enough, unless its body is a page. */
  #refusal: SocialLoginError | undefined

  /** @param retried whether the response is that to a second attempt */
  constructor(phase: Phase, retried: boolean) {
    this.#phase = phase
    this.#retried = retried
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
    this.#exhaustedLimit = readExhaustedLimit(headers)
    const phase = this.#phase
    this.#refusal = refusalBy(status, headers, phase)
    const isPlain = /^(identity)?$/i.test(String(headers['content-encoding'] ?? ''))
    // At the profile a page changes nothing: a 503 is retried in any case.
    const mayBePage = phase === 'exchange' && isFirewallStatus(status) && isLabelledHTML(headers)
    if (this.#refusal && !(isPlain && mayBePage)) throw this.#refusal
    if (status >= 300 && status < 400) throw new SocialLoginError('provider_redirected', phase)
    if (!isPlain) {
      throw badResponse(phase, 'The body of the response was compressed, although compression was not accepted.')
    }
  }

  /**
   * @throws SocialLoginError as {@link start}, and `provider_bad_response` beyond 64 KiB, or 2,000 chunks
   * @throws LargePage
   */
  add(chunk: Uint8Array): void {
    this.#chunks += 1
    if (this.#chunks > MAX_CHUNKS) throw badResponse(this.#phase, 'The body of the response came in too many chunks.')
    const kept = chunk.subarray(0, MAX_BODY_BYTES - this.#size)
    this.#append(kept)
    // The first bytes tell a page: in Bun, or of a dispatcher, a single chunk may be too large.
    if (this.#refusal) this.#decide(this.#refusal)
    if (kept.length < chunk.length) throw this.#tooLarge()
  }

  /** @throws SocialLoginError as {@link start}, and `provider_bad_response` for invalid UTF-8 */
  finish(): ProviderResponse {
    if (this.#refusal) throw this.#refusal
    const text = this.#text()
    return this.#complete(text, isPage(text))
  }

  #complete(text: string, isPage: boolean): ProviderResponse {
    return { status: this.#status, text, isPage, exhaustedLimit: this.#exhaustedLimit, retried: this.#retried }
  }

  #text(): string {
    try {
      return utf8.decode(this.#body.subarray(0, this.#size))
    } catch {
      throw badResponse(this.#phase, 'The body of the response was not UTF-8.')
    }
  }

  /** Throws as soon as the first visible character tells a page from JSON that is labelled as HTML. */
  #decide(refusal: SocialLoginError): void {
    const first = this.#firstCharacter()
    if (first !== undefined) throw first === '<' ? firewallPage(this.#phase, refusal) : refusal
  }

  #tooLarge(): Error {
    if (this.#firstCharacter() === '<') return new LargePage(this.#complete('', true))
    return badResponse(this.#phase, 'The body of the response was larger than 64 KiB.')
  }

  /** Undefined while the body is blank, or if it begins with too much white space. */
  #firstCharacter(): string | undefined {
    return VISIBLE.exec(this.#body.toString('latin1', 0, Math.min(this.#size, MAX_BLANK_BYTES)))?.[0]
  }

  #append(bytes: Uint8Array): void {
    const size = this.#size + bytes.length
    if (size > this.#body.length) this.#grow(size)
    // Copied: a chunk is a view of its socket's read buffer, which may keep 64 KiB alive for a single byte.
    this.#body.set(bytes, this.#size)
    this.#size = size
  }

  #grow(size: number): void {
    const larger = Buffer.allocUnsafe(Math.min(Math.max(size, 2 * this.#body.length), MAX_BODY_BYTES))
    larger.set(this.#body)
    this.#body = larger
  }
}

function isLabelledHTML(headers: IncomingHttpHeaders): boolean {
  return /^text\/html\b/i.test(String(headers['content-type']))
}

/** The outcome that a status alone decides. */
function refusalBy(status: number, headers: IncomingHttpHeaders, phase: Phase): SocialLoginError | undefined {
  if (status >= 500) return new SocialLoginError('provider_unavailable', phase, readRetryAfter(headers))
  if (status === 429) return new SocialLoginError('provider_rate_limited', phase, readRateLimit(headers))
  return undefined
}

/** A `provider_bad_response` whose hint narrows the cause. */
export function badResponse(phase: Phase, hint: string): SocialLoginError {
  return new SocialLoginError('provider_bad_response', phase, { hint })
}
