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

/** Thrown when somebody presses Ctrl+C at a prompt. */
export class Interrupted extends Error {}

/** Questions to the person at the terminal, or lines of a pipe. Asked on standard error: standard output is the report. */
export class Prompt {
  readonly #input: TerminalInput
  readonly #output: TerminalOutput
  #lines: Interface | undefined
  readonly #waiting: string[] = []
  #next: { resolve(line: string | undefined): void; reject(error: Error): void } | undefined
  #isHidden = false
  #hasEnded = false

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

  /** @returns the answer, or undefined at the end of the input */
  ask(question: string): Promise<string | undefined> {
    return this.#read(question, false)
  }

  /** As {@link ask}, without showing what is typed. */
  async askHidden(question: string): Promise<string | undefined> {
    const answer = await this.#read(question, true)
    this.#output.write('\n')
    return answer
  }

  /** Gives the terminal back. */
  close(): void {
    this.#lines?.close()
    this.#lines = undefined
  }

  async #read(question: string, isHidden: boolean): Promise<string | undefined> {
    this.#open()
    this.#output.write(question)
    this.#isHidden = isHidden
    try {
      const line = this.#waiting.shift()
      if (line !== undefined || this.#hasEnded) return line
      return await new Promise((resolve, reject) => {
        this.#next = { resolve, reject }
      })
    } finally {
      this.#isHidden = false
      this.#next = undefined
    }
  }

  /** In the terminal's raw mode, Ctrl+C is a key: without a question, it must still end the process. */
  #interrupt(): void {
    if (this.#next) return this.#next.reject(new Interrupted('Interrupted.'))
    this.close()
    process.kill(process.pid, 'SIGINT')
  }

  #open(): void {
    if (this.#lines || this.#hasEnded) return
    const echo = new Writable({
      write: (chunk, _encoding, done) => {
        if (!this.#isHidden) this.#output.write(chunk)
        done()
      },
    })
    this.#lines = createInterface({ input: this.#input, output: echo, terminal: this.isInteractive, historySize: 0 })
    this.#lines.on('line', (line) => (this.#next ? this.#next.resolve(line) : this.#waiting.push(line)))
    this.#lines.on('SIGINT', () => this.#interrupt())
    this.#lines.on('close', () => {
      this.#hasEnded = true
      this.#next?.resolve(undefined)
    })
  }
}
