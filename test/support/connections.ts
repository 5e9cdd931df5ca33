import type { Server } from 'node:net'

/** The connections to a server. */
export interface Connections {
  /** Accepted ones since the beginning. */
  readonly accepted: number
  readonly open: number
}

/** Counts the connections to a server from now on. */
export function countConnections(server: Server): Connections {
  const count = { accepted: 0, open: 0 }
  server.on('connection', (socket) => {
    count.accepted += 1
    count.open += 1
    socket.on('close', () => {
      count.open -= 1
    })
  })
  return count
}
