import { createServer, type RequestListener, type Server } from 'node:http'
import { limits } from './limits'

function explained(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new Error(`Port ${port} on ${host} is taken: choose another one, or 0 for a free one`, { cause: error })
  }
  if (error.code === 'EACCES') {
    return new Error(`Port ${port} on ${host} may not be used: choose one from 1024`, { cause: error })
  }
  return new Error(`Cannot listen on port ${port} of ${host} (${error.code ?? error.message})`, { cause: error })
}

/** A server with time limits for slow clients and a limit on connections. */
export function createBoundedServer(listener: RequestListener): Server {
  const { headers, headersTimeout, requestTimeout, timeoutCheck } = limits
  const options = { maxHeaderSize: headers, headersTimeout, requestTimeout, connectionsCheckingInterval: timeoutCheck }
  const server = createServer(options, listener)
  server.maxConnections = limits.connections
  server.timeout = limits.idleTimeout
  return server
}

/** Listens. @returns the port */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => reject(explained(error, host, port))
    server.once('error', refused)
    server.listen(port, host, () => {
      server.off('error', refused)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** Closes a server with all its connections. */
export function shutDown(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
