import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../../../..')
const blocks = (page: string): string[] =>
  Array.from(readFileSync(join(root, page), 'utf8').matchAll(/^```js\n([\s\S]*?)^```$/gm), ([, code = '']) => code)

/** A project with the application of the README as it stands, in which the package is installed. */
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(root, 'dist', 'testing-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'passport-social-login'))
  writeFileSync(join(folder, 'app.mjs'), blocks('README.md')[0] ?? '')
})
afterEach(() => rmSync(folder, { recursive: true }))

test.each([
  ['a script', 'commonjs', [], (code: string) => code],
  ['an ES module', 'module', ['--experimental-vm-modules'], asModule],
])(
  'the first test of docs/guides/testing.md passes as %s, with jest as it is installed',
  (_kind, type, flags, written) => {
    const first = readFileSync(join(root, 'test/package/docs/testing/app.test.js'), 'utf8')
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
    writeFileSync(join(folder, 'app.test.js'), written(first))
    const jest = [...flags, join(root, 'node_modules/jest/bin/jest.js'), '--rootDir', folder, '--json']
    const env = { ...process.env, NODE_OPTIONS: '' }
    const output = execFileSync(process.execPath, jest, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })
    expect(JSON.parse(output)).toMatchObject({ success: true, numPassedTests: 1 })
  },
)

test('an application that ends at its start is told, and not waited for', () => {
  writeFileSync(join(folder, 'package.json'), '{}')
  writeFileSync(join(folder, 'app.mjs'), 'process.exit(3)')
  writeFileSync(join(folder, 'app.test.js'), readFileSync(join(root, 'test/package/docs/testing/app.test.js'), 'utf8'))
  const jest = [join(root, 'node_modules/jest/bin/jest.js'), '--rootDir', folder]
  const env = { ...process.env, NODE_OPTIONS: '' }
  const { status, stderr } = spawnSync(process.execPath, jest, { cwd: folder, env, encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, expect.stringContaining('app.mjs ended with exit code 3')])
  expect(stderr).not.toContain('Exceeded timeout')
})

function asModule(code: string): string {
  return code.replaceAll(/^const (.*) = require\((.*)\)$/gm, 'import $1 from $2')
}
