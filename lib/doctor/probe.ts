import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { buildConnector, Client, EnvHttpProxyAgent, errors } from 'undici/index.js'
import { RESPONSE_LIMITS } from '../client/http/pool'
import { publicLookup, refusePrivate } from './private-address'
import { ProbeError } from './probe-error'
import { type ProbeResponse, ResponseRecorder } from './probe-response'

// Chunk extensions, early hints and trailers do not count as body.
const MAX_WIRE_BYTES = 256 * 1024

/** A request of the doctor. */
export interface ProbeRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
  /** Another `User-Agent`, or none (`null`). */
  readonly userAgent?: string | null | undefined
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
 * Sends requests one at a time, and limits what comes back in time and bytes. Follows no redirect, keeps no cookie,
 * checks certificates.
 */
export class Probe {
  readonly #options: ProbeOptions
  #dispatcher: Dispatcher | undefined
  #origin = ''
  #socket: Socket | undefined
  #bytesBefore = 0
  #connections = 0
  #requests = 0
  /** The `User-Agent` of requests that name none. */
  userAgent: string

  constructor(options: ProbeOptions) {
    this.#options = options
    this.userAgent = options.userAgent
  }

  /** How many requests were sent to the present origin, on how many connections. */
  get traffic(): { readonly requests: number; readonly connections: number } {
    return { requests: this.#requests, connections: this.#connections }
  }

  /** @throws ProbeError if there is no complete response */
  async send({ method, url, headers, form, userAgent = this.userAgent }: ProbeRequest): Promise<ProbeResponse> {
    const dispatcher = this.#dispatcherFor(url)
    const recorder = new ResponseRecorder(this.#options.timeout)
    this.#requests += 1
    this.#bytesBefore = this.#socket?.bytesRead ?? 0
    dispatcher.dispatch(
      {
        origin: url.origin,
        method,
        path: url.pathname + url.search,
        headers: {
          ...(userAgent !== null && { 'user-agent': userAgent }),
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...headers,
        },
        body: form ? new URLSearchParams(form).toString() : null,
      },
      recorder,
    )
    return recorder.response
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    await this.#dispatcher?.destroy()
  }

  #dispatcherFor(url: URL): Dispatcher {
    const { origin, hostname } = url
    if (this.#dispatcher && this.#origin === origin) return this.#dispatcher
    const isTrusted = hostname === this.#options.trustedHost
    if (!isTrusted) this.#refuseForeign(url)
    this.#dispatcher?.destroy().catch(() => {})
    const connect = {
      timeout: this.#options.timeout,
      ...(!isTrusted && { lookup: publicLookup }),
      rejectUnauthorized: true,
    }
    this.#origin = origin
    this.#connections = 0
    this.#requests = 0
    this.#dispatcher = this.#options.proxied
      ? proxyAgent()
      : new Client(origin, { ...RESPONSE_LIMITS, connect: this.#watched(buildConnector(connect)) })
    return this.#dispatcher
  }

  #refuseForeign(url: URL): void {
    // What the name resolves to is known to the proxy alone, and `NO_PROXY` may name hosts of the own network.
    if (this.#options.proxied) throw ProbeError.behindProxy()
    refusePrivate(url)
  }

  #watched(connect: ReturnType<typeof buildConnector>): ReturnType<typeof buildConnector> {
    return (options, callback) =>
      connect(options, (...result) => {
        if (result[1]) this.#watch(result[1])
        callback(...result)
      })
  }

  #watch(socket: Socket): void {
    this.#connections += 1
    this.#socket = socket
    this.#bytesBefore = 0
    socket.on('readable', () => {
      const bytes = socket.bytesRead - this.#bytesBefore
      if (bytes > MAX_WIRE_BYTES) socket.destroy(new errors.ResponseExceededMaxSizeError())
    })
  }
}

function proxyAgent(): Dispatcher {
  try {
    return new EnvHttpProxyAgent({ ...RESPONSE_LIMITS, requestTls: { rejectUnauthorized: true } })
  } catch {
    throw new ProbeError('The environment names a proxy by something that is no http(s) address.')
  }
}
