import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from '@babel/parser'
import { type Node, traverseFast } from '@babel/types'
import * as limits from '../../lib/limits'
import { generateMutants } from '../explore/generated-mutants'
import { MUTANTS, SURVIVORS } from '../explore/mutant-list'
import { GUARD_MUTANTS } from './guards'
import { codeOf, constantOf } from './guards/code'
import { OPTION_MUTANTS } from './guards/options'

// The mutants of each guard, which `npm run test:mutation -- --guards` runs: none may be missing, and none may be stale.

const LIB = join(__dirname, '../../lib')
const FOLDERS = ['client', 'web', 'passport', 'login/pending-login/stores', 'doctor']
const FILES = [
  'limits',
  'login/pending-login/pending-login',
  'login/pending-login/check',
  'login/pending-login/consumed',
  'login/providers/providers',
  'login/request/headers',
]

/** Options of libraries and of the runtime that guard something, wherever they are given. */
const GUARDING_OPTIONS = [
  ...[
    'rejectUnauthorized',
    'secureOptions',
    'ciphers',
    'ecdhCurve',
    'requestTls',
    'lookup',
    'autoSelectFamilyAttemptTimeout',
  ],
  ...['maxHeaderSize', 'headersTimeout', 'bodyTimeout', 'keepAliveTimeout', 'keepAliveMaxTimeout', 'connections'],
  ...['redirect', 'cache', 'maxRedirections', 'fatal', 'historySize'],
  ...['keyManagementAlgorithms', 'contentEncryptionAlgorithms'],
]

/** Constants that guard nothing, each with the reason; and options of the same names that are no guards. */
const NO_GUARDS: Readonly<Record<string, string>> = {
  'client/response/json STRING': 'how a document is read',
  'client/response/json NUMBER': 'how a document is read',
  'client/response/json STRING_OR_NUMBER': 'how a document is read',
  'client/http/page FIREWALL_WORDS': 'tests have a list of pages, one for each product',
  'login/request/headers WEB_ORIGIN': 'an origin, which is compared as a whole',
  'doctor/login AUTH_KEY': 'where a key is in an address',
  'doctor/login HEX': 'a way of the provider that is recorded',
  'doctor/network DAY_MS': 'a unit',
  'doctor/network FEW_DAYS': 'when a warning begins',
  'doctor/network BEFORE_TLS': 'which sentence is told',
  'doctor/person ENTITY': 'a way of the provider that is recorded',
  'doctor/person PLAIN': 'a way of the provider that is recorded',
  'doctor/screen INDENT': 'a width',
  'doctor/screen LINES': 'a width',
  'client/response/responses SUCCESS': 'which sentence is told',
  'client/http/pools lookup': 'what the limits are passed on as',
  'client/http/tunnel lookup': 'what the limits are passed on as',
  'doctor/exchange redirect': 'a sentence',
  'doctor/network rejectUnauthorized': 'after that handshake nothing is sent',
  'client/http/pool connections': 'the type of the limits, and their passing on',
}

interface Named {
  readonly file: string
  readonly name: string
  readonly start: number
  readonly end: number
}

const files = [
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(LIB, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .map((name) => `${folder}/${name.slice(0, -'.js'.length)}`),
  ),
  ...FILES,
]

/** Whether the value of a constant is a number, a regular expression, a set or a map. */
function isLimit(value: Node): boolean {
  if (value.type === 'NewExpression')
    return value.callee.type === 'Identifier' && /^(Set|Map|RegExp)$/.test(value.callee.name)
  return isNumber(value) || value.type === 'RegExpLiteral'
}

/** Whether the value is a number, or a product or sum of numbers. */
function isNumber(value: Node): boolean {
  return value.type === 'BinaryExpression'
    ? isNumber(value.left) && isNumber(value.right)
    : value.type === 'NumericLiteral'
}

