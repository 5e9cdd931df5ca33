import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(__dirname, '../../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** The lines "- `file.ts` does this." of a text, where a line may go on in the next one. */
function stepsOf(text: string): { file: string; step: string }[] {
  const plain = text.replaceAll(/^ +\* ?/gm, '').replaceAll(/\n {2,}(?=\S)/g, ' ')
  return Array.from(plain.matchAll(/^- `([\w/-]+\.ts)` (.*)$/gm), ([, file = '', step = '']) => ({ file, step }))
}

const jsdoc = (): string => {
  const [before = ''] = read('lib/login/login.ts').split('async handle(')
  return before.slice(before.lastIndexOf('/**'))
}

const steps = stepsOf(jsdoc())
const files = steps.map(({ file }) => file)

/** The names of values, not types, that a file imports from a file of `lib/`. */
function valuesImportedBy(file: string): { name: string; from: string }[] {
  const statements = read(join('lib', file)).matchAll(/^import \{([^}]*)\} from '(\.[^']+)'/gm)
  return Array.from(statements).flatMap(([, names = '', path = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => ({ name, from: `${join(dirname(file), path)}.ts` })),
  )
}

const calls = (file: string, name: string): boolean => new RegExp(`\\b${name}\\(`).test(read(join('lib', file)))

/** All files to which the values lead that a file imports. */
function reachableFrom(file: string, seen = new Set<string>()): ReadonlySet<string> {
  for (const { from } of valuesImportedBy(file)) {
    if (seen.has(from)) continue
    seen.add(from)
    reachableFrom(from, seen)
  }
  return seen
}

test('Login.handle names the seven files of a login in the order of a login', () => {
  expect(files).toHaveLength(7)
  expect([files[0], files.at(-1)]).toEqual(['passport/strategy.ts', 'passport/verify.ts'])
})

test('CONTRIBUTING.md has the same list', () => {
  const [, text = ''] = /## The code\n(.*?)\n## /s.exec(read('CONTRIBUTING.md')) ?? []
  expect(stepsOf(text)).toEqual(steps)
})

test.each(files.slice(1))('%s is called by a file before it in the list', (file) => {
  const callers = files
    .slice(0, files.indexOf(file))
    .filter((caller) => valuesImportedBy(caller).some(({ name, from }) => from === file && calls(caller, name)))
  expect(callers).not.toEqual([])
})

test('no file outside of the list lies between two files of it', () => {
  const helpers = new Set(files.flatMap((file) => valuesImportedBy(file).map(({ from }) => from)))
  const between = [...helpers]
    .filter((helper) => !files.includes(helper))
    .filter((helper) => files.some((file) => reachableFrom(helper).has(file)))
  expect(helpers.size).toBeGreaterThan(10)
  expect(between).toEqual([])
})

test('the record is created by the start and checked by the callback', () => {
  const record = 'login/pending-login.ts'
  expect(valuesImportedBy('login/start.ts')).toContainEqual({ name: 'createPendingLogin', from: record })
  expect(valuesImportedBy('login/callback.ts')).toContainEqual({ name: 'checkCallback', from: record })
  for (const text of [jsdoc(), read('CONTRIBUTING.md')]) expect(text).toContain(record)
})
