import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSecrets } from '../../support/canaries'
import { approve } from '../../support/doctor'
import { CLI, runDoctorProcess } from '../../support/doctor-command'
import { freePort } from '../../support/free-port'
import { useLogins } from '../../support/logins'

// The command as a process: its exit codes, its prompts on a terminal, and the port where it waits.

const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
const SECRET = 'app-secret-canary-5c1e9a7f'
const logins = useLogins()
afterAll(() => rmSync(folder, { recursive: true }))

const register = (redirectURL = 'http://localhost:1/cb') =>
  logins.provider.registerApplication({ name: 'Mine', redirectURL, appID: 'mine', appSecret: SECRET })

test('the exit code is 0 for a good provider, 1 for a broken one, and 2 for wrong arguments', async () => {
  expect(await runDoctorProcess([logins.provider.baseURL])).toMatchObject({ code: 0, stderr: '' })
  expect(await runDoctorProcess(['http://127.0.0.1:1/api/v1'])).toMatchObject({ code: 1, stderr: '' })
  const wrong = await runDoctorProcess(['https://social.example'])
  expect([wrong.code, wrong.stdout]).toStrictEqual([2, ''])
  expect(wrong.stderr).toBe('The base URL must end in /v1: mostly it is https://social.example/api/v1\nTry --help.\n')
})

test('a callback to this machine is caught, and no other request', async () => {
  const redirectURL = `http://localhost:${await freePort()}/cb`
  const application = register(redirectURL)
  const args = [CLI, 'doctor', logins.provider.baseURL, '--app-id', 'mine', '--login', '--redirect-url', redirectURL]
  const child = spawn(process.execPath, args, { env: { ...process.env, SOCIAL_CLIENT_SECRET: SECRET } })
  const output: string[] = []
  child.stdout.on('data', (chunk) => output.push(String(chunk)))
  child.stdin.end()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let hasVisited = false
  for await (const chunk of child.stderr) {
    output.push(String(chunk))
    if (hasVisited || !output.join('').includes('Open this in a browser')) continue
    hasVisited = true
    const others = await Promise.all(
      ['/favicon.ico', '/cbx?auth_key=other', '/cb'].map((path) => fetch(new URL(path, redirectURL))),
    )
    const page = await fetch(await approve(logins.provider, application, '1'), { headers: { accept: 'text/html' } })
    const statuses = [...others, page].map(({ status }) => status)
    expect([statuses, page.headers.get('cache-control')]).toStrictEqual([[404, 404, 404, 200], 'no-store'])
  }
  expect(await ended).toBe(0)
  expect(output.join('')).toContain(`callbackURL: '${redirectURL}'`)
})

/** Runs the doctor on a terminal; `answer` returns what to type after the given text has appeared. */
async function onTerminal(args: readonly string[], answers: readonly (readonly [string, () => Promise<string>])[]) {
  const command = [process.execPath, CLI, 'doctor', ...args].map((part) => `'${part}'`).join(' ')
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: { PATH: process.env['PATH'], TERM: 'xterm' } })
  let text = ''
  const waiting = [...answers]
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  for await (const chunk of child.stdout) {
    text += String(chunk)
    const [next] = waiting
    if (next === undefined || !text.includes(next[0])) continue
    waiting.shift()
    child.stdin.write(await next[1]())
  }
  return { code: await ended, text }
}

test('on a terminal, the secret is asked for and not shown, and progress is', async () => {
  const application = register()
  const { code, text } = await onTerminal(
    [logins.provider.baseURL, '--app-id', 'mine', '--login'],
    [
      ['Application secret', async () => `${SECRET}\r`],
      ['paste the address', async () => `${await approve(logins.provider, application, '1')}\r`],
    ],
  )
  expect([code, text]).toStrictEqual([0, expect.stringContaining('The provider exchanged the key for a token.')])
  expect(text).toContain('Visiting the login page ...')
  expect(findSecrets([SECRET], { text })).toStrictEqual([])
  expect(logins.provider.requests.map(({ form }) => form['app_secret'])).toContain(SECRET)
})

test.each(['Application secret', 'paste the address'])('Ctrl+C at "%s" leaves nothing', async (question) => {
  register()
  const recorded = join(folder, 'interrupted.json')
  const answers = [
    ['Application secret', async () => (question === 'Application secret' ? '\x03' : `${SECRET}\r`)],
    ['paste the address', async () => '\x03'],
  ] as const
  const { code, text } = await onTerminal(
    [logins.provider.baseURL, '--app-id', 'mine', '--login', '--record', recorded],
    answers,
  )
  expect([code, existsSync(recorded)]).toStrictEqual([130, false])
  expect(text).not.toContain('Error')
  expect(findSecrets([SECRET], { text })).toStrictEqual([])
})

test('Ctrl+C while a request waits for the provider ends the doctor', async () => {
  const application = register()
  const { code, text } = await onTerminal(
    [logins.provider.baseURL, '--app-id', 'mine', '--login', '--timeout', '20'],
    [
      ['Application secret', async () => `${SECRET}\r`],
      [
        'paste the address',
        async () => {
          logins.provider.failNext('authorize', { hang: true })
          return `${await approve(logins.provider, application, '1')}\r`
        },
      ],
      ['Exchanging the key', async () => '\x03'],
    ],
  )
  expect([code, text]).toStrictEqual([130, expect.not.stringContaining('Options to paste')])
})
