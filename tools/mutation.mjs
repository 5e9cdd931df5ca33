// Mutation testing of the targets that decide: `npm run test:mutation`, or with names of them: `... -- request json`.
// Stryker is fetched into a copy of the package, so that the package itself stays small.
//
// `npm run test:mutation -- --guards` takes away the guards of test/package/guards one after the other, and runs the
// tests that must notice; with parts of names of files, only those there: `... --guards client/http doctor`.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VERSION = '9.5.1'
const MIN_SCORE = 90

/** Which compiled file is changed, and by which tests that must be noticed. */
const targets = {
  // `properties.requests` is left out: 20,000 requests for each mutant take more than a quarter of an hour.
  request: [
    'login/request/request',
    'unit/login/request/request',
    'unit/login/request/headers.origins',
    'unit/login/pages/tab-binding',
  ],
  'request-headers': [
    'login/request/headers',
    'unit/login/request/request',
    'unit/login/request/headers.origins',
    'unit/login/pages/tab-binding',
  ],
  'pending-login': [
    'login/pending-login/pending-login',
    'unit/login/pending-login/pending-login',
    'unit/login/pending-login/return-path',
  ],
  check: ['login/pending-login/check', 'unit/login/pending-login/check'],
  'used-logins': ['login/pending-login/used-logins', 'unit/login/pending-login/used-logins'],
  'session-store': [
    'login/pending-login/stores/session-store',
    'unit/login/pending-login/stores/session-store',
    'faults/application',
  ],
  'sealed-cookie': [
    'login/pending-login/stores/sealed-cookie',
    'unit/login/pending-login/stores/cookie-store',
    'unit/login/pending-login/stores/cookie-store.options',
    'login/cookie-store',
  ],
  json: ['client/response/json', 'unit/client/response/json', 'unit/client/response/profile'],
  user: [
    'client/response/user',
    'unit/client/response/user',
    'unit/client/response/profile',
    'unit/client/response/profile.fields',
  ],
  profile: ['client/response/profile', 'unit/client/response/profile', 'unit/client/response/profile.fields'],
  client: [
    'client/client',
    'unit/client/client',
    'unit/client/auto-profile',
    'unit/client/exchange-by-get',
    'unit/client/abort-and-deadline',
    'unit/client/response/responses',
    'unit/client/http/closed-connections',
  ],
  responses: ['client/response/responses', 'unit/client/response/responses'],
  'response-reader': ['client/http/response-reader', 'unit/client/http/response-reader'],
}

/** The range of lines behind the imports, which no test could do without. */
function behindImports(file) {
  const lines = readFileSync(file, 'utf8').split('\n')
  const first = lines.findLastIndex((line) => /^const \w+ = require\(|^Object\.defineProperty\(exports/.test(line)) + 2
  return `${file}:${first}-${lines.length}`
}

const run = (command, ...args) => execFileSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' })

run('npm', 'run', 'build')
if (process.argv[2] === '--guards') {
  const { GUARD_MUTANTS } = createRequire(import.meta.url)('../dist/test/package/guards/index.js')
  const { runGuardMutants } = await import('./guard-mutants.mjs')
  process.exit(await runGuardMutants(GUARD_MUTANTS, process.argv.slice(3)))
}
const wanted = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(targets)
const folder = mkdtempSync(join(tmpdir(), 'mutation-'))
for (const name of ['dist', 'lib', 'test', 'package.json', 'package-lock.json', 'node_modules']) {
  cpSync(name, join(folder, name), { recursive: true, verbatimSymlinks: true })
}
mkdirSync(join(folder, 'reports'))
process.chdir(folder)
run('npm', 'install', '--no-save', `@stryker-mutator/core@${VERSION}`, `@stryker-mutator/jest-runner@${VERSION}`)
Object.assign(process.env, { RETURN_TO_RUNS: '200', COOKIE_RUNS: '20' })

const { jest } = JSON.parse(readFileSync('package.json', 'utf8'))
const scores = {}
for (const name of wanted) {
  const [file, ...tests] = targets[name]
  const settings = {
    testRunner: 'jest',
    jest: {
      projectType: 'custom',
      enableFindRelatedTests: false,
      config: { ...jest, testMatch: tests.map((test) => `**/dist/test/${test}.test.js`) },
    },
    // `perTest` will not do: Stryker would select tests by their names, which are too many for one regular expression.
    coverageAnalysis: 'all',
    mutate: [behindImports(`dist/lib/${file}.js`)],
    ignorePatterns: ['!dist'],
    // Stryker's own reading of it needs the API that TypeScript 7 does not have.
    tsconfigFile: 'none.json',
    plugins: ['@stryker-mutator/jest-runner'],
    reporters: ['clear-text', 'json'],
    // The names of all tests are left out: some hold whole bodies.
    clearTextReporter: { reportTests: false },
    jsonReporter: { fileName: `reports/${name}.json` },
    concurrency: 2,
    timeoutMS: 20_000,
  }
  writeFileSync('stryker.config.json', JSON.stringify(settings))
  run('npx', 'stryker', 'run')
  const { files } = JSON.parse(readFileSync(`reports/${name}.json`, 'utf8'))
  const mutants = Object.values(files).flatMap((file) => file.mutants)
  const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
  const alive = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage').length
  scores[name] = Math.round((1000 * killed) / (killed + alive)) / 10
}
console.log(scores, folder)
process.exitCode = Object.values(scores).every((score) => score >= MIN_SCORE) ? 0 : 1
