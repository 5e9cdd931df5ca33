import { styleText } from 'node:util'
import type { Finding, Level, Observer } from './examination'
import { findingLines } from './report'
import type { Terminal } from './terminal'

const COLOURS: Readonly<Record<Level, 'green' | 'yellow' | 'red'>> = { good: 'green', differs: 'yellow', broken: 'red' }
const ERASE_LINE = '\r\x1b[K'

/** Shows the findings as they come, and on a terminal what is being waited for. */
export class Screen implements Observer {
  readonly #terminal: Terminal
  readonly #isQuiet: boolean
  #isWaiting = false

  /** @param isQuiet whether only the progress is shown */
  constructor(terminal: Terminal, isQuiet: boolean) {
    this.#terminal = terminal
    this.#isQuiet = isQuiet
  }

  progress(text: string): void {
    if (!this.#terminal.stderr.isTTY) return
    this.clear()
    this.#terminal.stderr.write(`${text} ...`)
    this.#isWaiting = true
  }

  finding(finding: Finding): void {
    this.clear()
    if (!this.#isQuiet) this.print(findingLines(finding, (level) => this.#coloured(level)))
  }

  /** Removes what is being waited for. */
  clear(): void {
    if (this.#isWaiting) this.#terminal.stderr.write(ERASE_LINE)
    this.#isWaiting = false
  }

  /** Writes a text and a line break to standard output. */
  print(text: string): void {
    this.#terminal.stdout.write(`${text}\n`)
  }

  #coloured(level: Level): string {
    const { stdout, env } = this.#terminal
    return stdout.isTTY && !env['NO_COLOR'] ? styleText(COLOURS[level], level) : level
  }
}
