import type { Server } from 'node:net'
import { listening, type Pair, TCPProxy } from '../tcp-proxy'

const LENGTH_BYTES = 4
// The end of an answer, before the byte of the transaction's status.
const READY_FOR_QUERY = Buffer.from('Z\0\0\0\x05')

/** For tests of outages: a proxy in front of a database that counts statements, and can lose the answer to one. */
export class PostgresProxy extends TCPProxy {
  readonly url: string
  #texts: string[] = []
  #underWay = 0
  #lost: string | undefined
  /** How many answers were lost. */
  lostAnswers = 0

  private constructor(databaseURL: string, server: Server) {
    super(Number(new URL(databaseURL).port), server)
    this.url = Object.assign(new URL(databaseURL), { port: String(this.port) }).href
  }

  static async inFrontOf(databaseURL: string): Promise<PostgresProxy> {
    return new PostgresProxy(databaseURL, await listening())
  }

  /** The statements since the last call, once all have been answered. */
  async statements(): Promise<readonly string[]> {
    while (this.#underWay > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    return this.#texts.splice(0)
  }

  /** Executes the next statement that contains this text, and resets the connection instead of answering. */
  loseAnswerTo(text: string): void {
    this.#lost = text
  }

  protected override observe({ client }: Pair) {
    // The first message of a client has no type.
    const [requests, answers] = [new MessageReader(true), new MessageReader(false)]
    let isWaiting = false
    let losesAnswer = false
    return {
      sent: (bytes: Buffer): void => {
        if (this.#lost !== undefined && bytes.includes(this.#lost)) {
          losesAnswer = true
          this.#lost = undefined
        }
        requests.read(bytes, (type, body) => {
          // Query and Parse are statements, ReadyForQuery ends them.
          if (type !== 'Q' && type !== 'P') return
          this.#texts.push(body.toString().replace(/^\0/, '').replace(/\s+/g, ' ').slice(0, 100))
          if (!isWaiting) this.#underWay += 1
          isWaiting = true
        })
      },
      received: (bytes: Buffer): boolean => {
        answers.read(bytes, (type) => {
          if (type === 'Z' && isWaiting) {
            isWaiting = false
            this.#underWay -= 1
          }
        })
        if (losesAnswer && bytes.subarray(-6, -1).equals(READY_FOR_QUERY)) {
          this.lostAnswers += 1
          client.resetAndDestroy()
        }
        return !losesAnswer
      },
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
