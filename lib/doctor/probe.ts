import type { IncomingHttpHeaders } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { errors } from 'undici/index.js'
import { Deadline } from '../client/deadline'
import { isPrivateHost, PrivateAddressError } from '../client/http/address'
import { type Connect, connectTo } from '../client/http/connect'
import { decompress } from '../client/http/decompress'
import { readProxies } from '../client/http/environment-proxy'
import { errorCode, unreachableHint } from '../client/http/network-errors'
import { ProviderPools } from '../client/http/pools'
import { type ProviderResponse, ResponseReader } from '../client/http/response-reader'
import { sendOverConnection } from '../client/http/retry'
import type { ProviderRequest } from '../client/http/transport'
import { isObject, type JSONObject, type JSONValue, parseJSON } from '../client/response/json'
import { isLoopback } from '../client/url-options'
import { SocialLoginError } from '../errors'
import { DEFAULT_POOLS, MAX_BODY_BYTES } from '../limits'
import { count } from './text'

// The JSON may begin at any bracket, after the warnings of a script. Each attempt parses the text from one bracket on.
const MAX_ATTEMPTS = 20

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
  /** The first `MAX_BODY_BYTES`. */
  readonly text: string
  /** The JSON of the body, an object or an array; undefined if there is none. */
  readonly json: JSONObject | JSONValue[] | undefined
  /** Whether other text precedes the JSON, such as the warnings of a script. */
  readonly hasWarnings: boolean
  /** Milliseconds from the request to the last byte, including the connection if it was new. */
  readonly duration: number
  /** What a login reads: it alone decides whether a response is good. @throws the outcome of the login */
  read(): ProviderResponse
}

/** The code for an address inside a network that only the provider has named. */
export const NOT_ASKED = 'NOT_ASKED'
/** The code for a response beyond the limits of the client. */
export const TOO_LARGE = 'TOO_LARGE'

/** Why there is no complete response. The message is a fixed sentence, with at most an origin from outside. */
export class ProbeError extends Error {
  /** @param code the code of Node's or undici's error */
  constructor(
    message: string,
    readonly code?: string,
  ) {
    super(message)
  }

  /** The error, if it is a ProbeError. @throws any other, which is a defect of this program */
  static caught(error: unknown): ProbeError {
    if (error instanceof ProbeError) return error
    throw error
  }

  /** The error of a failed connection, or of one that ended after a time in milliseconds. */
  static of(error: unknown, isExpired: boolean, timeout: number): ProbeError {
    if (error instanceof ProbeError) return error
    if (isExpired)
      return new ProbeError(`There was no complete response within ${count(timeout / 1000, 'second')}.`, 'ETIMEDOUT')
    if (error instanceof errors.HeadersOverflowError || error instanceof errors.ResponseExceededMaxSizeError) {
      const part = error instanceof errors.HeadersOverflowError ? 'headers of the response are' : 'response is'
      return new ProbeError(`The ${part} larger than this package reads.`, TOO_LARGE)
    }
    if (error instanceof errors.HTTPParserError || error instanceof errors.ResponseContentLengthMismatchError)
      return new ProbeError('The response is not HTTP/1.1.', 'HTTP')
    return new ProbeError(unreachableHint(error) ?? 'The connection failed.', errorCode(error))
  }
}

/**
 * Sends requests one at a time, over the connections of a login and with its limits, up to a deadline. Also keeps the
 * first `MAX_BODY_BYTES` of a body that a login would not read. Follows no redirect, keeps no cookie, checks
 * certificates.
 */
export class Probe {
  #typed: ProviderPools | undefined
  #others: ProviderPools | undefined

  /**
   * @param userAgent the `User-Agent` of all requests from now on
   * @param timeout milliseconds for one request
   * @param origin the one that was typed: elsewhere, private addresses are not asked
   * @param proxied whether requests go through the proxy that the environment names
   */
  constructor(
    public userAgent: string,
    readonly timeout: number,
    private readonly origin: string,
    private readonly proxied = false,
  ) {}

  /** @throws ProbeError if there is no complete response */
  async send({ method, url, headers, form }: ProbeRequest): Promise<ProbeResponse> {
    const request: ProviderRequest = {
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
      // Without a form, the body is empty and is not sent.
      body: new URLSearchParams(form).toString(),
      idempotent: false,
    }
    const deadline = new Deadline(this.timeout)
    let reader = new RecordingReader('exchange', false, request)
    const startedAt = performance.now()
    try {
      const transport = this.#poolsOf(url).transportTo(url.origin)
      const response = sendOverConnection((onNewConnection) => {
        if (onNewConnection) reader = new RecordingReader('exchange', true, request)
        return transport.send({ request, deadline, reader, onNewConnection })
      })
      const read = await readerOf(response)
      return { ...reader.received(), duration: performance.now() - startedAt, read }
    } catch (error) {
      throw this.#failure(error, url, deadline)
    } finally {
      deadline.clear()
    }
  }