/** The constants of a file that may be limits, and the options that it gives to libraries. */
function namedGuardsOf(file: string): Named[] {
  const found: Named[] = []
  const add = (name: string, { start, end }: Node): void => {
    if (!Object.hasOwn(NO_GUARDS, `${file} ${name}`)) found.push({ file, name, start: start ?? 0, end: end ?? 0 })
  }
  traverseFast(parse(codeOf(file)).program, (node) => {
    const constant = constantOf(node)
    if (constant && isLimit(constant.value)) {
      if (/^[A-Z][A-Z0-9_]+$/.test(constant.name)) add(constant.name, node)
    } else if (node.type === 'ObjectProperty' && node.key.type === 'Identifier' && !node.computed) {
      if (GUARDING_OPTIONS.includes(node.key.name) && !(node.shorthand && node.value.type === 'AssignmentPattern'))
        add(node.key.name, node)
    }
  })
  return found
}

test('there are hundreds of mutants, each under a name of its own, and with tests that the quick set has', () => {
  expect(GUARD_MUTANTS.length).toBeGreaterThan(400)
  const names = GUARD_MUTANTS.map(({ file, name }) => `${file}: ${name}`)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  const slow = /\/(browsers|concurrency|processes|races|service|outages|faults|properties|fuzz|explore)\//
  const tests = [...new Set(GUARD_MUTANTS.flatMap((mutant) => mutant.tests))]
  expect(tests.filter((test) => slow.test(`/${test}.test.js`))).toEqual([])
  expect(tests.filter((test) => !existsSync(join(__dirname, '..', `${test}.test.js`)))).toEqual([])
})

test.each([...new Set(GUARD_MUTANTS.map(({ file }) => file))])('each mutant of %s applies exactly once', (file) => {
  const code = codeOf(file)
  const stale = GUARD_MUTANTS.filter((mutant) => mutant.file === file).filter(
    ({ from, to }) => code.split(from).length !== 2 || from === to,
  )
  expect(stale).toEqual([])
})

test('each limit and each guarding option of these folders has a mutant', () => {
  const guards = files.flatMap(namedGuardsOf)
  expect(guards.length).toBeGreaterThan(60)
  const missing = guards.filter(({ file, name, start, end }) => {
    const code = codeOf(file)
    return !GUARD_MUTANTS.some((mutant) => {
      if (mutant.file !== file) return false
      const at = code.indexOf(mutant.from)
      return (at < end && at + mutant.from.length > start) || new RegExp(`\\b${name}\\b`).test(mutant.from)
    })
  })
  expect(missing.map(({ file, name }) => `${file} ${name}`)).toEqual([])
})

test('each limit DEFAULT_X is the default of an option, and MAX_X is its maximum', () => {
  const parsers = OPTION_MUTANTS.map(({ from }) => from)
  const defaults = Object.keys(limits).filter((name) => name.startsWith('DEFAULT_'))
  const ranges = defaults.map((name) => `limits_1.${name}, limits_1.${name.replace('DEFAULT', 'MAX')})`)
  expect(ranges.filter((range) => !parsers.some((parser) => parser.endsWith(range)))).toEqual([])
})

test('each number that limits a login is in limits.ts', () => {
  const folders = ['client', 'login', 'passport', 'web']
  const names = folders.flatMap((folder) =>
    readdirSync(join(LIB, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  const elsewhere = names
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => {
      const found: string[] = []
      traverseFast(parse(readFileSync(join(LIB, name), 'utf8')).program, (node) => {
        const constant = constantOf(node)
        if (constant && isNumber(constant.value)) found.push(`${name} ${constant.name}`)
      })
      return found.filter((each) => /^\S+ [A-Z][A-Z0-9_]+$/.test(each))
    })
  expect(elsewhere).toEqual([])
})

test('each mutant of the exploration applies, and those that survive exist', () => {
  const mutants = [...MUTANTS, ...generateMutants()]
  for (const { file, change } of mutants) {
    const code = codeOf(`login/${file}`)
    expect(change(code)).not.toBe(code)
  }
  expect(mutants.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(SURVIVORS)))
})

test('what is said to guard nothing exists', () => {
  const stale = Object.keys(NO_GUARDS).filter((key) => {
    const [file = '', name = ''] = key.split(' ')
    return !files.includes(file) || !new RegExp(`\\b${name}\\b`).test(codeOf(file))
  })
  expect(stale).toEqual([])
})
