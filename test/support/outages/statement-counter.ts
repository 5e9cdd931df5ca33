/** Counts what clients of Postgres send, from the bytes of their connections. */
export class StatementCounter {
  statements = 0
  /** Times that a client waits for the server: a simple query, or the end of an extended one. */
  roundTrips = 0

  /** What receives the bytes of one connection. */
  readonly observe = (): ((bytes: Buffer) => void) => {
    let rest = Buffer.alloc(0)
    let hasStarted = false
    return (bytes) => {
      rest = Buffer.concat([rest, bytes])
      for (;;) {
        // The first message of a connection has no type in front of its length.
        const typeLength = hasStarted ? 1 : 0
        if (rest.length < typeLength + 4) return
        const end = typeLength + rest.readInt32BE(typeLength)
        if (rest.length < end) return
        if (hasStarted) this.#count(String.fromCharCode(rest[0] ?? 0))
        hasStarted = true
        rest = rest.subarray(end)
      }
    }
  }

  #count(type: string): void {
    if (type === 'Q' || type === 'E') this.statements += 1
    if (type === 'Q' || type === 'S') this.roundTrips += 1
  }
}
