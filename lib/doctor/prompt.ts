import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'

/** Where text comes from: a terminal, or a pipe. */
export type TerminalInput = NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }

/** Where text goes to. */
export type TerminalOutput = NodeJS.WritableStream & { readonly isTTY?: boolean | undefined }

/** What the command is connected to; `process` is one. */
export interface Terminal {
  readonly stdin: TerminalInput
  readonly stdout: TerminalOutput
  readonly stderr: TerminalOutput
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Questions to the person at the terminal, or lines of a pipe. Asked on standard error: standard output is the report. */
export class Prompt {
  readonly #input: TerminalInput
  readonly #output: TerminalOutput
  #lines: Interface | undefined
  #answers: AsyncIterator<string> | undefined
  #isHidden = false

  constructor({ stdin, stderr }: Terminal) {
    this.#input = stdin
    this.#output = stderr
  }

  /** Whether there is a person to ask. */
  get isInteractive(): boolean {
    return this.#input.isTTY === true
  }

  /** Writes a text that needs no answer. */
  tell(text: string): void {
    this.#output.write(text)
  }

  /**
   * @param isHidden whether what is typed is not shown
   * @returns the answer, or undefined at the end of the input
   */
  async ask(question: string, isHidden = false): Promise<string | undefined> {
    this.#answers ??= this.#open()[Symbol.asyncIterator]()
    this.#output.write(question)
    this.#isHidden = isHidden
    const { value, done } = await this.#answers.next()
    this.#isHidden = false
    // The line break that was typed is hidden, too.
    if (isHidden) this.#output.write('\n')
    return done ? undefined : value
  }

  /** Gives the terminal back. */
  close(): void {
    this.#lines?.close()
  }

  #open(): Interface {
    const echo = new Writable({
      write: (chunk, _encoding, done) => {
        if (!this.#isHidden) this.#output.write(chunk)
        done()
      },
    })
    const lines = createInterface({ input: this.#input, output: echo, terminal: this.isInteractive, historySize: 0 })
    // In the terminal's raw mode Ctrl+C is a key, and must still end the process.
    lines.once('SIGINT', () => {
      this.close()
      process.kill(process.pid, 'SIGINT')
    })
    this.#lines = lines
    return lines
  }
}
