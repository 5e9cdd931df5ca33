// npm run test:mutation -- [file of lib, with lines ...] [folder or file of test ...]
//
// An aid for developers, and no check: StrykerJS changes the given lines of lib (lib/login/callback.ts:102-121), one place at
// a time, and names each change that no test notices. Without lines: those that differ from main, or if none does, those of
// the last commit. Without tests: those of whole logins, and those that mirror the file's folder. Fewer tests are quicker.
// Tests in folders called browsers, concurrency or processes do not run.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'

const VERSION = '9.6.1'
/** The tests of whole logins, and of what is not part of one, by the folder of `lib/`. */
const WHOLE = { doctor: 'test/doctor', testing: 'test/fake-provider' }

const given = process.argv.slice(2)
const mutate = given.filter((path) => path.startsWith('lib/'))
const tests = given.filter((path) => path.startsWith('test/'))
const others = given.filter((path) => !mutate.includes(path) && !tests.includes(path))

const lines = mutate.length > 0 ? mutate : linesOfChange()
if (lines.length === 0) {
  console.error('Nothing of lib/ has changed: name files, such as lib/login/callback.ts:102-121.')
  process.exit(1)
}
console.log(`Changes ${lines.join(', ')}`)
const { status } = spawnSync(
  'npx',
  [
    ['--yes', '-p', `@stryker-mutator/core@${VERSION}`, '-p', `@stryker-mutator/jest-runner@${VERSION}`],
    ['stryker', 'run', 'tools/stryker.config.cjs', '--mutate', lines.join(','), ...others],
  ].flat(),
  {
    stdio: 'inherit',
    env: { ...process.env, MUTATION_TESTS: (tests.length > 0 ? tests : testsOf(lines)).map(pattern).join(',') },
  },
)
process.exitCode = status ?? 1

function linesOfChange() {
  const main = git('for-each-ref', '--format=%(refname)', 'refs/remotes/origin/main') || 'main'
  const base = git('merge-base', main, 'HEAD')
  const ofBranch = linesSince(base)
  return ofBranch.length > 0 ? ofBranch : linesSince('HEAD~1')
}

/** The lines of lib that a commit does not have, as Stryker wants them. */
function linesSince(base) {
  let file = ''
  return git('diff', '--unified=0', '--no-ext-diff', '--dst-prefix=', base, '--', 'lib')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('+++ ')) file = line.slice('+++ '.length)
      const [, from, count = '1'] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
      return from === undefined || count === '0' ? [] : [`${file}:${from}-${Number(from) + Number(count) - 1}`]
    })
}

/** Those that mirror the folders of the files, and those of the whole. */
function testsOf(changed) {
  const folders = changed.map((path) => path.split('/').slice(1, -1))
  const all = folders.flatMap((names) => [['test/unit', ...names].join('/'), WHOLE[names[0]] ?? 'test/login'])
  return [...new Set(all)]
}

/** Of a compiled test, which may be named as for Jest (test/login/web), or of all in a folder. */
function pattern(path) {
  const file = [path, `${path}.test.ts`].find((name) => existsSync(name) && statSync(name).isFile())
  if (file !== undefined) return file.replace(/\.ts$/, '.js')
  if (existsSync(path)) return `${path.replace(/\/$/, '')}/**/*.test.js`
  console.error(`There is no test ${path}.`)
  return process.exit(1)
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8' }).trim()
}
