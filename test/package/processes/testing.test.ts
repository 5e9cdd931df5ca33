import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeInstalledProject } from '../../support/installed-project'

const root = join(__dirname, '../../../..')
const PAGE = join(root, 'test/package/docs/testing')
const CREATE_APP = join(__dirname, '../docs/your-app.js')
const JEST = ['--experimental-vm-modules', join(root, 'node_modules/jest/bin/jest.js')]

/** A project with the small application of the README, in which the package is installed. */
let folder: string

beforeEach(() => {
  folder = makeInstalledProject('testing')
  copyFileSync(join(root, 'docs/files/app.mjs'), join(folder, 'app.mjs'))
  writeFileSync(join(folder, 'create-app.mjs'), `export { createApp } from ${JSON.stringify(CREATE_APP)}`)
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs the tests of docs/guides/testing.md in a file of this name. @returns the exit code, and what was printed */
function run(args: readonly string[], file: string, change = (code: string): string => code): [number | null, string] {
  writeFileSync(join(folder, 'app.test.mjs'), change(readFileSync(join(PAGE, file), 'utf8')))
  // Without the variable by which node:test knows that it runs in another of its tests, and writes no report.
  const env = { ...process.env, NODE_OPTIONS: '', NODE_TEST_CONTEXT: undefined }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' })
  return [status, stdout + stderr]
}

/** The application of the README with a function `createApp`, as the page says. */
function writeCreateApp(): void {
  const [lines] =
    /^passport\.use\([\s\S]*^app\.use\(handleErrors\)$/m.exec(readFileSync(join(folder, 'app.mjs'), 'utf8')) ?? []
  const frame = readFileSync(join(PAGE, 'create-app.mjs'), 'utf8')
  writeFileSync(
    join(folder, 'create-app.mjs'),
    frame.replace(/^ *\/\/ here, the lines from .*$/m, () => `${lines}`),
  )
  copyFileSync(join(PAGE, 'app.mjs'), join(folder, 'app.mjs'))
}

const TESTS = readFileSync(join(PAGE, 'app.test.mjs'), 'utf8').split(/^test\(/m).length - 1

test('the tests of docs/guides/testing.md pass in node:test', () => {
  expect(run(['--test'], 'app.test.mjs')).toStrictEqual([
    0,
    expect.stringMatching(new RegExp(`^. pass ${TESTS}$`, 'm')),
  ])
})

test('the tests of docs/guides/testing.md pass in Jest, but for the clock of node:test', () => {
  const inJest = (code: string): string =>
    code.replace("const { mock } = await import('node:test')\n", '').replace("from 'node:test'", "from '@jest/globals'")
  const output = [1, expect.stringContaining(`Tests:       1 failed, ${TESTS - 1} passed`)]
  expect(run([...JEST, '--rootDir', folder], 'app.test.mjs', inJest)).toEqual(output)
})

test('the small application with a function createApp passes the first test, and runs as before', () => {
  writeCreateApp()
  const firstTest = (code: string): string => code.split('\nconst { mock }', 1).join()
  expect(run(['--test'], 'app.test.mjs', firstTest)).toStrictEqual([0, expect.stringMatching(/^. pass 1$/m)])
  expect(run(['--test'], 'spawned.test.mjs')).toStrictEqual([0, expect.stringMatching(/^. pass 2$/m)])
})

test.each([
  ['node:test', ['--test'], /^. pass 2$/m, (code: string): string => code],
  [
    'Jest',
    JEST,
    /^Tests: +2 passed/m,
    (code: string): string =>
      code
        .replace("{ after, before, test } from 'node:test'", "{ afterAll, beforeAll, test } from '@jest/globals'")
        .replaceAll(/^(before|after)\(/gm, '$1All('),
  ],
])('the small application is tested as it is, in %s', (_runner, args, passed, change) => {
  expect(run(args, 'spawned.test.mjs', change)).toStrictEqual([0, expect.stringMatching(passed)])
})

test('an application that ends at its start is told, and not waited for', () => {
  writeFileSync(join(folder, 'app.mjs'), 'process.exit(3)')
  expect(run(['--test'], 'spawned.test.mjs')).toStrictEqual([
    1,
    expect.stringContaining('app.mjs ended with exit code 3'),
  ])
})
