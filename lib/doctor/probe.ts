import dns from 'node:dns'
import type { IncomingHttpHeaders } from 'node:http'
import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { Client, EnvHttpProxyAgent } from 'undici/index.js'
import { isPrivateHost, publicLookup as publicLookupBy } from '../client/http/address'
import { isObject, type JSONObject, type JSONValue, parseJSON } from '../client/json'
import { ProbeError } from './probe-error'

const MAX_BODY_BYTES = 64 * 1024
// Where a script's warnings end, the JSON begins; each attempt parses the rest.
const MAX_ATTEMPTS = 20

const CONNECTION = {
  // Each request has a deadline of its own.
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 16 * 1024,
}

// Certificates are checked even where NODE_TLS_REJECT_UNAUTHORIZED disables it.
const TLS = { rejectUnauthorized: true }

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

/** Settings of a {@link Probe}. */
export interface ProbeOptions {
  readonly userAgent: string
  /** Milliseconds for one request. */
  readonly timeout: number
  /** The host that the user typed: the only one whose address may be private. */
  readonly trustedHost: string
  /** Whether requests go through the proxy that the environment names. */
  readonly proxied?: boolean
}

/**
 * Sends requests one at a time, and reads at most 64 KiB of a response, up to a deadline. Follows no redirect, keeps no
 * cookie, checks certificates.
 */
export class Probe {
  readonly #options: ProbeOptions
  #dispatcher: Dispatcher | undefined
  #origin = ''
  /** The `User-Agent` of all requests from now on. */
  userAgent: string

  constructor(options: ProbeOptions) {
    this.#options = options
    this.userAgent = options.userAgent
  }

  /** @throws ProbeError if there is no complete response */
  async send({ method, url, headers, form }: ProbeRequest): Promise<ProbeResponse> {
    const { timeout } = this.#options
    const dispatcher = this.#dispatcherFor(url)
    const signal = AbortSignal.timeout(timeout)
    const startedAt = performance.now()
    try {
      const {
        statusCode,
        headers: received,
        body,
      } = await dispatcher.request({
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
      const text = await beginningOf(body)
      const duration = performance.now() - startedAt
      return { status: statusCode, headers: received, text, duration, ...readJSON(text) }
    } catch (error) {
      throw signal.aborted ? ProbeError.timeout(timeout) : ProbeError.of(error)
    }
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    await this.#dispatcher?.destroy()
  }

  #dispatcherFor(url: URL): Dispatcher {
    const { origin, hostname } = url
    if (this.#dispatcher && this.#origin === origin) return this.#dispatcher
    const { trustedHost, timeout, proxied } = this.#options
    const isTrusted = hostname === trustedHost
    // What the name resolves to is known to the proxy alone, and `NO_PROXY` may name hosts of the own network.
    if (!isTrusted && proxied) throw ProbeError.notFollowed('another host, through a proxy')
    if (!isTrusted) refusePrivate(url)
    this.#dispatcher?.destroy().catch(() => {})
    this.#origin = origin
    const connect = { timeout, ...TLS, ...(!isTrusted && { lookup: publicLookup }) }
    this.#dispatcher = proxied ? proxyAgent() : new Client(origin, { ...CONNECTION, connect })
    return this.#dispatcher
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

function proxyAgent(): Dispatcher {
  try {
    return new EnvHttpProxyAgent({ ...CONNECTION, requestTls: TLS })
  } catch {
    throw new ProbeError('The environment names a proxy by something that is no http(s) address.')
  }
}

/**
 * Refuses the URL of a private address. A name is checked when it is looked up: see {@link publicLookup}.
 *
 * @throws ProbeError
 */
export function refusePrivate({ hostname }: URL): void {
  if (isPrivateHost(hostname)) throw ProbeError.notFollowed('a private address')
}

/** `dns.lookup` that refuses private addresses. */
export const publicLookup: LookupFunction = publicLookupBy(dns.lookup)
