import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mutantsByHand } from './by-hand'
import { type Mutant, mutantsOf, type Rule } from './rules'

const LIB = join(__dirname, '../../lib')

/** Where all rules hold. Of the doctor they are fewer, and of the rest only what limits, escapes or refuses. */
const WHOLE = /^(client|login|passport|web)\/|^(arguments|diagnostics|errors|index|limits|warnings)$/
const ELSEWHERE: readonly Rule[] = ['limit', 'comparison', 'text', 'refusal', 'hand']
const DOCTOR: readonly Rule[] = [...ELSEWHERE, 'condition', 'operand', 'call', 'member', 'pattern']

const namesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'))

/** The compiled files of `lib/`, by their names without extension, with slashes. */
export const CODES: ReadonlyMap<string, string> = new Map(
  namesOf(LIB).map((name) => [
    name.slice(0, -'.js'.length).replaceAll('\\', '/'),
    readFileSync(join(LIB, name), 'utf8'),
  ]),
)

/** All mutants of the files that are chosen. */
export function mutantsIn(isChosen: (file: string) => boolean): Mutant[] {
  return [...CODES].flatMap(([file, code]) => {
    if (!isChosen(file)) return []
    const rules = file.startsWith('doctor/') ? DOCTOR : ELSEWHERE
    const mutants = [...mutantsOf(file, code), ...mutantsByHand(file, code)]
    return WHOLE.test(file) ? mutants : mutants.filter(({ rule }) => rules.includes(rule))
  })
}

/** Names a mutant without a place, so that it stays the same while other code changes. */
export const idOf = ({ rule, file, where, text }: Mutant): string => `${rule} | ${file} | ${where} | ${text}`
