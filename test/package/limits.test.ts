import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from '@babel/parser'
import { type Node, traverseFast } from '@babel/types'
import * as limits from '../../lib/limits'

const LIB = join(__dirname, '../../lib')
const OPTIONS = ['client/options', 'login/providers/options', 'passport/options', 'web/options']

/** The constants of a compiled file that are numbers, or products or sums of numbers. */
function numbersOf(file: string): string[] {
  const found: string[] = []
  const add = (name: string, value: Node): void => {
    if (isNumber(value) && /^[A-Z][A-Z0-9_]+$/.test(name)) found.push(`${file} ${name}`)
  }
  traverseFast(parse(readFileSync(join(LIB, file), 'utf8')).program, (node) => {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init) add(node.id.name, node.init)
    if (node.type !== 'AssignmentExpression' || node.left.type !== 'MemberExpression') return
    if (node.left.property.type === 'Identifier') add(node.left.property.name, node.right)
  })
  return found
}

function isNumber(value: Node): boolean {
  return value.type === 'BinaryExpression'
    ? isNumber(value.left) && isNumber(value.right)
    : value.type === 'NumericLiteral'
}

test('each number that limits a login is in limits.ts', () => {
  expect(numbersOf('limits.js').length).toBeGreaterThan(40)
  const files = ['client', 'login', 'passport', 'web'].flatMap((folder) =>
    readdirSync(join(LIB, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  expect(files.filter((name) => name.endsWith('.js')).flatMap(numbersOf)).toStrictEqual([])
})

test('each limit DEFAULT_X is the default of an option, and MAX_X is its maximum', () => {
  const parsers = OPTIONS.map((file) => readFileSync(join(LIB, `${file}.js`), 'utf8')).join('')
  const defaults = Object.keys(limits).filter((name) => name.startsWith('DEFAULT_'))
  const ranges = defaults.map((name) => `limits_1.${name}, limits_1.${name.replace('DEFAULT', 'MAX')})`)
  expect(ranges.filter((range) => !parsers.includes(range))).toStrictEqual([])
})
