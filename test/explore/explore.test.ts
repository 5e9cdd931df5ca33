import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Script } from 'node:vm'
import { generateMutants } from './generated-mutants'
import { MUTANTS } from './mutant-list'

const run = promisify(execFile)

async function explore(...options: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(__dirname, 'main.js'), ...options])
  return stdout
}

test('every state that is reached in a minute keeps the promises, and every outcome and line is reached', async () => {
  const printed = await explore('--minutes=1')
  expect(printed).toMatch(/^\d+ worlds, [1-9]\d* of them to their end: \d+ states, \d+ transitions; 0 defects$/m)
  expect(printed).not.toContain('not reached')
}, 150_000)

test('a defect is told as a story and as a test', async () => {
  const printed = await explore('--mutants', '--mutant=a double may have another key', '--configuration=attacker')
  expect(printed).toContain(' 1. victim 1: follows the link of the application to sign in at the honest provider.')
  expect(printed).toContain("follow('attacker, session', [\n    'victim 1: starts at honest',")
  expect(printed).toContain('1 of 1 mutants found')
})

test.each([...generateMutants(), ...MUTANTS])(
  'the mutant "$name" changes the code, and is JavaScript',
  ({ file, change }) => {
    const code = readFileSync(join(__dirname, '../../lib/login', `${file}.js`), 'utf8')
    const changed = change(code)
    expect(changed).not.toBe(code)
    expect(() => new Script(changed)).not.toThrow()
  },
)
