import { createServer, type RequestListener, type Server } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import onHeaders from 'on-headers'
import { ConfigError } from '../config'
import { reasonOf } from '../storage/database'
import type { Logger } from './logger'

// This is longer than most load balancers keep a connection (a minute). Otherwise the server could close a connection
// at the moment at which the balancer sends a request on it.
const KEEP_ALIVE_MS = 75_000
// Browsers resolve `localhost` themselves; some try the IPv4 address first, some the IPv6 address.
const LOOPBACK = ['127.0.0.1', '::1']
const NO_SUCH_ADDRESS = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']
const CLOSING_INTERVAL_MS = 250
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

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

/** @throws ConfigError when the host or the port cannot be used */
export async function listen(host: string, port: number): Promise<Listening> {
  let handler: RequestListener = (_req, res) => res.writeHead(503, { 'Retry-After': '1' }).end()
  const closers: Array<() => Promise<void>> = []
  let taken = port
  for (const address of host === 'localhost' ? LOOPBACK : [host]) {
    const server = createServer((req, res) => handler(req, res))
    server.keepAliveTimeout = KEEP_ALIVE_MS
    try {
      taken = await listenAt(server, address, taken)
      closers.push(closerOf(server))
    } catch (error) {
      // A machine without IPv6 has no ::1, and a port that the system chose for IPv4 may be taken in IPv6.
      const isSpare = closers.length > 0 && (NO_SUCH_ADDRESS.includes(reasonOf(error)) || port === 0)
      if (!isSpare) throw listenError(error, taken)
    }
  }
  return {
    port: taken,
    url: `http://${urlHost(host)}:${taken}`,
    serve: (app) => {
      handler = app
    },
    close: async () => void (await Promise.all(closers.map((close) => close()))),
  }
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

function listenError(error: unknown, port: number): ConfigError {
  const reason = reasonOf(error)
  if (reason === 'EADDRINUSE') {
    return new ConfigError([`PORT cannot be used: port ${port} is taken: choose another one, or 0 for a free one`])
  }
  const isHost = ['ENOTFOUND', 'EAI_AGAIN', ...NO_SUCH_ADDRESS].includes(reason)
  return new ConfigError([
    isHost ? `HOST cannot be used: it is not an address of this machine (${reason})` : `PORT cannot be used: ${reason}`,
  ])
}

/** A server that listens on all addresses can be opened at `localhost`. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return isIPv6(host) ? `[${host}]` : host
}

/** While the process is stopping, each response tells its client to close the connection, so that none is cut off. */
export function closingConnections(app: RequestListener, isStopping: () => boolean): RequestListener {
  return (req, res) => {
    // The header is set when the response starts, because the process may have been told to stop in the meantime.
    onHeaders(res, () => {
      if (isStopping()) res.setHeader('Connection', 'close')
    })
    app(req, res)
  }
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

/** Calls `stop` at the first signal. Others are ignored: npm forwards the Ctrl-C that the terminal has already sent. */
export function onStopSignal(stop: () => Promise<void>, logger: Logger): void {
  let isStopping = false
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (isStopping) return
      isStopping = true
      logger.info({ signal }, 'stopping')
      void stop()
    })
  }
}
