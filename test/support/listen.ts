import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'

/** A server that listens on a free port. `await using` stops it at the end of the test. */
export interface Listening extends AsyncDisposable {
  readonly server: Server
  readonly origin: string
  stop(): Promise<void>
}

/** Starts a server. The listener can also be added later, once the origin is known: `server.on('request', …)`. */
export async function listen(listener?: RequestListener, host = 'localhost'): Promise<Listening> {
  const server = createServer(listener).listen(0, host)
  await once(server, 'listening')
  const stop = (): Promise<void> => stopServer(server)
  return { server, origin: `http://${host}:${port(server)}`, stop, [Symbol.asyncDispose]: stop }
}

export function port(server: Pick<Server, 'address'>): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return address.port
}

/** Stops the server and its connections. Idempotent. */
export async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}
