import type { Socket } from 'node:net'

// Servers drop idle connections: nginx after a minute, Apache after 20 seconds.
const SPARE_MAX_AGE_MS = 50_000
// A younger spare connection serves a new start, too: it outlasts the person's visit to the provider's page.
const SPARE_FRESH_MS = 10_000

/** Keeps one open socket until it is taken, the server closes it, or it is too old. */
export class SpareSocket {
  #socket: Socket | undefined
  #keptAt = 0
  #timer: NodeJS.Timeout | undefined

  /** Whether there is a socket young enough to last for a while. */
  get isFresh(): boolean {
    return this.#socket !== undefined && Date.now() - this.#keptAt < SPARE_FRESH_MS
  }

  /** Replaces any socket held before. */
  keep(socket: Socket): void {
    this.drop()
    this.#socket = socket
    this.#keptAt = Date.now()
    // A server that closes the connection, or sends anything before a request, will not serve a request on it.
    for (const event of ['readable', 'end', 'close', 'error']) socket.on(event, this.drop)
    this.#timer = setTimeout(this.drop, SPARE_MAX_AGE_MS).unref()
    // An unused connection must not keep the process alive.
    socket.unref()
  }

  take(): Socket | undefined {
    const socket = this.#socket
    this.#socket = undefined
    clearTimeout(this.#timer)
    for (const event of ['readable', 'end', 'close', 'error']) socket?.off(event, this.drop)
    return socket?.ref()
  }

  readonly drop = (): void => {
    this.take()
      ?.on('error', () => {})
      .destroy()
  }
}
