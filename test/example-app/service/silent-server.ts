import { once } from 'node:events'
import { createServer, connect as openConnection, type Socket } from 'node:net'
import { port } from '../../support/app'

/** A server on a port of 127.0.0.1 that takes connections, and may say nothing to any of them. */
export interface TestServer {
  readonly port: number
  readonly sockets: ReadonlySet<Socket>
  close(): void
}

/** Takes connections and never answers. */
export function silentServer(): Promise<TestServer> {
  return serve(() => {})
}

/** A proxy that can stop to pass anything on. */
export interface FreezableProxy extends TestServer {
  /** @returns when something has been sent that goes nowhere */
  freeze(): Promise<void>
}

/** Passes everything on to another port, until it is frozen: then nothing, and nobody learns that anybody has gone. */
export async function proxyTo(target: number): Promise<FreezableProxy> {
  const pairs = new Map<Socket, Socket>()
  const server = await serve((socket) => {
    const behind = openConnection({ port: target, host: '127.0.0.1' })
    behind.on('error', () => {})
    behind.pipe(socket)
    socket.pipe(behind)
    socket.once('close', () => behind.destroy())
    pairs.set(socket, behind)
  })
  return {
    ...server,
    freeze: () =>
      new Promise((resolve) => {
        for (const [socket, behind] of pairs) {
          behind.unpipe(socket)
          socket.unpipe(behind)
          socket.once('data', () => resolve())
          socket.resume()
        }
      }),
  }
}

async function serve(onConnection: (socket: Socket) => void): Promise<TestServer> {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: port(server),
    sockets,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
