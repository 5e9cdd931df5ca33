import type { Socket } from 'node:net'

// Servers drop connections on which nobody asks anything: nginx after a minute, Apache after 20 seconds.
const MAX_AGE_MS = 50_000
// So that it lasts while a person whose login starts now is on the provider's page.
const FRESH_MS = 10_000

/** Keeps one open socket for later, until somebody takes it, the server gives it up, or it is too old. */
export class SpareSocket {
  #socket: Socket | undefined
  #keptAt = 0
  #timer: NodeJS.Timeout | undefined

  /** Whether there is one, and young enough to be there for some time yet. */
  get isFresh(): boolean {
    return this.#socket !== undefined && Date.now() - this.#keptAt < FRESH_MS
  }

  /** Keeps this one instead of any other. */
  keep(socket: Socket): void {
    this.drop()
    this.#socket = socket
    this.#keptAt = Date.now()
    // A server that ends, or speaks before it is asked, has given the connection up.
    for (const event of ['readable', 'end', 'close', 'error']) socket.on(event, this.drop)
    this.#timer = setTimeout(this.drop, MAX_AGE_MS).unref()
    // A connection that may never be used keeps no process alive.
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
