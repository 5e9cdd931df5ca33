import { styleText } from 'node:util'
import type { Finding, Level, Observer } from './examination'
import { findingLines } from './report'

const COLOURS: Readonly<Record<Level, 'green' | 'yellow' | 'red'>> = { good: 'green', differs: 'yellow', broken: 'red' }
const ERASE_LINE = '\r\x1b[K'

/** Shows the findings as they come, and on a terminal what is being waited for. */
export class Screen implements Observer {
  readonly #isQuiet: boolean
  #isWaiting = false

  /** @param isQuiet whether only the progress is shown */
  constructor(isQuiet: boolean) {
    this.#isQuiet = isQuiet
  }

  progress(text: string): void {
    if (!process.stderr.isTTY) return
    this.clear()
    process.stderr.write(`${text} ...`)
    this.#isWaiting = true
  }

  finding(finding: Finding): void {
    this.clear()
    if (!this.#isQuiet) console.log(findingLines(finding, (level) => coloured(level)))
  }

  /** Removes what is being waited for. */
  clear(): void {
    if (this.#isWaiting) process.stderr.write(ERASE_LINE)
    this.#isWaiting = false
  }
}

function coloured(level: Level): string {
  const hasColour = process.stdout.isTTY && !process.env['NO_COLOR']
  return hasColour ? styleText(COLOURS[level], level) : level
}
