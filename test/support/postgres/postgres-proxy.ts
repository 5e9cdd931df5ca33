import type { Server } from 'node:net'
import { listening, type Pair, TCPProxy } from '../tcp-proxy'

// The end of an answer, before the byte of the transaction's status.
const READY_FOR_QUERY = Buffer.from('Z\0\0\0\x05')

/** For tests of outages: a proxy in front of a database that counts statements, and can lose the answer to one. */
export class PostgresProxy extends TCPProxy {
  readonly url: string
  /** How many statements were answered, and how many connections opened. */
  answers = 0
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

  /** Executes the next statement that contains this text, and resets the connection instead of answering. */
  loseAnswerTo(text: string): void {
    this.#lost = text
  }

  protected override observe({ client }: Pair) {
    let losesAnswer = false
    return {
      sent: (bytes: Buffer): void => {
        if (this.#lost === undefined || !bytes.includes(this.#lost)) return
        losesAnswer = true
        this.#lost = undefined
      },
      received: (bytes: Buffer): boolean => {
        const isEnd = bytes.subarray(-6, -1).equals(READY_FOR_QUERY)
        if (isEnd) this.answers += 1
        if (losesAnswer && isEnd) {
          this.lostAnswers += 1
          client.resetAndDestroy()
        }
        return !losesAnswer
      },
    }
  }
}