  /**
   * Opens a connection by TLS, as one for a request, and closes it after the handshake. Nothing is sent, so neither its
   * certificate nor its protocol need be accepted.
   * @returns what is read of the handshake @throws ProbeError
   */
  async shakeHands<T>(url: URL, read: (socket: TLSSocket) => T): Promise<T> {
    const deadline = new Deadline(this.timeout)
    try {
      const connect = this.#connectTo(url)
      return await new Promise((resolve, reject) => {
        const inspect = (socket: TLSSocket): void => resolve(read(socket))
        connect(deadline.signal, inspect).then((socket) => socket.destroy(), reject)
      })
    } catch (error) {
      throw this.#failure(error, url, deadline)
    } finally {
      deadline.clear()
    }
  }

  /** Whether a server that prefers HTTP/2 speaks HTTP/1.1, too: it does not refuse the handshake of a request. */
  async speaksHTTP1(url: URL): Promise<boolean> {
    const deadline = new Deadline(this.timeout)
    try {
      const socket = await this.#connectTo(url)(deadline.signal)
      socket.destroy()
      return true
    } catch (error) {
      return errorCode(error) !== 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'
    } finally {
      deadline.clear()
    }
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await Promise.all([this.#typed?.close(), this.#others?.close()])
  }

  #connectTo(url: URL): Connect {
    return connectTo(url.origin, this.#poolsOf(url).connectOptionsOf(url.origin))
  }

  #poolsOf({ origin, hostname }: URL): ProviderPools {
    if (origin === this.origin) {
      this.#typed ??= this.#open(true)
      return this.#typed
    }
    // Behind a proxy, the address of a name is not known here.
    if (this.proxied || isLoopback(hostname) || isPrivateHost(hostname)) throw new PrivateAddressError()
    this.#others ??= this.#open(false)
    return this.#others
  }

  #failure(error: unknown, { origin }: URL, deadline: Deadline): ProbeError {
    if (errorCode(error) !== 'PRIVATE_ADDRESS') return ProbeError.of(error, deadline.expired, this.timeout)
    const why = this.proxied ? 'another host, which a proxy might find inside your network' : 'a private address'
    return new ProbeError(`It leads to ${origin}, ${why}, and no one typed it: nothing is requested there.`, NOT_ASKED)
  }

  #open(allowPrivateAddresses: boolean): ProviderPools {
    const { timeout, proxied } = this
    const proxyOf = proxied && proxiesOfEnvironment()
    return new ProviderPools({ proxyOf, timeout, allowPrivateAddresses, maxPools: DEFAULT_POOLS })
  }
}

function proxiesOfEnvironment(): ReturnType<typeof readProxies> {
  try {
    return readProxies()
  } catch {
    throw new ProbeError('The environment names a proxy by something that is no http(s) address.')
  }
}

/** What a login reads, or the outcome in which it ends. @throws any other error: there is no response */
async function readerOf(sent: Promise<ProviderResponse>): Promise<() => ProviderResponse> {
  try {
    const response = await sent
    return () => response
  } catch (error) {
    if (!(error instanceof SocialLoginError)) throw error
    return () => {
      throw error
    }
  }
}

/** The reader of a login; keeps the beginning of each body, also of those that a login leaves. */
class RecordingReader extends ResponseReader {
  readonly #bytes = Buffer.alloc(MAX_BODY_BYTES)
  #size = 0
  #isRead: boolean | undefined
  #status = 0
  #headers: IncomingHttpHeaders = {}

  override start(status: number, headers: IncomingHttpHeaders): boolean {
    this.#status = status
    this.#headers = headers
    this.#isRead = super.start(status, headers)
    return true
  }

  override add(chunk: Uint8Array): boolean {
    const isRead = this.#isRead && super.add(chunk)
    this.#size += Buffer.from(chunk).copy(this.#bytes, this.#size)
    // A page may be large, and its beginning says enough: the rest is not read, and its connection not used again.
    return isRead || this.#size < MAX_BODY_BYTES
  }

  received(): Omit<ProbeResponse, 'duration' | 'read'> {
    const body = this.#bytes.subarray(0, this.#size)
    const plain = decompress(body, this.#headers)
    const text = (typeof plain === 'string' ? body : plain).toString('utf8')
    return { status: this.#status, headers: this.#headers, text, ...readJSON(text) }
  }
}

/** The JSON of a body, even if something precedes it. */
function readJSON(text: string): Pick<ProbeResponse, 'json' | 'hasWarnings'> {
  const starts = [...text.matchAll(/[{[]/g)].slice(0, MAX_ATTEMPTS)
  for (const { index } of starts) {
    const json = tryParse(text.slice(index))
    if (Array.isArray(json) || isObject(json)) return { json, hasWarnings: text.slice(0, index).trim() !== '' }
  }
  return { json: undefined, hasWarnings: false }
}

function tryParse(text: string): JSONValue | undefined {
  try {
    return parseJSON(text)
  } catch {
    return undefined
  }
}
