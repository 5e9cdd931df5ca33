/** Counts statements of Postgres clients in the bytes of their connections. */
export class StatementCounter {
  statements = 0
  /** Those that change rows. */
  writes = 0
  /** Round trips: a simple query, or the end of an extended one. */
  roundTrips = 0

  /** Creates a consumer for the bytes of one connection. */
  readonly observe = (): ((bytes: Buffer) => void) => {
    let rest = Buffer.alloc(0)
    let hasStarted = false
    return (bytes) => {
      rest = Buffer.concat([rest, bytes])
      for (;;) {
        // The first message of a connection has no type before its length.
        const typeLength = hasStarted ? 1 : 0
        if (rest.length < typeLength + 4) return
        const end = typeLength + rest.readInt32BE(typeLength)
        if (rest.length < end) return
        if (hasStarted) this.#count(rest.subarray(0, end).toString('latin1'))
        hasStarted = true
        rest = rest.subarray(end)
      }
    }
  }

  #count(message: string): void {
    const [type = ''] = message
    if (type === 'Q' || type === 'E') this.statements += 1
    if (type === 'Q' || type === 'S') this.roundTrips += 1
    // The statement's text in Query or Parse, after the length and (for Parse) an empty name.
    if ((type === 'Q' || type === 'P') && /^.{4}\0?\s*(insert|update|delete|with)\b/is.test(message.slice(1)))
      this.writes += 1
  }
}
