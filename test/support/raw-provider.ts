import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { setImmediate } from 'node:timers'
import {
  createServer as createTLSServer,
  type SecureContextOptions,
  Server as TLSServer,
  type TlsOptions,
} from 'node:tls'

/** One request as it arrived. */
export interface RawRequest {
  readonly endpoint: 'authorize' | 'user/me'
  readonly method: string
  readonly path: string
  readonly headers: string
  readonly body: string
}

/** Handles the socket instead of a response; `body` is what a working provider would send. */
export type Wire = (socket: Socket, body: string) => unknown

/** Handles a connection before anything is read from it. */
export type Greeting = (socket: Socket) => unknown

export const RAW_TOKEN = 'token-canary-c0ffee51de'
export const RAW_MARKER = 'provider-body-canary-77aa'

/** For tests of faults: a provider on bare sockets, for behaviour that HTTP libraries do not allow. */
export class RawProvider {
  readonly requests: RawRequest[] = []
  /** Number of accepted connections. */
  accepted = 0
  readonly #faults = new Map<RawRequest['endpoint'], Wire[]>()
  readonly #sockets = new Set<Socket>()
  readonly #server: Server
  #greeting: Greeting | undefined
  #armedAfterExchange: (() => unknown) | undefined
  #port = 0
  #closing: Promise<unknown> = Promise.resolve()
  #cutsHandshakes = false

  private constructor(
    readonly protocol: 'http' | 'https',
    tls?: TlsOptions,
  ) {
    // `secureConnection` for TLS: a failed handshake does not count as a connection.
    this.#server = tls ? createTLSServer(tls) : createServer()
    this.#server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => this.#welcome(socket))
    this.#server.on('tlsClientError', () => {})
    if (tls) this.#server.on('connection', (socket: Socket) => void (this.#cutsHandshakes && socket.destroy()))
  }

  static async start(tls?: TlsOptions): Promise<RawProvider> {
    const provider = new RawProvider(tls ? 'https' : 'http', tls)
    await provider.listen()
    return provider
  }

  get port(): number {
    return this.#port
  }

  get baseURL(): string {
    return `${this.protocol}://localhost:${this.#port}/api/v1`
  }

  /** How many connections are open. */
  get open(): number {
    return this.#sockets.size
  }

  /** Queues this handler for the next request to the endpoint. */
  failNext(endpoint: RawRequest['endpoint'], wire: Wire, times = 1): void {
    const waiting = this.#faults.get(endpoint) ?? []
    this.#faults.set(endpoint, [...waiting, ...Array.from({ length: times }, () => wire)])
  }

  /** Applies this to every connection from now on; called without one, stops. */
  greetWith(greeting?: Greeting): void {
    this.#greeting = greeting
  }

  /** Answers the next exchange, closes its connection, then calls `arm` to prepare the profile request's fault. */
  armAfterExchange(arm: () => unknown): void {
    this.#armedAfterExchange = arm
  }

  /** Uses this certificate from now on. */
  certify(options: SecureContextOptions): void {
    if (!(this.#server instanceof TLSServer)) throw new TypeError('no TLS here')
    this.#server.setSecureContext(options)
  }

  /** Whether TLS handshakes are cut from now on. */
  cutHandshakes(cut: boolean): void {
    this.#cutsHandshakes = cut
  }

  /** Stops listening; open connections stay. */
  refuse(): void {
    this.#closing = once(this.#server, 'close')
    this.#server.close()
  }

  async listen(): Promise<void> {
    if (!this.#port || this.#server.listening) return this.#open()
    for (const socket of this.#sockets) socket.destroy()
    await this.#closing
    return this.#open()
  }

  async #open(): Promise<void> {
    if (this.#server.listening) return
    this.#server.listen(this.#port, 'localhost')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
    this.#port = address.port
  }

  /** Closes every connection immediately, like a crashed server. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  /** Stops listening and closes every connection. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    if (!this.#server.listening) return
    this.#server.close()
    await once(this.#server, 'close')
  }

  clear(): void {
    this.requests.length = 0
    this.#faults.clear()
    this.#greeting = undefined
    this.#armedAfterExchange = undefined
    for (const socket of this.#sockets) socket.destroy()
  }

  #welcome(socket: Socket): void {
    this.accepted += 1
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => {})
    if (this.#greeting) return void this.#greeting(socket)
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      const request = readWhole(received)
      if (!request) return
      received = ''
      this.#answer(socket, request)
    })
  }

  #answer(socket: Socket, request: RawRequest): void {
    this.requests.push(request)
    const body = goodBody(request.endpoint)
    const wire = this.#faults.get(request.endpoint)?.shift()
    if (wire) return void wire(socket, body)
    const arm = request.endpoint === 'authorize' ? this.#armedAfterExchange : undefined
    if (!arm) return void socket.write(answer(body))
    this.#armedAfterExchange = undefined
    arm()
    socket.end(answer(body, 'connection: close\r\n'))
  }
}

/** The body of a working provider. */
export function goodBody(endpoint: RawRequest['endpoint']): string {
  if (endpoint === 'authorize') return JSON.stringify({ access_token: RAW_TOKEN })
  return JSON.stringify({ user_id: '1', user_name: 'ada', marker: RAW_MARKER })
}

/** Writes the same bytes until the client leaves. */
export const repeat =
  (head: string, bytes: string): Wire =>
  (socket) => {
    socket.write(head)
    const more = (): void => {
      if (!socket.destroyed) socket.write(bytes, () => setImmediate(more))
    }
    more()
  }

/** A complete, valid response with these bytes as its body. */
export function answer(body: string | Uint8Array, headers = '', status = '200 OK'): Buffer {
  const bytes = Buffer.from(body)
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\n${headers}\r\n`
  return Buffer.concat([Buffer.from(head), bytes])
}

function readWhole(text: string): RawRequest | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const headers = text.slice(0, end)
  const body = text.slice(end + 4)
  const length = Number(/content-length: *(\d+)/i.exec(headers)?.[1] ?? 0)
  if (body.length < length) return undefined
  const [method = '', path = ''] = headers.split(' ')
  return { endpoint: path.includes('user/me') ? 'user/me' : 'authorize', method, path, headers, body }
}
