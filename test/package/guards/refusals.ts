import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from '@babel/parser'
import { type IfStatement, traverseFast } from '@babel/types'
import type { GuardMutant } from './mutant'

/**
 * For each condition under which a file throws, and which no listed mutant changes, one mutant in which it never holds. The
 * tests are those of the file's other mutants.
 */
export function refusalsOf(listed: readonly GuardMutant[]): GuardMutant[] {
  return [...new Set(listed.map(({ file }) => file))].flatMap((file) => {
    const code = readFileSync(join(__dirname, '../../../lib', `${file}.js`), 'utf8')
    const own = listed.filter((mutant) => mutant.file === file)
    const tests = [...new Set(own.flatMap((mutant) => mutant.tests))]
    const mutants = throwingConditions(code).flatMap(({ start, end, thrown }) => {
      const isListed = own.some(({ from }) => code.indexOf(from) < end && code.indexOf(from) + from.length > start)
      const from = code.slice(start, end)
      const to = from.replace(/^if \((?:.|\n)*?\)(?=\n)/, 'if (false)')
      return isListed || to === from ? [] : [{ file, name: `never: ${thrown}`, from, to, tests }]
    })
    return mutants.map((mutant, index) => ({ ...mutant, name: `${mutant.name} (${index + 1})` }))
  })
}

function throwingConditions(code: string) {
  const found: { start: number; end: number; thrown: string }[] = []
  traverseFast(parse(code).program, (node) => {
    if (node.type !== 'IfStatement') return
    const last = lastStatement(node)
    if (last?.type !== 'ThrowStatement') return
    const [start, end] = [node.start ?? 0, node.consequent.end ?? 0]
    found.push({
      start,
      end,
      thrown: code
        .slice(last.start ?? 0, last.end ?? 0)
        .replace(/\s+/g, ' ')
        .slice(0, 80),
    })
  })
  return found
}

function lastStatement({ consequent }: IfStatement) {
  return consequent.type === 'BlockStatement' ? consequent.body.at(-1) : consequent
}
