import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(__dirname, '../../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

describe('what a script needs is installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'start-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  /** The arguments of npm, if the script runs it in a folder where these packages are installed. */
  function installs(script: string, packages?: readonly string[]): string {
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
    mkdirSync(join(folder, 'node_modules'))
    const list = { packages: Object.fromEntries(packages?.map((name) => [`node_modules/${name}`, {}]) ?? []) }
    if (packages) writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify(list))
    writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho npm "$@"\n', { mode: 0o755 })
    const [command = ''] = scripts[script].split(' && ')
    const [program, tool, ...args] = command.split(' ')
    expect([program, tool]).toEqual(['node', 'tools/install.mjs'])
    const env = { PATH: `${folder}:${process.env['PATH']}` }
    const { stdout, stderr } = spawnSync(process.execPath, [join(root, tool), ...args], { cwd: folder, env })
    return String(stdout) + String(stderr)
  }

  test('by `npm start`: only what the example is compiled and run with', () => {
    expect(installs('prestart')).toBe('npm ci --workspaces=false\n')
    expect(installs('prestart', ['typescript'])).toBe('')
  })

  test.each(['build', 'lint', 'format'])('by %s: all, after a start, too', (script) => {
    expect(installs(script)).toBe('npm ci\n')
    expect(installs(script, ['typescript'])).toBe('npm ci\n')
    expect(installs(script, ['typescript', 'jest'])).toBe('')
  })
})

test('a build begins with an empty folder, because a start leaves what has no source any more', () => {
  const [, second] = scripts.build.split(' && ')
  expect(second).toContain("fs.rmSync('dist', { recursive: true, force: true })")
  for (const script of ['test', 'prepack']) expect(scripts[script]).toMatch(/^npm run build\b/)
})
