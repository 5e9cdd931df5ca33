import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createTLSServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import type { Certified } from './certificates'
import { port, stopServer } from './listen'

/** A proxy of the environment: it connects every name to ports of this machine, as only a proxy could. */
export class TunnelProxy {
  /** What it was asked to connect to. */
  readonly asked: string[] = []
  /** The `Host` of each. */
  readonly hosts: (string | undefined)[] = []
  /** The `Proxy-Authorization` of each. */
  readonly authorizations: (string | undefined)[] = []
  /** Answers instead of opening a tunnel. */
  answer: ((socket: Socket) => unknown) | undefined
  readonly #sockets = new Set<Socket>()
  readonly #server: Server
  readonly #target: (asked: string) => number

  private constructor(
    target: (asked: string) => number,
    private readonly certified: Certified | undefined,
  ) {
    this.#target = target
    this.#server = certified ? createTLSServer(certified) : createServer()
    this.#server.on('connect', (request, socket) => this.#tunnel(request, socket))
    this.#server.on('tlsClientError', () => {})
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket)).on('error', () => {})
    })
  }

  /**
   * @param target the port of this machine for what it is asked to connect to
   * @param where the address at which it listens, and its certificate if it is asked by https
   */
  static async start(
    target: (asked: string) => number,
    where: { host?: string; certified?: Certified } = {},
  ): Promise<TunnelProxy> {
    const proxy = new TunnelProxy(target, where.certified)
    proxy.#server.listen(0, where.host ?? '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return this.certified ? `https://localhost:${port(this.#server)}` : `http://127.0.0.1:${port(this.#server)}`
  }

  /** How many connections are open. */
  get open(): number {
    return this.#sockets.size
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await stopServer(this.#server)
  }

  #tunnel({ url = '', headers }: IncomingMessage, socket: unknown): void {
    if (!isSocket(socket)) return
    this.asked.push(url)
    this.hosts.push(headers.host)
    this.authorizations.push(headers['proxy-authorization'])
    if (this.answer) {
      // A server of Node leaves it to its listeners to close a connection whose other side has.
      socket.resume().on('end', () => socket.destroy())
      return void this.answer(socket)
    }
    const upstream = connect(this.#target(url), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.pipe(socket).pipe(upstream)
    })
    upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
  }
}

function isSocket(stream: unknown): stream is Socket {
  return typeof stream === 'object' && stream !== null && 'setNoDelay' in stream
}

/** Sets variables of the environment until the returned function is called. */
export function setEnvironment(variables: Readonly<Record<string, string>>): () => void {
  const before = { ...process.env }
  Object.assign(process.env, variables)
  return () => {
    for (const name of Object.keys(variables)) delete process.env[name]
    Object.assign(process.env, before)
  }
}
