import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Node } from '@babel/types'

/** What is compiled from a file in `lib/`, which is named without its extension. */
export const codeOf = (file: string): string => readFileSync(join(__dirname, '../../../lib', `${file}.js`), 'utf8')

export const textOf = ({ start, end }: Node, code: string): string => code.slice(start ?? 0, end ?? 0)

/** What a node declares, or exports, and its value. */
export function constantOf(node: Node): { name: string; value: Node } | undefined {
  if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init)
    return { name: node.id.name, value: node.init }
  if (node.type !== 'AssignmentExpression' || node.left.type !== 'MemberExpression') return undefined
  const { object, property } = node.left
  const isExport = object.type === 'Identifier' && object.name === 'exports' && property.type === 'Identifier'
  return isExport ? { name: property.name, value: node.right } : undefined
}
