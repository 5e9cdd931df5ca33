import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OutcomeCode } from '../../lib'

/** The documented state after an outcome of the callback. */
export interface Left {
  readonly codes: readonly string[]
  readonly key: string
  readonly login: string
  /** The phases that the row is about; none, if its outcomes come before the exchange. */
  readonly phases: readonly string[]
  /** Whether the row is about outcomes after a successful exchange. */
  readonly afterExchange: boolean
}

/** The rows of the table "What is left after a callback" in docs/errors.md. */
export function readLeftTable(): Left[] {
  const page = readFileSync(join(__dirname, '../../../docs/errors.md'), 'utf8')
  const [, table = ''] = /^\| Outcome \| Key \| Login \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page) ?? []
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [, outcomes = '', key = '', login = ''] = line.split('|').map((cell) => cell.trim())
      const codes = Array.from(outcomes.matchAll(/`(\w+_\w+|overloaded)`/g), ([, code = '']) => code)
      const [, named = ''] = /^in phase (.*?):/.exec(outcomes) ?? []
      const phases = Array.from(named.matchAll(/`(\w+)`/g), ([, phase = '']) => phase)
      return { codes, key, login, phases, afterExchange: phases.includes('profile') }
    })
}

/** The row of one outcome. */
export function leftAfter(table: readonly Left[], code: OutcomeCode, afterExchange: boolean): Left {
  const lines = table.filter(({ codes }) => codes.includes(code))
  const [line, ...others] = lines.length > 1 ? lines.filter((left) => left.afterExchange === afterExchange) : lines
  if (!line || others.length > 0) throw new Error(`the table has ${lines.length} lines about ${code}`)
  return line
}
