import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import { ConfigError, reasonOf } from '../config'
import type { Logger } from './logger'

const MAX_REQUESTS_PER_CONNECTION = 100
// Longer than most load balancers keep a connection (a minute). Otherwise the server could close a connection at the
// moment at which the balancer sends a request on it.
const KEEP_ALIVE_MS = 75_000
// Browsers resolve `localhost` themselves; some try the IPv4 address first, some the IPv6 address.
const LOOPBACK = ['127.0.0.1', '::1']
const NO_SUCH_ADDRESS = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']
const CLOSING_INTERVAL_MS = 250
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
// npm forwards the SIGINT that the terminal has already sent to all processes. Signals within this time are one Ctrl-C.
const SAME_CTRL_C_MS = 500
const INTERRUPTED_EXIT_CODE = 130

/** The listening servers of the application: two for `localhost`, which has two addresses. */
interface Listening {
  readonly port: number
  /** The URL to open in a browser on this machine. */
  readonly url: string
  /** Starts answering requests with this listener. Earlier requests are answered with 503. */
  serve(app: RequestListener): void
  /** Resolves when the requests in progress have ended. */
  close(): Promise<void>
}

interface Opened {
  readonly closers: ReadonlyArray<() => Promise<void>>
  readonly taken: number
}

/** @throws ConfigError when the host or the port cannot be used */
export async function listen(host: string, port: number): Promise<Listening> {
  let handler: RequestListener = (_req, res) => res.writeHead(503, { 'Retry-After': '1' }).end()
  const { closers, taken } = await openServers(host, port, (req, res) => handler(req, res))
  return {
    port: taken,
    url: `http://${urlHost(host)}:${taken}`,
    serve: (app) => {
      handler = app
    },
    close: async () => void (await Promise.all(closers.map((close) => close()))),
  }
}

async function openServers(host: string, port: number, handler: RequestListener, attempts = 10): Promise<Opened> {
  const closers: Array<() => Promise<void>> = []
  let taken = port
  let failure: unknown
  for (const address of host === 'localhost' ? LOOPBACK : [host]) {
    const server = createServer(handler)
    // Limits how many pipelined requests a client can make Node process before it reads a response.
    server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION
    server.keepAliveTimeout = KEEP_ALIVE_MS
    const close = closerOf(server)
    try {
      taken = await listenAt(server, address, taken)
      closers.push(close)
    } catch (error) {
      failure = error
      // A machine without IPv6 has no ::1, and one without IPv4 has no 127.0.0.1.
      if (NO_SUCH_ADDRESS.includes(reasonOf(error))) continue
      for (const closeOther of closers) void closeOther()
      // The port that the system chose for IPv4 may be taken in IPv6, so try again with another one.
      if (port === 0 && attempts > 1 && isTaken(error)) return openServers(host, port, handler, attempts - 1)
      throw listenError(error, host, taken)
    }
  }
  if (closers.length === 0) throw listenError(failure, host, taken)
  return { closers, taken }
}

/** @returns the port of the server, which the system chooses if 0 is requested */
function listenAt(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function isTaken(error: unknown): boolean {
  return reasonOf(error) === 'EADDRINUSE'
}

function listenError(error: unknown, host: string, port: number): ConfigError {
  const reason = reasonOf(error)
  if (isTaken(error)) {
    return new ConfigError([`PORT cannot be used: port ${port} is taken: choose another one, or 0 for a free one.`])
  }
  const isHost = ['ENOTFOUND', 'EAI_AGAIN', ...NO_SUCH_ADDRESS].includes(reason)
  return new ConfigError([
    isHost
      ? `HOST cannot be used: ${host} is not an address of this machine (${reason}).`
      : `PORT cannot be used: ${reason}.`,
  ])
}

/** A server that listens on all addresses can be opened at `localhost`. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return isIPv6(host) ? `[${host}]` : host
}

/** Once draining has begun, each response tells its client to close the connection, so that none is cut off. */
export class Draining {
  readonly #underWay = new Map<Socket, Set<ServerResponse>>()
  #hasBegun = false

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  get requestsUnderWay(): number {
    return [...this.#underWay.values()].reduce((count, { size }) => count + size, 0)
  }

  begin(): void {
    this.#hasBegun = true
    for (const responses of this.#underWay.values()) for (const res of responses) closeAfterwards(res)
  }

  watch(app: RequestListener): RequestListener {
    return (req, res) => {
      const responses = this.#responsesOn(req.socket)
      responses.add(res)
      res.once('close', () => responses.delete(res))
      if (this.#hasBegun) closeAfterwards(res)
      app(req, res)
    }
  }

  /** Grouped by connection, because Node never closes a pipelined response whose connection ends before its turn. */
  #responsesOn(socket: Socket): Set<ServerResponse> {
    const known = this.#underWay.get(socket)
    if (known) return known
    const responses = new Set<ServerResponse>()
    // A connection that is closed already emits no further `close`, so it would never be removed from the map.
    if (!socket.destroyed) {
      this.#underWay.set(socket, responses)
      socket.once('close', () => this.#underWay.delete(socket))
    }
    return responses
  }
}

function closeAfterwards(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close')
}

/** @returns a function that closes the server and resolves when all requests and connections have ended */
function closerOf(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return () =>
    new Promise((resolve) => {
      const closing = setInterval(() => {
        server.closeIdleConnections()
        // Browsers open connections in advance. Node does not count one without any request as idle.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
      }, CLOSING_INTERVAL_MS)
      server.close(() => {
        clearInterval(closing)
        resolve()
      })
    })
}

/** Calls `stop` at the first signal and ignores further ones, except that a second Ctrl-C ends the process at once. */
export function onStopSignal(stop: () => Promise<void>, logger: Logger): void {
  let isStopping = false
  let interruptedAt: number | undefined
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (signal === 'SIGINT') {
        const now = performance.now()
        if (interruptedAt !== undefined && now - interruptedAt > SAME_CTRL_C_MS) process.exit(INTERRUPTED_EXIT_CODE)
        interruptedAt ??= now
      }
      if (isStopping) return
      isStopping = true
      logger.info({ signal }, 'stopping')
      void stop()
    })
  }
}
