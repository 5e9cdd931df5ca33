import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(__dirname, '../../..')

async function explore(folder: string, ...options: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(folder, 'dist/test/explore/main.js'), ...options])
  return stdout
}

test('every state that is reached in a minute of each processor keeps the promises, and every outcome and line is reached', async () => {
  const printed = await explore(ROOT, '--minutes=1')
  expect(printed).toMatch(/^\d+ worlds, [1-9]\d* of them to their end: \d+ states, \d+ transitions; 0 defects$/m)
  expect(printed).not.toContain('not reached')
}, 600_000)

test('a defect is told as a story and as a test', async () => {
  const copy = copyOfPackage()
  try {
    // The planted defect: a callback with a key of its own shares the login that runs for another key.
    replaceIn(join(copy, 'dist/lib/login/pending-login/used-logins.js'), 'login?.authKey !== authKey', '!login')
    const { stdout } = await explore(copy, '--until-defect', '--configuration=attacker').then(
      () => ({ stdout: 'no defect' }),
      (error: { stdout: string }) => error,
    )
    expect(stdout).toContain(' 1. victim 1: follows the link of the application to sign in at the honest provider.')
    expect(stdout).toContain("follow('attacker, session', [\n    'victim 1: starts at honest',")
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}, 150_000)

function copyOfPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'explore-'))
  for (const name of ['dist', 'package.json', 'test/fixtures'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction')
  return folder
}

function replaceIn(path: string, text: string, replacement: string): void {
  const [before, after, ...others] = readFileSync(path, 'utf8').split(text)
  if (before === undefined || after === undefined || others.length > 0) throw new Error(`not once in ${path}: ${text}`)
  writeFileSync(path, before + replacement + after)
}
