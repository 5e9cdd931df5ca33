import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../../../..')
const tsc = join(root, 'node_modules/typescript/bin/tsc')

test.each(['example-app', 'test/package/docs'])('%s compiles as an ordinary application', (folder) => {
  expect(spawnSync(process.execPath, [tsc, '-p', join(root, folder)], { encoding: 'utf8' }).stdout).toBe('')
})

test('what `npm start` compiles compiles', () => {
  const args = [tsc, '-p', join(root, 'tsconfig.start.json'), '--noEmit', '--incremental', 'false']
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect([stdout, status]).toStrictEqual(['', 0])
})

test.each(['none', '{ "compilerOptions": { "module": "esnext", "noEmit": true } }'])(
  'the small application compiles as the README says, beside a tsconfig.json: %s',
  (config) => {
    const [, line = ''] = /^npx tsc (app\.ts [^&]*) &&/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
    const folder = mkdtempSync(join(root, 'dist/readme-'))
    copyFileSync(join(root, 'example-app/minimal.ts'), join(folder, 'app.ts'))
    if (config !== 'none') writeFileSync(join(folder, 'tsconfig.json'), config)
    const args = [tsc, ...line.trim().split(' ')]
    const { stdout, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    const isThere = existsSync(join(folder, 'app.js'))
    rmSync(folder, { recursive: true })
    expect([stdout, status, isThere]).toStrictEqual(['', 0, true])
  },
)

test('the linking routes for JavaScript are the typed ones without their types', () => {
  const folder = mkdtempSync(join(root, 'dist/linking-'))
  copyFileSync(join(root, 'docs/files/linking.ts'), join(folder, 'linking.mts'))
  const options = ['--ignoreConfig', '--module', 'nodenext', '--target', 'esnext', '--noCheck']
  spawnSync(process.execPath, [tsc, 'linking.mts', ...options], { cwd: folder })
  const [compiled, copied] = [join(folder, 'linking.mjs'), join(root, 'docs/files/linking.mjs')].map(codeOf)
  rmSync(folder, { recursive: true })
  expect(copied).toBe(compiled)
})

/** The code of a file without spaces, and without what a formatter chooses: tsc has neither blank lines nor our commas. */
function codeOf(file: string): string {
  return readFileSync(file, 'utf8').replaceAll(/[\s;,]/g, '')
}
