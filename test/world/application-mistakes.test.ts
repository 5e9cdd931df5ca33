import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const MISTAKES: readonly (readonly [mistake: string, codes: readonly string[]])[] = [
  ['no passport.session()', ['PASSPORT_SESSION_MISSING']],
  ['secure cookie on plain http', ['SESSION_COOKIE_NOT_SET']],
  ['strict', ['SESSION_COOKIE_STRICT']],
  ['one name', ['NAME_SHARED']],
  ['one callback', ['CALLBACK_SHARED']],
  ['one callback by its path', ['CALLBACK_SHARED']],
  ['one callback by a call', ['CALLBACK_SHARED']],
  ['an option in other letters', ['OPTION_MISSPELT']],
  ['an option of the strategy in other letters', ['OPTION_MISSPELT']],
]
const RIGHT = [
  'none',
  'secure behind a trusted proxy',
  'one provider',
  'one path on two hosts',
  'an option of another strategy',
]

/** The process warnings of each application, in another process: here, NODE_ENV is that of tests. */
let warnings: Readonly<Record<string, unknown>>

beforeAll(() => {
  const { NODE_ENV: _, ...env } = process.env
  const program = [join(__dirname, 'application-mistakes-program.js'), ...MISTAKES.map(([name]) => name), ...RIGHT]
  const { stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8', env })
  if (!stdout) throw new Error(stderr)
  warnings = JSON.parse(stdout)
})

test.each(MISTAKES)('the mistake "%s" is said once, as a process warning with a code', (mistake, codes) => {
  expect(warnings[mistake]).toEqual(codes)
})

test.each(RIGHT)('without a mistake (%s) nothing is said', (right) => {
  expect(warnings[right]).toStrictEqual([])
})
