import { parse } from '@babel/parser'
import { type BinaryExpression, type Expression, type LogicalExpression, type Node, traverseFast } from '@babel/types'
import { codeOf, textOf } from '../package/guards/code'
import type { Mutant } from './mutant-list'

/** The functions and classes of `lib/login/` whose conditions are changed, by their file: all, or those that are named. */
const DECIDING: Readonly<Record<string, 'all' | readonly string[]>> = {
  'pending-login/check': ['checkRecord', 'checkCallback'],
  'request/request': ['classifyRequest', 'classifyCallback'],
  'pending-login/used-logins': 'all',
  start: ['start'],
  callback: 'all',
}

const COMPARISONS = ['===', '!==', '<', '<=', '>', '>=']
/** What decides differently where both sides are equal. */
const AT_THE_LIMIT: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }

/**
 * For each condition one mutant in which it always holds and one in which it never does, and for each operand of `&&`
 * and `||` one without it: all others have the same effect as one of these. For each comparison of numbers also one that
 * differs where both are equal.
 */
export function generateMutants(): Mutant[] {
  return Object.entries(DECIDING).flatMap(([file, names]) => {
    const code = codeOf(`login/${file}`)
    const found = declarationsOf(code).filter(({ name }) => names === 'all' || names.includes(name))
    if (names !== 'all' && found.length < names.length) throw new Error(`${file} does not declare all of ${names}`)
    return found.flatMap(({ name, node }) =>
      distinct(changesIn(node, code).map((change) => mutantOf(file, name, code, change))),
    )
  })
}

function declarationsOf(code: string) {
  return parse(code).program.body.flatMap((node) =>
    (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && node.id
      ? [{ node, name: node.id.name }]
      : [],
  )
}

interface Change {
  readonly node: Expression
  /** The code in its place. */
  readonly to: string
}

function changesIn(declaration: Node, code: string): Change[] {
  const changes: Change[] = []
  /** Parts of a condition, or conditions that are on the list already. */
  const known = new Set<Node>()
  const addCondition = (node: Expression): void => {
    if (!known.has(node)) changes.push({ node, to: 'true' }, { node, to: 'false' })
    known.add(node)
  }
  traverseFast(declaration, (node) => {
    if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') addCondition(node.test)
    else if (node.type === 'BinaryExpression' && COMPARISONS.includes(node.operator)) {
      addCondition(node)
      changes.push(...atTheLimit(node, code))
    } else if (node.type === 'LogicalExpression' && node.operator !== '??') {
      addCondition(node)
      changes.push(...operandsOf(node).map((operand) => ({ node: operand, to: String(node.operator === '&&') })))
      known.add(node.left).add(node.right)
    } else if (node.type === 'UnaryExpression' && node.operator === '!') {
      addCondition(node)
      known.add(node.argument)
    }
  })
  return changes
}

function atTheLimit(node: BinaryExpression, code: string): Change[] {
  const { operator, left, right } = node
  const { [operator]: other } = AT_THE_LIMIT
  return other === undefined ? [] : [{ node, to: `${textOf(left, code)} ${other} ${textOf(right, code)}` }]
}

/** Without those that are a chain of the same operator: their own operands are on the list. */
function operandsOf({ left, right, operator }: LogicalExpression): Expression[] {
  return [left, right].filter((operand) => !(operand.type === 'LogicalExpression' && operand.operator === operator))
}

function mutantOf(file: string, name: string, code: string, { node, to }: Change): Mutant {
  const [start, end] = [node.start ?? 0, node.end ?? 0]
  return {
    name: `${file}, ${name}: ${readable(textOf(node, code))} is ${readable(to)}`,
    file,
    change: (original) => `${original.slice(0, start)}${to}${original.slice(end)}`,
  }
}

/** Without what the compiler adds for imports. */
const readable = (text: string): string =>
  text.replaceAll(/\(0, \w+\.(\w+)\)/g, '$1').replaceAll(/\b(exports|\w+_1)\./g, '')

function distinct(mutants: readonly Mutant[]): Mutant[] {
  const counts = new Map<string, number>()
  return mutants.map((mutant) => {
    const count = (counts.get(mutant.name) ?? 0) + 1
    counts.set(mutant.name, count)
    return count === 1 ? mutant : { ...mutant, name: `${mutant.name} (${count})` }
  })
}
