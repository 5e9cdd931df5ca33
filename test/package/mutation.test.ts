import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isIn } from '../mutation/changed-lines'
import { EXCEPTIONS } from '../mutation/exceptions'
import { CODES, idOf, mutantsIn } from '../mutation/mutants'
import { mutateRegExp } from '../mutation/regular-expressions'
import { applyMutant, mutantsOf, RULES } from '../mutation/rules'

// What `npm run test:mutation` changes, and what it expects nobody to notice.

/** What a rule makes of some code, without white space. */
function changed(rule: string, code: string): string[] {
  const mutants = mutantsOf('sample', code).filter((mutant) => mutant.rule === rule)
  return mutants.map((mutant) => applyMutant(mutant, code).replace(/\s+/g, ' '))
}

test.each([
  ['condition', 'if (a) b()', ['if (true) b()', 'if (false) b()']],
  ['condition', 'return_(a === b)', ['return_(true)', 'return_(false)']],
  ['condition', 'f({ a: true })', ['f({ a: false })']],
  ['refusal', 'if (a) { throw b }', ['if (false) { throw b }']],
  ['operand', 'x = a && b', ['x = (a)', 'x = (b)']],
  ['operand', 'x = Math.min(a, b)', ['x = (a)', 'x = (b)']],
  ['operand', 'x = a / 3', ['x = (a)']],
  ['comparison', 'x = a < b', ['x = a <= b']],
  ['limit', 'const MAX = 8', ['const MAX = (8 + 1)', 'const MAX = (8 - 1)']],
  ['limit', 'const MAX = 600', ['(600 + 1)', '(600 - 1)', '(600 * 2)', '(600 / 2)'].map((to) => `const MAX = ${to}`)],
  ['element', 'x = new Set([1, 2])', ['x = new Set([ 2])', 'x = new Set([1, ])']],
  ['element', 'x = `a b\n c`', ['x = ` b c`', 'x = `a c`', 'x = `a b `']],
  ['member', 'f({ a, b: 1 })', ['f({ b: 1 })', 'f({ a, })']],
  ['call', 'clearTimeout(a)', [';']],
  ['call', 'a.b = c', [';']],
  ['await', 'async () => { x = await f() }', ['async () => { x = (f()) }']],
  ['copy', 'x = { ...a }', ['x = (a)']],
  [
    'catch',
    'try { a() } catch { b() } finally { c() }',
    ['try { a() } catch { b() } finally {}', 'try { a() } catch {} finally { c() }'],
  ],
  ['text', 'x = a.trim()', ['x = (a)']],
  ['wrapper', 'x = check(a, b)', ['x = (a)']],
  ['wrapper', 'x = deadline.race(a)', ['x = (a)']],
  ['option', 'const LOGIN_OPTIONS = { a: text() }', [expect.stringContaining('(undefined, ...rest)')]],
])('the rule "%s" changes %s', (rule, code, expected) => {
  expect(changed(rule, code)).toEqual(expected)
})

test('a pattern lacks an alternative, an anchor or a member of a class, or has another count', () => {
  expect(mutateRegExp('^(a|b)[cd]{1,2}$', 'u')).toEqual([
    ...['/^(b)[cd]{1,2}$/u', '/^(a)[cd]{1,2}$/u', '/(a|b)[cd]{1,2}$/u', '/^(a|b)[d]{1,2}$/u', '/^(a|b)[c]{1,2}$/u'],
    ...[
      '/^(a|b)[^]{1,2}$/u',
      '/^(a|b)[cd]{1,3}$/u',
      '/^(a|b)[cd]{1,1}$/u',
      '/^(a|b)[cd]{2,2}$/u',
      '/^(a|b)[cd]{1,2}/u',
    ],
  ])
})

const mutants = mutantsIn(() => true)

test('each rule makes mutants, each under a name of its own, and no more than forty are written by hand', () => {
  expect(RULES.filter((rule) => !mutants.some((mutant) => mutant.rule === rule))).toEqual([])
  const ids = mutants.map(idOf)
  expect(new Set(ids).size).toBe(ids.length)
  expect(mutants.filter(({ rule }) => rule === 'hand').length).toBeLessThanOrEqual(40)
})

test('the mutants of a changed line are those of the expressions that it is part of', () => {
  const source = readFileSync(join(__dirname, '../../../lib/login/info.ts'), 'utf8')
  const number = source.split('\n').findIndex((line) => line.includes('fetchSite: callback.fetchSite')) + 1
  const chosen = mutants.filter(isIn(new Set([`login/info:${number}`])))
  expect(chosen.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^assurance: {.* -> $/),
    'fetchSite: callback.fetchSite ?? null -> ',
    'callback.fetchSite ?? null -> (callback.fetchSite)',
    'callback.fetchSite ?? null -> (null)',
  ])
})

test('each mutant changes the code', () => {
  expect(mutants.filter((mutant) => mutant.to === CODES.get(mutant.file)?.slice(mutant.start, mutant.end))).toEqual([])
})

test('each exception is a mutant, has a reason, and is named once', () => {
  const ids = new Set(mutants.map(idOf))
  const exempt = EXCEPTIONS.flatMap((exception) => exception.mutants)
  expect(exempt.filter((id) => !ids.has(id))).toEqual([])
  expect(exempt.filter((id, index) => exempt.indexOf(id) !== index)).toEqual([])
  expect(EXCEPTIONS.filter(({ why }) => why.length < 20)).toEqual([])
})
