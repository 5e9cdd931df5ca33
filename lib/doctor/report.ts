import { styleText } from 'node:util'
import type { Examination, Finding, Level, Observer, SuggestedOptions } from './examination'
import type { Terminal } from './prompt'
import { printable } from './text'

// As wide as the longest level, so that the messages are aligned.
const INDENT = 9
// Of at most 71 characters, unless a word is longer: lines have 80.
const LINES = /\S(?:.{0,69}\S)?(?!\S)|\S+/g
const COLOURS: Readonly<Record<Level, 'green' | 'yellow' | 'red'>> = { good: 'green', differs: 'yellow', broken: 'red' }
const ERASE_LINE = '\r\x1b[K'

/** Shows the findings as they come, and on a terminal what is being waited for. */
export class Screen implements Observer {
  #isWaiting = false

  /** @param isQuiet whether only the progress is shown */
  constructor(
    private readonly terminal: Terminal,
    private readonly isQuiet: boolean,
  ) {}

  progress(text: string): void {
    if (!this.terminal.stderr.isTTY) return
    this.clear()
    this.terminal.stderr.write(`${text} ...`)
    this.#isWaiting = true
  }

  finding({ level, check, message }: Finding): void {
    this.clear()
    if (this.isQuiet) return
    const lines = `${check}: ${message}`.match(LINES) ?? []
    // The level is a word, so that no colour is needed to tell it.
    const start = this.#coloured(level) + ' '.repeat(INDENT - level.length)
    this.print(start + lines.join(`\n${' '.repeat(INDENT)}`))
  }

  /** Removes what is being waited for. */
  clear(): void {
    if (this.#isWaiting) this.terminal.stderr.write(ERASE_LINE)
    this.#isWaiting = false
  }

  /** Writes a text and a line break to standard output. */
  print(text: string): void {
    this.terminal.stdout.write(`${text}\n`)
  }

  #coloured(level: Level): string {
    const { stdout, env } = this.terminal
    return stdout.isTTY && !env['NO_COLOR'] ? styleText(COLOURS[level], level) : level
  }
}

/** The options to paste into the application, as code. */
export function optionLines(examination: Examination): string {
  const { baseURL, clientID, callbackURL, proxied, ...others } = harmless(examination.options, examination)
  const lines = [
    `baseURL: ${baseURL === undefined ? 'process.env.SOCIAL_BASE_URL' : code(baseURL)},`,
    `clientID: ${clientID === undefined ? 'process.env.SOCIAL_CLIENT_ID' : code(clientID)},`,
    'clientSecret: process.env.SOCIAL_CLIENT_SECRET,',
    `callbackURL: ${callbackURL === undefined ? "'/auth/social-login/callback', // as you registered it" : `${code(callbackURL)},`}`,
    ...Object.entries(others).map(([name, value]) => `${name}: ${code(value)},`),
    ...(proxied ? ["dispatcher: new EnvHttpProxyAgent(), // from 'undici'"] : []),
  ]
  return ['new Strategy({', ...lines.map((line) => `  ${line}`), '}, verify)'].join('\n')
}

/** Everything for a program: the findings, the options, and the recorded behaviours. */
export function asJSON(examination: Examination): string {
  const { findings, mode } = examination
  const options = harmless(examination.options, examination)
  return JSON.stringify({ version: 1, broken: examination.isBroken, findings, options, mode }, undefined, 2)
}

function harmless(options: SuggestedOptions, examination: Examination): SuggestedOptions {
  const entries = Object.entries(options).filter(([, value]) => examination.isHarmless(JSON.stringify(value)))
  return Object.fromEntries(entries)
}

/** A value as JavaScript, in visible ASCII. */
function code(value: unknown): string {
  return typeof value === 'string'
    ? `'${printable(value).replace(/[\\']/g, '\\$&')}'`
    : printable(JSON.stringify(value))
}
