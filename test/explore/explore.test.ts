import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { mutantsIn } from '../mutation/mutants'
import { PackageCopy } from '../mutation/package-copy'

const run = promisify(execFile)

async function explore(folder: string, ...options: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(folder, 'dist/test/explore/main.js'), ...options])
  return stdout
}

test('every state that is reached in a minute of each processor keeps the promises, and every outcome and line is reached', async () => {
  const printed = await explore(join(__dirname, '../../..'), '--minutes=1')
  expect(printed).toMatch(/^\d+ worlds, [1-9]\d* of them to their end: \d+ states, \d+ transitions; 0 defects$/m)
  expect(printed).not.toContain('not reached')
}, 600_000)

test('a defect is told as a story and as a test', async () => {
  const [mutant] = mutantsIn((file) => file === 'login/pending-login/used-logins').filter(
    ({ rule, text }) => rule === 'operand' && text.endsWith('-> (login.waiting === MAX_WAITING)'),
  )
  if (!mutant) throw new Error('A double may not have another key: that condition is no longer in used-logins.')
  const copy = new PackageCopy()
  try {
    const options = ['--until-defect', '--configuration=attacker']
    const { stdout } = await copy.with(mutant, async () =>
      explore(copy.folder, ...options).then(
        () => ({ stdout: 'no defect' }),
        (error: { stdout: string }) => error,
      ),
    )
    expect(stdout).toContain(' 1. victim 1: follows the link of the application to sign in at the honest provider.')
    expect(stdout).toContain("follow('attacker, session', [\n    'victim 1: starts at honest',")
  } finally {
    copy.remove()
  }
}, 150_000)
