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
    const tell = (error) => console.log(error.name)
    ${statement}
    setTimeout(() => console.log('alive'), 50)`
  const { status, stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' })
  return [status, stdout]
}

test('a rejected promise that nobody awaits ends a process', () => {
  expect(run('rejected()')).toEqual([1, ''])
})

test.each([
  ['user of start', 'make().start(request, { user: rejected() }).catch(tell)'],
  ['user of callback', 'make().callback(request, { user: rejected() }).catch(tell)'],
  ['user of pendingLogin', 'make().pendingLogin(request, { user: rejected() }).catch(tell)'],
  ['failureRedirect', 'try { make({ failureRedirect: rejected() }) } catch (error) { tell(error) }'],
  ['successRedirect', 'try { make({ successRedirect: rejected() }) } catch (error) { tell(error) }'],
])('an unawaited promise as the %s is a TypeError, and its rejection ends nothing', (_what, statement) => {
  expect(run(statement)).toEqual([0, 'TypeError\nalive\n'])
})
