import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { hasColours, type Style, styled } from '../command-line'
import type { Finding, Level, Observer } from './examination'

// As wide as the longest level, so that the messages are aligned.
const INDENT = 9
// Matches lines of at most 71 characters, unless a word is longer: with the indent, they have 80.
const LINES = /\S(?:.{0,69}\S)?(?!\S)|\S+/g
const COLOURS: Readonly<Record<Level, Style>> = { good: 'green', differs: 'yellow', broken: 'red' }
const ERASE_LINE = '\r\x1b[K'

/** Undefined for a pipe. */
interface MaybeTTY {
  readonly isTTY?: boolean | undefined
}

/** What the command is connected to; `process` is one. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & MaybeTTY
  readonly stdout: NodeJS.WritableStream & MaybeTTY
  readonly stderr: NodeJS.WritableStream & MaybeTTY
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Shows the findings as they come, and on a terminal what is being waited for. Asks the person at the terminal, or
 * reads lines of a pipe. Standard output is the report; the rest is on standard error.
 */
export class Screen implements Observer {
  #isWaiting = false
  #lines: Interface | undefined
  #answers: AsyncIterator<string> | undefined
  #isHidden = false

  /** @param isQuiet whether findings are not shown */
  constructor(
    private readonly terminal: Terminal,
    private readonly isQuiet: boolean,
  ) {}

  /** Whether there is someone to ask. */
  get isInteractive(): boolean {
    return this.terminal.stdin.isTTY === true
  }

  progress(text: string): void {
    if (!this.terminal.stderr.isTTY) return
    this.tell(`${text} ...`)
    this.#isWaiting = true
  }

  finding({ level, code, check, message }: Finding): void {
    if (this.isQuiet) return
    // Only findings that are not good need to be looked up.
    const suffix = level === 'good' ? '' : ` [${code}]`
    const lines = `${check}: ${message}${suffix}`.match(LINES) ?? []
    // The level is a word, so that no color is needed to see it.
    const start = this.#coloured(level) + ' '.repeat(INDENT - level.length)
    this.print(start + lines.join(`\n${' '.repeat(INDENT)}`))
  }

  /** Writes a text and a line break to the report. */
  print(text: string): void {
    this.#clear()
    this.terminal.stdout.write(`${text}\n`)
  }

  /** Writes a text that needs no answer. */
  tell(text: string): void {
    this.#clear()
    this.terminal.stderr.write(text)
  }

  /**
   * @param isHidden whether what is typed is not shown
   * @returns the answer, or undefined at the end of the input
   */
  async ask(question: string, isHidden = false): Promise<string | undefined> {
    this.#answers ??= this.#open()[Symbol.asyncIterator]()
    this.tell(question)
    this.#isHidden = isHidden
    const { value, done } = await this.#answers.next()
    this.#isHidden = false
    // The line break that was typed is hidden, too.
    if (isHidden) this.tell('\n')
    return done ? undefined : value
  }

  /** Releases the terminal. */
  close(): void {
    this.#clear()
    this.#lines?.close()
  }

  #clear(): void {
    if (this.#isWaiting) this.terminal.stderr.write(ERASE_LINE)
    this.#isWaiting = false
  }

  #coloured(level: Level): string {
    return hasColours(this.terminal) ? styled(COLOURS[level], level) : level
  }

  #open(): Interface {
    const { stdin, stderr } = this.terminal
    const echo = new Writable({
      write: (chunk, _encoding, done) => {
        if (!this.#isHidden) stderr.write(chunk)
        done()
      },
    })
    const lines = createInterface({ input: stdin, output: echo, terminal: this.isInteractive, historySize: 0 })
    // In the terminal's raw mode Ctrl+C is a key, and must still end the process.
    lines.once('SIGINT', () => {
      this.close()
      process.kill(process.pid, 'SIGINT')
    })
    this.#lines = lines
    return lines
  }
}
