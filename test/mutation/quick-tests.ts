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

/** The files of `npm test`, without those that compare documents. */
function quickTests(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { test: string } }
  const [, slow = ''] = /--testPathIgnorePatterns "([^"]+)"/.exec(scripts.test) ?? []
  const names = filesOf('test').filter((name) => name.endsWith('.test.js'))
  return names.filter((name) => !new RegExp(slow).test(`/${name}`) && !DOCUMENTS.test(name))
}

/** All quick tests; for some files first those with their names, then those in folders with the name of theirs. */
export function groupsOfTests(files: ReadonlySet<string> | undefined): string[][] {
  const all = quickTests()
  if (!files) return [all]
  const names = [...files].map((file) => `/${file.split('/').at(-1)}`)
  const folders = [...files].flatMap((file) => (file.includes('/') ? [`/${file.split('/')[0]}/`] : []))
  const nearer = [names, [...names, ...folders]].map((parts) =>
    all.filter((test) => parts.some((part) => test.includes(part))),
  )
  return [...nearer, all].filter((group) => group.length > 0)
}

/** Runs files of tests without any mutant, to know what each covers. */
export async function runTests(
  names: readonly string[],
  runners: readonly Runner[],
  cache: string,
): Promise<TestFile[]> {
  const file = join(cache, `tests-${hashOf(filesOf('test'))}.json`)
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as TestFile[]) : []
  const tests = new Map<string, TestFile>(known.map((one) => [`test/${one.test}`, one]))
  const left = names.filter((name) => !tests.has(name))
  if (left.length > 0) console.log(`runs ${left.length} files of tests, to know what each covers`)
  let count = 0
  await inParallel(left, runners, async (name, runner) => {
    const { failed, milliseconds, coverage } = await runner.run({ test: `dist/${name}`, hasCoverage: true })
    const ofLib = coverage.filter((one) => one.file.replaceAll('\\', '/').startsWith('dist/lib/'))
    if (failed) console.log(`fails without any mutant, and is left out: ${name}: ${failed}`)
    else tests.set(name, { test: name.slice('test/'.length), milliseconds, coverage: ofLib })
    count += 1
    if (count % 20 === 0) console.log(`${count}/${left.length}`)
  })
  writeFileSync(file, JSON.stringify([...tests.values()]))
  return names.flatMap((name) => tests.get(name) ?? [])
}
