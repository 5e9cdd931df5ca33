import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** The process warnings of an application with a mistake, in a process of its own: each is given once. */
function warningsOf(mistake: string): unknown {
  const { NODE_ENV: _, ...env } = process.env
  const program = join(__dirname, 'application-mistakes-program.js')
  const { stdout, stderr } = spawnSync(process.execPath, [program, mistake], { encoding: 'utf8', env })
  if (!stdout) throw new Error(stderr)
  return JSON.parse(stdout)
}

test.each([
  ['no passport.session()', ['PASSPORT_SESSION_MISSING']],
  ['secure cookie on plain http', ['SESSION_COOKIE_NOT_SET']],
  ['strict', ['SESSION_COOKIE_STRICT']],
  ['one name', ['NAME_SHARED']],
])('the mistake "%s" is said once, as a process warning with a code', (mistake, codes) => {
  expect(warningsOf(mistake)).toEqual(codes)
})

test.each(['none', 'secure behind a trusted proxy', 'one provider'])(
  'without a mistake (%s) nothing is said',
  (right) => {
    expect(warningsOf(right)).toEqual([])
  },
)
