import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from '@babel/parser'
import { type Expression, type LogicalExpression, type Node, traverseFast } from '@babel/types'
import type { Mutant } from './mutant-list'

/** The functions and classes of `lib/login/` whose conditions are changed, by their file. */
const DECIDING: Readonly<Record<string, readonly string[]>> = {
  'pending-login/check': ['checkRecord', 'checkCallback'],
  'request/request': ['classifyCallback'],
  'pending-login/used-logins': ['UsedLogins'],
  callback: ['callback', 'continueIfSignedIn', 'joinLogin', 'exchangeInSlot'],
}

const COMPARISONS = ['===', '!==', '<', '<=', '>', '>=']

/**
 * For each condition one mutant in which it always holds and one in which it never does, and for each operand of `&&`
 * and `||` one without it: all others have the same effect as one of these.
 */
export function generateMutants(): Mutant[] {
  return Object.entries(DECIDING).flatMap(([file, names]) => {
    const code = readFileSync(join(__dirname, '../../lib/login', `${file}.js`), 'utf8')
    const { body } = parse(code).program
    return names.flatMap((name) => {
      const declaration = body.find((node) => 'id' in node && node.id?.type === 'Identifier' && node.id.name === name)
      if (!declaration) throw new Error(`${file} declares no ${name}`)
      return distinct(changesIn(declaration).map((change) => mutantOf(file, name, code, change)))
    })
  })
}

interface Change {
  readonly node: Expression
  readonly to: boolean
}

function changesIn(declaration: Node): Change[] {
  const changes: Change[] = []
  /** Parts of a condition, or conditions that are on the list already. */
  const known = new Set<Node>()
  const addCondition = (node: Expression): void => {
    if (!known.has(node)) changes.push({ node, to: true }, { node, to: false })
    known.add(node)
  }
  traverseFast(declaration, (node) => {
    if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') addCondition(node.test)
    else if (node.type === 'BinaryExpression' && COMPARISONS.includes(node.operator)) addCondition(node)
    else if (node.type === 'LogicalExpression' && node.operator !== '??') {
      addCondition(node)
      changes.push(...operandsOf(node).map((operand) => ({ node: operand, to: node.operator === '&&' })))
      known.add(node.left).add(node.right)
    } else if (node.type === 'UnaryExpression' && node.operator === '!') {
      addCondition(node)
      known.add(node.argument)
    }
  })
  return changes
}

/** Without those that are a chain of the same operator: their own operands are on the list. */
function operandsOf({ left, right, operator }: LogicalExpression): Expression[] {
  return [left, right].filter((operand) => !(operand.type === 'LogicalExpression' && operand.operator === operator))
}

function mutantOf(file: string, name: string, code: string, { node, to }: Change): Mutant {
  const [start, end] = [node.start ?? 0, node.end ?? 0]
  const text = code
    .slice(start, end)
    .replaceAll(/\(0, \w+\.(\w+)\)/g, '$1')
    .replaceAll(/\b(exports|\w+_1)\./g, '')
  return {
    name: `${file}, ${name}: ${text} is ${to}`,
    file,
    change: (original) => `${original.slice(0, start)}${to}${original.slice(end)}`,
  }
}

function distinct(mutants: readonly Mutant[]): Mutant[] {
  const counts = new Map<string, number>()
  return mutants.map((mutant) => {
    const count = (counts.get(mutant.name) ?? 0) + 1
    counts.set(mutant.name, count)
    return count === 1 ? mutant : { ...mutant, name: `${mutant.name} (${count})` }
  })
}
