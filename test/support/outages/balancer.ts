import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { port as portOf } from '../listen'
import { healthAt } from './health-poller'

interface Backend {
  readonly port: number
  readonly agent: Agent
  isHealthy: boolean
}

const CHECK_INTERVAL_MS = 1000
const CHECK_TIMEOUT_MS = 1000

/**
 * A balancer like those of cloud providers: strict round robin over the processes whose `/healthz` returns 200, or over
 * all if none does. It keeps connections alive, tries another process when one refuses a connection, and retries a GET
 * once on a stale connection.
 */
export class Balancer {
  readonly #server: Server
  readonly #backends: Backend[] = []
  readonly #checking: NodeJS.Timeout
  #next = 0

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (req: IncomingMessage, res: ServerResponse) => {
      this.#serve(req, res).catch(() => res.destroy())
    })
    this.#checking = setInterval(() => {
      for (const backend of this.#backends) void this.#check(backend)
    }, CHECK_INTERVAL_MS)
  }

  static async start(): Promise<Balancer> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Balancer(server)
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`
  }

  add(port: number): void {
    this.#backends.push({ port, agent: new Agent({ keepAlive: true }), isHealthy: true })
  }

  remove(port: number): void {
    const index = this.#backends.findIndex((backend) => backend.port === port)
    for (const { agent } of this.#backends.splice(index, index < 0 ? 0 : 1)) agent.destroy()
  }

  async stop(): Promise<void> {
    clearInterval(this.#checking)
    for (const { agent } of this.#backends) agent.destroy()
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #check(backend: Backend): Promise<void> {
    backend.isHealthy = (await healthAt(backend.port, CHECK_TIMEOUT_MS)) === 200
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = Buffer.concat(await req.toArray())
    for (const backend of this.#inTurn()) {
      if ((await forward(backend, req, res, body)) === 'answered') return
      backend.isHealthy = false
    }
    res.writeHead(502, { 'x-from': 'balancer' }).end()
  }

  /** The next process, followed by the others. */
  #inTurn(): Backend[] {
    const healthy = this.#backends.filter(({ isHealthy }) => isHealthy)
    const usable = healthy.length > 0 ? healthy : this.#backends
    const first = this.#next++ % Math.max(1, usable.length)
    return [...usable.slice(first), ...usable.slice(0, first)]
  }
}

/** Resolves with `refused` if nothing was sent, so that another process can be tried. */
function forward(
  { port, agent }: Backend,
  req: IncomingMessage,
  res: ServerResponse,
  body: Buffer,
): Promise<'answered' | 'refused'> {
  const { method, url: path, headers } = req
  return new Promise((resolve) => {
    const sent = request({ port, host: '127.0.0.1', agent, method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, withoutHopByHop(answer))
      answer.pipe(res)
      answer.on('error', () => res.destroy())
      answer.on('close', () => resolve('answered'))
    })
    sent.on('error', (error) => {
      const code = 'code' in error ? error.code : undefined
      const isStale = code === 'ECONNRESET' && sent.reusedSocket && method === 'GET'
      if (code === 'ECONNREFUSED' || isStale) return resolve('refused')
      if (!res.headersSent) res.writeHead(502, { 'x-from': 'balancer' }).end()
      resolve('answered')
    })
    sent.end(body)
  })
}

function withoutHopByHop({ headers }: IncomingMessage) {
  const { connection: _connection, 'keep-alive': _keepAlive, 'transfer-encoding': _encoding, ...others } = headers
  return others
}
