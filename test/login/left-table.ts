import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OutcomeCode } from '../../lib'

/** What the documentation says is left after an outcome of the callback. */
export interface Left {
  readonly codes: readonly string[]
  readonly key: string
  readonly login: string
  /** Whether the line is about what happens once the exchange has gone well. */
  readonly afterExchange: boolean
}

/** The lines of the table of what is left in docs/errors.md. */
export function readLeftTable(): Left[] {
  const page = readFileSync(join(__dirname, '../../../docs/errors.md'), 'utf8')
  const [, table = ''] = /^\| Outcome \| Key \| Login \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page) ?? []
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [, outcomes = '', key = '', login = ''] = line.split('|').map((cell) => cell.trim())
      const codes = Array.from(outcomes.matchAll(/`(\w+_\w+|overloaded)`/g), ([, code = '']) => code)
      return { codes, key, login, afterExchange: outcomes.includes('phase `profile`') }
    })
}

/** The line about one outcome. */
export function leftAfter(table: readonly Left[], code: OutcomeCode, afterExchange: boolean): Left {
  const lines = table.filter(({ codes }) => codes.includes(code))
  const [line, ...others] = lines.length > 1 ? lines.filter((left) => left.afterExchange === afterExchange) : lines
  if (!line || others.length > 0) throw new Error(`the table has ${lines.length} lines about ${code}`)
  return line
}
