import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listen } from '../support/listen'

const root = join(__dirname, '../../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const CHECK_PORTS = 'tools/check-ports.mjs'

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
    const commands: string[][] = scripts[script].split(' && ').map((command: string) => command.split(' '))
    const [program, tool = '', ...args] = commands.find(([, file]) => file !== CHECK_PORTS) ?? []
    expect([program, tool]).toStrictEqual(['node', 'tools/install.mjs'])
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

describe('`npm start` reports a port that is taken', () => {
  const checkPorts = (env: Record<string, string>): [number | null, string] => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, CHECK_PORTS)], { cwd: tmpdir(), env })
    return [status, String(stderr)]
  }
  const free = { PORT: '0', PROVIDER_PORT: '0' }

  test('before it installs', () => {
    expect(scripts.prestart).toMatch(/^node tools\/check-ports\.mjs && node tools\/install\.mjs start && /)
  })

  test('by the variable, and by the ports that README.md names', async () => {
    await using other = await listen(undefined, '127.0.0.1')
    const taken = new URL(other.origin).port
    const isTaken = (variable: string): string => `${variable} cannot be used: port ${taken} is taken.`
    for (const variable of ['PORT', 'PROVIDER_PORT', 'PROVIDER2_PORT']) {
      expect(checkPorts({ ...free, [variable]: taken })).toStrictEqual([1, expect.stringContaining(isTaken(variable))])
    }
    const first = { PORT: '0', PROVIDER_PORT: String(Number(taken) - 100) }
    expect(checkPorts(first)[1]).toContain(isTaken('PROVIDER2_PORT'))
    expect(checkPorts({ ...first, SOCIAL_BASE_URL: 'https://social.example/api/v1' })).toStrictEqual([0, ''])
    expect(checkPorts({ ...free, PORT: 'no port' })).toStrictEqual([0, ''])
    const line = 'PORT=3001 PROVIDER_PORT=4401 npm start'
    expect(checkPorts({ ...free, PORT: taken })[1]).toContain(line)
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(line)
  })
})

test('a build begins with an empty folder, because a start leaves what has no source any more', () => {
  const [, second] = scripts.build.split(' && ')
  expect(second).toContain("fs.rmSync('dist', { recursive: true, force: true })")
  for (const script of ['test', 'prepack']) expect(scripts[script]).toMatch(/^npm run build\b/)
})
