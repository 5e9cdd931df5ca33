import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'undici'
import { port, stopServer } from '../listen'

/** The host names of the live tests: three sites and a subdomain of the first. */
export const HOSTS = ['app.test', 'sub.app.test', 'provider.test', 'evil.test'] as const
export type Host = (typeof HOSTS)[number]

/** Makes Chromium resolve them. */
export const RESOLVER_RULES = `MAP *.test 127.0.0.1`

/** A self-signed certificate for all of them, made at run time, because one in the repository would expire. */
function makeCertificate(): { key: Buffer; cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'sites-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const names = HOSTS.map((host) => `DNS:${host}`).join()
  const wanted = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-days', '2', '-subj', '/CN=app.test']
  const args = ['req', '-x509', '-nodes', ...wanted, '-addext', `subjectAltName=${names}`, '-keyout', key, '-out', cert]
  try {
    execFileSync('openssl', args, { stdio: 'pipe' })
    return { key: readFileSync(key), cert: readFileSync(cert) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Several sites over HTTPS, on one port of 127.0.0.1. */
export class Sites {
  /** For requests of servers to the same names, with the same certificate. */
  readonly dispatcher: Agent
  readonly port: number
  readonly #server: Server
  readonly #listeners = new Map<string, RequestListener>()

  private constructor(server: Server, cert: Buffer) {
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
    const { key, cert } = makeCertificate()
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
