import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

// A promise that nobody awaits ends the process when it rejects. In a process of its own, which would end.

const KEY = 'k'.repeat(32)

/** Runs a statement with a `login`. @returns the exit code, and what it printed */
function run(statement: string): [code: number | null, printed: string] {
  const program = `
    const { SocialLogin } = require(${JSON.stringify(join(__dirname, '../../../lib/web'))})
    const options = { baseURL: 'https://social.example/api/v1', clientID: 'id', clientSecret: 'secret' }
    const make = (more) => new SocialLogin({ ...options, callbackURL: 'https://app.example/cb', keys: ['${KEY}'], ...more })
    const request = new Request('https://app.example/auth', { headers: { 'sec-fetch-site': 'same-origin' } })
    const rejected = () => Promise.reject(new Error('the database is away'))
    ${statement}
    setTimeout(() => console.log('alive'), 50)`
  const { status, stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' })
  return [status, stdout]
}

test('a rejected promise that nobody awaits ends a process', () => {
  expect(run('rejected()')).toStrictEqual([1, ''])
})

const STATEMENTS: Readonly<Record<string, string>> = {
  'user of start': 'await make().start(request, { user: rejected() })',
  'user of callback': 'await make().callback(request, { user: rejected() })',
  'user of pendingLogin': 'await make().pendingLogin(request, { user: rejected() })',
  failureRedirect: 'make({ failureRedirect: rejected() })',
}

describe('an unawaited promise', () => {
  let ended: [code: number | null, printed: string]

  beforeAll(() => {
    const calls = Object.entries(STATEMENTS).map(
      ([what, statement]) =>
        `await (async () => { ${statement} })().catch(({ name }) => console.log('${what}:', name))`,
    )
    ended = run(`void (async () => { ${calls.join('\n')} })()`)
  })

  test.each(Object.keys(STATEMENTS))('as the %s is a TypeError', (what) => {
    expect(ended[1]).toContain(`${what}: TypeError\n`)
  })

  test('ends nothing by its rejection', () => {
    expect(ended).toStrictEqual([0, expect.stringMatching(/\nalive\n$/)])
  })
})
