import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestFile } from './covering'
import { inParallel } from './in-parallel'
import type { Runner } from './runner'

const ROOT = resolve(__dirname, '../../..')
const DIST = join(ROOT, 'dist')
/** They compare documents with the code, and would notice a change without having seen what it does. */
const DOCUMENTS = /^test\/package\/(docs|tables|interface|imports|security|native|mutation)\.test\.js$/

const filesOf = (folder: string): string[] =>
  readdirSync(join(DIST, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js') && !name.startsWith('mutation'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort()

function hashOf(names: readonly string[]): string {
  const hash = createHash('sha256')
  for (const name of names) hash.update(readFileSync(join(DIST, name)))
  return hash.digest('hex').slice(0, 16)
}

/** A folder for what is found for this build of the library, so that a run that was ended can go on. */
export function cacheFolder(): string {
  const folder = join(ROOT, 'node_modules/.cache/mutation', hashOf(filesOf('lib')))
  mkdirSync(folder, { recursive: true })
  return folder
}

/**
 * Tells the state of the tests by which a result was found: a result holds as long as that is the same. What noticed a
 * mutant does so again, whatever tests are added; what survived may be noticed by any other test.
 */
export function stateOfTests(): (noticedBy: string | null) => string {
  const names = filesOf('test')
  const isTest = (name: string): boolean => name.endsWith('.test.js')
  const all = hashOf(names)
  const support = hashOf(names.filter((name) => !isTest(name)))
  return (noticedBy) => {
    if (noticedBy === null) return all
    const test = `test/${noticedBy.split(': ')[0]}`
    return isTest(test) ? `${support} ${names.includes(test) ? hashOf([test]) : ''}` : support
  }
}

/** Runs the tests of `npm test` without any mutant, to know what each file of them runs. */
export async function runQuickTests(runners: readonly Runner[], cache: string): Promise<TestFile[]> {
  const file = join(cache, `tests-${hashOf(filesOf('test'))}.json`)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as TestFile[]
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { test: string } }
  const [, slow = ''] = /--testPathIgnorePatterns "([^"]+)"/.exec(scripts.test) ?? []
  const names = filesOf('test').filter((name) => name.endsWith('.test.js'))
  const quick = names.filter((name) => !new RegExp(slow).test(`/${name}`) && !DOCUMENTS.test(name))
  const tests: TestFile[] = []
  console.log(`runs the ${quick.length} files of quick tests, to know what each covers`)
  await inParallel(quick, runners, async (name, runner) => {
    const { failed, milliseconds, coverage } = await runner.run({ test: `dist/${name}`, hasCoverage: true })
    const ofLib = coverage.filter((one) => one.file.replaceAll('\\', '/').startsWith('dist/lib/'))
    if (failed) console.log(`fails without any mutant, and is left out: ${name}: ${failed}`)
    else tests.push({ test: name.slice('test/'.length), milliseconds, coverage: ofLib })
    if (tests.length % 20 === 0) console.log(`${tests.length}/${quick.length}`)
  })
  // A process that collects coverage goes on doing so.
  for (const runner of runners) runner.stop()
  writeFileSync(file, JSON.stringify(tests))
  return tests
}
