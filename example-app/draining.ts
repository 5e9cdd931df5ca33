import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const CLOSING_INTERVAL_MS = 250

/** From its beginning on, each answer is the last of its connection: its client is told, and is never cut off. */
export class Draining {
  readonly #underWay = new Set<ServerResponse>()
  #hasBegun = false

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  get requestsUnderWay(): number {
    return this.#underWay.size
  }

  begin(): void {
    this.#hasBegun = true
    for (const res of this.#underWay) closeAfterwards(res)
  }

  watch(app: RequestListener): RequestListener {
    return (req, res) => {
      this.#underWay.add(res)
      res.once('close', () => this.#underWay.delete(res))
      if (this.#hasBegun) closeAfterwards(res)
      app(req, res)
    }
  }
}

function closeAfterwards(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close')
}

/** @returns what closes the server: it resolves when the requests under way, and their connections, have ended. */
export function closerOf(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return () =>
    new Promise((resolve) => {
      const closing = setInterval(() => {
        server.closeIdleConnections()
        // What browsers open in advance: to Node, a connection without any request is not idle.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
      }, CLOSING_INTERVAL_MS)
      server.close(() => {
        clearInterval(closing)
        resolve()
      })
    })
}
