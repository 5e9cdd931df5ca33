import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { Agent, EnvHttpProxyAgent, errors } from 'undici/index.js'
import { oneLookupAtATime, systemLookup } from '../client/http/address'
import { errorCode, unreachableHint } from '../client/http/network-errors'
import { tlsOptions } from '../client/http/tls-options'
import { isObject, type JSONObject, type JSONValue, parseJSON } from '../client/json'
import { count } from './text'

const MAX_BODY_BYTES = 64 * 1024
// Where a script's warnings end, the JSON begins; each attempt parses the rest.
const MAX_ATTEMPTS = 20

/** A request of the doctor. */
export interface ProbeRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
}

/** What a provider has answered. All of it comes from outside. */
export interface ProbeResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The first 64 KiB. */
  readonly text: string
  /** The JSON of the body, an object or an array; undefined if there is none. */
  readonly json: JSONObject | JSONValue[] | undefined
  /** Whether other text precedes the JSON, such as the warnings of a script. */
  readonly hasWarnings: boolean
  /** Milliseconds from the request to the last byte, including the connection if it was new. */
  readonly duration: number
}

/** Why there is no complete response: a fixed sentence, never text from outside. */
export class ProbeError extends Error {
  /** @param code the code of Node's or undici's error */
  constructor(
    message: string,
    readonly code?: string,
  ) {
    super(message)
  }

  /** What was caught, if it is one. @throws anything else, which is a defect of this program */
  static caught(error: unknown): ProbeError {
    if (error instanceof ProbeError) return error
    throw error
  }

  /** The error of a failed connection, or of one that was aborted after a time in milliseconds. */
  static of(error: unknown, { aborted }: AbortSignal, timeout: number): ProbeError {
    if (error instanceof ProbeError) return error
    if (aborted)
      return new ProbeError(`There was no complete response within ${count(timeout / 1000, 'second')}.`, 'ETIMEDOUT')
    if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError)
      return new ProbeError('The response is not HTTP/1.1.', 'HTTP')
    return new ProbeError(unreachableHint(error) ?? 'The connection failed.', errorCode(error))
  }
}

/**
 * Sends requests one at a time, and reads at most 64 KiB of a response, up to a deadline. Follows no redirect, keeps no
 * cookie, checks certificates.
 */
export class Probe {
  #dispatcher: Dispatcher | undefined

  /**
   * @param userAgent the `User-Agent` of all requests from now on
   * @param timeout milliseconds for one request
   * @param proxied whether requests go through the proxy that the environment names
   */
  constructor(
    public userAgent: string,
    readonly timeout: number,
    private readonly proxied = false,
  ) {}

  /** @throws ProbeError if there is no complete response */
  async send({ method, url, headers, form }: ProbeRequest): Promise<ProbeResponse> {
    const signal = AbortSignal.timeout(this.timeout)
    const startedAt = performance.now()
    try {
      this.#dispatcher ??= this.#newDispatcher()
      const response = await this.#dispatcher.request({
        origin: url.origin,
        method,
        path: url.pathname + url.search,
        headers: {
          'user-agent': this.userAgent,
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...headers,
        },
        body: form ? new URLSearchParams(form).toString() : null,
        signal,
      })
      const text = await beginningOf(response.body)
      const duration = performance.now() - startedAt
      return { status: response.statusCode, headers: response.headers, text, duration, ...readJSON(text) }
    } catch (error) {
      throw ProbeError.of(error, signal, this.timeout)
    }
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await this.#dispatcher?.destroy()
  }

  #newDispatcher(): Dispatcher {
    if (!this.proxied)
      return new Agent({ connect: { timeout: this.timeout, lookup: oneLookupAtATime(systemLookup), ...tlsOptions() } })
    try {
      return new EnvHttpProxyAgent({ requestTls: tlsOptions() })
    } catch {
      throw new ProbeError('The environment names a proxy by something that is no http(s) address.')
    }
  }
}

/** A page may be large, and its beginning says enough. */
async function beginningOf(body: Readable): Promise<string> {
  const bytes = Buffer.alloc(MAX_BODY_BYTES)
  let size = 0
  for await (const chunk of body) {
    size += chunk.copy(bytes, size)
    // The rest is not read, and its connection not used again.
    if (size === MAX_BODY_BYTES) break
  }
  return bytes.toString('utf8', 0, size)
}

/** The JSON of a body, whatever precedes it. */
function readJSON(text: string): Pick<ProbeResponse, 'json' | 'hasWarnings'> {
  const starts = [...text.matchAll(/[{[]/g)].slice(0, MAX_ATTEMPTS)
  for (const { index } of starts) {
    const json = tryParse(text.slice(index))
    if (json !== undefined) return { json, hasWarnings: text.slice(0, index).trim() !== '' }
  }
  return { json: undefined, hasWarnings: false }
}

function tryParse(text: string): JSONObject | JSONValue[] | undefined {
  try {
    const value = parseJSON(text)
    return Array.isArray(value) || isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
