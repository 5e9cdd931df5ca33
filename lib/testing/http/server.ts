import { createServer, type RequestListener, type Server } from 'node:http'
import { isIPv6 } from 'node:net'

/** Whether a name or an address is one of this machine. Parsing a long name as a URL would take quadratic time. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host)
}

/** Starts a server. @returns the server, and the origin of its address */
export function listen(listener: RequestListener, host: string, port: number): Promise<[Server, string]> {
  return new Promise((resolve, reject) => {
    const server = createServer(listener)
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      resolve([server, originFor(host, typeof address === 'object' && address !== null ? address.port : port)])
    })
  })
}

export function shutDown(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function originFor(host: string, port: number): string {
  // A wildcard address can be listened on, but not connected to.
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
}

/** Validates the `origin` option: scheme, host and port only. */
export function checkedOrigin(origin: string): string {
  const isWeb = URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol)
  if (!isWeb || new URL(origin).origin !== origin) {
    throw new TypeError('origin must be scheme, host and port, such as http://provider.test:4400')
  }
  return origin
}
