import { parse } from '@babel/parser'
import { type IfStatement, traverseFast } from '@babel/types'
import { codeOf, textOf } from './code'
import type { GuardMutant } from './mutant'

/** What is changed, and how. */
interface Change {
  readonly name: string
  readonly start: number
  readonly from: string
  readonly to: string
}

/**
 * Of each file that has a listed mutant, what none of these changes: for each condition under which it throws one mutant
 * in which it never holds, and for each number that is named `MAX_` or `MIN_` one that is greater and one that is less.
 * The tests are those of the file's other mutants.
 */
export function derivedFrom(listed: readonly GuardMutant[]): GuardMutant[] {
  return [...new Set(listed.map(({ file }) => file))].flatMap((file) => {
    const code = codeOf(file)
    const own = listed.filter((mutant) => mutant.file === file)
    const tests = [...new Set(own.flatMap((mutant) => mutant.tests))]
    const isListed = ({ start, from }: Change): boolean =>
      own.some((mutant) => {
        const at = code.indexOf(mutant.from)
        return at < start + from.length && at + mutant.from.length > start
      })
    const changes = [...refusalsIn(code), ...numbersIn(code)].filter((change) => !isListed(change))
    return changes.map(({ name, from, to }) => ({ file, name, from, to, tests }))
  })
}

function refusalsIn(code: string): Change[] {
  const found: Change[] = []
  traverseFast(parse(code).program, (node) => {
    if (node.type !== 'IfStatement') return
    const last = lastStatement(node)
    if (last?.type !== 'ThrowStatement') return
    const start = node.start ?? 0
    const from = code.slice(start, node.consequent.end ?? 0)
    const to = from.replace(/^if \((?:.|\n)*?\)(?=\n)/, 'if (false)')
    const thrown = textOf(last, code).replace(/\s+/g, ' ')
    if (to !== from) found.push({ name: `never: ${thrown.slice(0, 80)}`, start, from, to })
  })
  return found.map((change, index) => ({ ...change, name: `${change.name} (${index + 1})` }))
}

function lastStatement({ consequent }: IfStatement) {
  return consequent.type === 'BlockStatement' ? consequent.body.at(-1) : consequent
}

function numbersIn(code: string): Change[] {
  return Array.from(code.matchAll(/^const (M(?:AX|IN)_\w+) = [\d_]+(?=;)/gm), ({ 0: from, 1: name, index: start }) =>
    ['+ 1', '- 1'].map((step) => ({ name: `${name} ${step}`, start, from, to: `${from} ${step}` })),
  ).flat()
}
