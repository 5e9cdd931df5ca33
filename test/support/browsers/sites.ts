import { once } from 'node:events'
import type { IncomingMessage, RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import { Agent } from 'undici'
import { makeCertificate } from '../certificates'
import { port, stopServer } from '../listen'

/** The host names of the live tests: three sites and a subdomain of the first. */
export const HOSTS = ['app.test', 'sub.app.test', 'provider.test', 'evil.test'] as const
export type Host = (typeof HOSTS)[number]

/** Makes Chromium resolve them. */
export const RESOLVER_RULES = `MAP *.test 127.0.0.1`

/** Several sites over HTTPS, on one port of 127.0.0.1. */
export class Sites {
  /** For requests of servers to the same names, with the same certificate. */
  readonly dispatcher: Agent
  readonly port: number
  readonly #server: Server
  readonly #listeners = new Map<string, RequestListener>()

  private constructor(server: Server, cert: string) {
    this.#server = server
    this.port = port(server)
    this.dispatcher = new Agent({
      connect: { ca: cert, lookup: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }], 4) },
    })
    // The browser keeps its connections from test to test, and each test's provider listens for their end.
    server.on('secureConnection', (socket) => socket.setMaxListeners(0))
    server.on('request', (req: IncomingMessage, res) => {
      const listener = this.#listeners.get((req.headers.host ?? '').split(':', 1).join())
      if (listener) listener(req, res)
      else res.writeHead(404).end()
    })
  }

  static async start(): Promise<Sites> {
    // Made at run time, because one in the repository would expire.
    const { key, cert } = makeCertificate(HOSTS)
    const server = createServer({ key, cert }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Sites(server, cert)
  }

  origin(host: Host): string {
    return `https://${host}:${this.port}`
  }

  /** Sets the listener of the host. */
  serve(host: Host, listener: RequestListener): void {
    this.#listeners.set(host, listener)
  }

  async stop(): Promise<void> {
    await this.dispatcher.destroy()
    await stopServer(this.#server)
  }
}
