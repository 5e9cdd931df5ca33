import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const CLOSING_INTERVAL_MS = 250

/** From its beginning on, each answer is the last of its connection: its client is told, and is never cut off. */
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

  /** By connection: a response whose turn has not come when its connection ends is never closed by Node. */
  #responsesOn(socket: Socket): Set<ServerResponse> {
    const known = this.#underWay.get(socket)
    if (known) return known
    const responses = new Set<ServerResponse>()
    // One that is closed already would never be removed.
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
