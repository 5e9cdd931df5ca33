import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A proxy that simulates a distant Postgres: it delays traffic and counts statements. */
export interface PostgresProxy {
  readonly url: string
  /** Statements since the last call, and the longest sequence of dependent ones. */
  statements(): { readonly count: number; readonly inARow: number; readonly texts: readonly string[] }
  /** Resolves when all of them have been answered. */
  settled(): Promise<void>
  /** Forwards no bytes from now on, like a firewall that dropped its connection table. */
  silence(): void
  /** Resets each open connection at its next use, like a firewall that rejects what it does not know any more. */
  forget(): void
  /** Closes all connections, and new ones at once. */
  close(): void
  /** Executes the next statement that contains this text, and resets the connection instead of answering. */
  loseAnswerTo(text: string): void
  /** How many answers were lost. */
  lostAnswers(): number
  /** New connections work; earlier ones stay as they are. */
  restore(): void
  stop(): Promise<void>
}

const LENGTH_BYTES = 4
// The end of an answer, before the byte of the transaction's status.
const READY_FOR_QUERY = Buffer.from('Z\0\0\0\x05')

/** @param delayMs of a round trip */
export async function startPostgresProxy(databaseURL: string, delayMs = 0): Promise<PostgresProxy> {
  const target = new URL(databaseURL)
  const sockets = new Set<Socket>()
  const counter = new StatementCounter()
  let isSilent = false
  let isClosed = false
  let lost: string | undefined
  let lostAnswers = 0
  const server = createServer((client) => {
    if (isClosed) {
      client.destroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay())
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    if (isSilent) return
    const seen = counter.connection()
    let losesAnswer = false
    client.on('data', (bytes) => {
      if (lost !== undefined && bytes.includes(lost)) {
        losesAnswer = true
        lost = undefined
      }
      seen.sent(bytes)
      setTimeout(() => upstream.write(bytes), delayMs / 2)
    })
    upstream.on('data', (bytes) => {
      if (losesAnswer) {
        if (!bytes.subarray(-6, -1).equals(READY_FOR_QUERY)) return
        lostAnswers += 1
        client.resetAndDestroy()
        return
      }
      setTimeout(() => {
        seen.received(bytes)
        client.write(bytes)
      }, delayMs / 2)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(databaseURL)
  url.port = String(typeof address === 'object' ? address?.port : '')
  return {
    url: url.href,
    statements: () => counter.take(),
    async settled() {
      while (counter.underWay > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    },
    silence() {
      isSilent = true
      for (const socket of sockets) socket.removeAllListeners('data').pause()
    },
    forget() {
      for (const socket of sockets) socket.removeAllListeners('data').on('data', () => socket.resetAndDestroy())
    },
    close() {
      isClosed = true
      for (const socket of sockets) socket.destroy()
    },
    loseAnswerTo(text) {
      lost = text
    },
    lostAnswers: () => lostAnswers,
    restore() {
      isSilent = false
      isClosed = false
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Reads the protocol: Query and Parse are statements, ReadyForQuery ends one. */
class StatementCounter {
  #texts: string[] = []
  /** Length of the longest sequence of ended statements. */
  #ended = 0
  underWay = 0

  take() {
    const taken = { count: this.#texts.length, inARow: this.#ended, texts: this.#texts }
    this.#texts = []
    this.#ended = 0
    return taken
  }

  connection() {
    // The first message of a client has no type.
    const requests = new MessageReader(true)
    const answers = new MessageReader(false)
    let row = 0
    return {
      sent: (bytes: Buffer): void =>
        requests.read(bytes, (type, body) => {
          if (type !== 'Q' && type !== 'P') return
          this.#texts.push(body.toString().replace(/^\0/, '').replace(/\s+/g, ' ').slice(0, 100))
          row = this.#ended + 1
          this.underWay += 1
        }),
      received: (bytes: Buffer): void =>
        answers.read(bytes, (type) => {
          if (type !== 'Z' || row === 0) return
          this.#ended = Math.max(this.#ended, row)
          this.underWay -= 1
          row = 0
        }),
    }
  }
}

class MessageReader {
  #rest: Buffer = Buffer.alloc(0)
  #isStart: boolean

  constructor(beginsWithoutType: boolean) {
    this.#isStart = beginsWithoutType
  }

  read(bytes: Buffer, onMessage: (type: string, body: Buffer) => void): void {
    this.#rest = Buffer.concat([this.#rest, bytes])
    for (;;) {
      const head = this.#isStart ? 0 : 1
      if (this.#rest.length < head + LENGTH_BYTES) return
      const end = head + this.#rest.readUInt32BE(head)
      if (this.#rest.length < end) return
      const type = this.#isStart ? 'start' : String.fromCharCode(this.#rest[0] ?? 0)
      onMessage(type, this.#rest.subarray(head + LENGTH_BYTES, end))
      this.#rest = this.#rest.subarray(end)
      this.#isStart = false
    }
  }
}
