import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Certified } from '../../support/certificates'

/** A proxy that makes a Postgres without TLS one with TLS, as the certificate's host `localhost`. */
export interface PostgresTLSProxy {
  readonly url: string
  /** Cuts all connections; new ones get this certificate. */
  certify(certified: Certified): void
  stop(): Promise<void>
}

export async function startPostgresTLSProxy(databaseURL: string, first: Certified): Promise<PostgresTLSProxy> {
  const target = new URL(databaseURL)
  const sockets = new Set<Socket>()
  let certified = first
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    // The first message of a client asks for TLS, and is answered with this letter.
    client.once('data', () => {
      client.write('S')
      const secure = new TLSSocket(client, { isServer: true, secureContext: createSecureContext({ ...certified }) })
      secure.on('error', () => client.destroy())
      secure.pipe(upstream).pipe(secure)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(databaseURL)
  url.host = `localhost:${typeof address === 'object' ? address?.port : ''}`
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    certify(next) {
      certified = next
      cut()
    },
    async stop() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
