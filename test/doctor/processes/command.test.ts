import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FakeProvider, wild } from '../../../lib/testing'
import { findSecrets } from '../../support/canaries'
import { approve } from '../../support/doctor'
import { CLI, runDoctor, unwrapped } from '../../support/doctor-command'
import { freePort } from '../../support/free-port'

const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
const SECRET = 'app-secret-canary-5c1e9a7f'
let provider: FakeProvider

beforeEach(async () => {
  provider = await FakeProvider.start()
})
afterEach(() => provider.stop())
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string): string => join(folder, name)
const register = (redirectURL = 'http://localhost:1/cb') =>
  provider.registerApplication({ name: 'Mine', redirectURL, appID: 'mine', appSecret: SECRET })

test.each<[string[], string]>([
  [[], 'Missing the base URL'],
  [['https://site.example'], 'The base URL must end in /v1: mostly it is https://site.example/api/v1'],
  [['https://site.example/api/v2'], 'The base URL must end in /v1'],
  [['site.example/api/v1'], 'The base URL must be an http(s) address'],
  [['file:///etc/passwd/v1'], 'The base URL must be an http(s) address'],
  [['https://site.example/api/v1?x=1'], 'The base URL must be an http(s) address'],
  [[`https://${'x'.repeat(300)}.example/v1`], 'The base URL must be an http(s) address'],
  [['https://a.example/v1', 'https://b.example/v1'], 'One base URL at a time'],
  [['https://site.example/v1', '--login'], '--login needs --app-id, or SOCIAL_CLIENT_ID'],
  [['https://site.example/v1', '--login', '--app-id', '1'], '--login needs the secret: set SOCIAL_CLIENT_SECRET'],
  [['https://site.example/v1', '--timeout', '0'], '--timeout takes a whole number from 1 to 120, not "0"'],
  [['https://site.example/v1', '--redirect-url', '/cb'], '--redirect-url must be an absolute http(s) address'],
  [['https://site.example/v1', '--nonsense'], "Unknown option '--nonsense'"],
])('the arguments %j are refused with one sentence', async (args, message) => {
  const { code, stdout, stderr } = await runDoctor(args)
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
  expect(stderr.trim().split('\n')).toHaveLength(message.startsWith('Unknown option') ? 2 : 2)
})

test.each([
  ['--secret', SECRET],
  ['--app-secret', SECRET],
  [`--client-secret=${SECRET}`],
  [`https://site.example/v1?app_secret=${SECRET}`],
  [`https://user:${SECRET}@site.example/v1`],
  ['--app-id', SECRET],
])('a secret among the arguments is refused, and not repeated: %s', async (...secret) => {
  const env = secret[0] === '--app-id' ? { SOCIAL_CLIENT_SECRET: SECRET } : {}
  const { code, stdout, stderr } = await runDoctor([provider.baseURL, ...secret], { env })
  expect([code, stderr]).toEqual([2, expect.stringContaining('A secret is never an argument')])
  expect(findSecrets([SECRET], { stdout, stderr })).toEqual([])
  expect(provider.requests).toEqual([])
})

test('--help lists every option', async () => {
  const { code, stdout } = await runDoctor(['--help'])
  expect(code).toBe(0)
  for (const option of [
    '--app-id',
    '--redirect-url',
    '--login',
    '--allow-get',
    '--spend-twice',
    '--record',
    '--json',
    '--timeout',
  ])
    expect(stdout).toContain(option)
})

test('the report is plain ASCII of at most 80 columns, with the level of each line as a word', async () => {
  provider.setMode('wild')
  register()
  const { stdout } = await runDoctor([provider.baseURL, '--app-id', 'mine'])
  const lines = stdout.split('\n')
  expect(lines.filter((line) => line.length > 80 || !/^[\x20-\x7e]*$/.test(line))).toEqual([])
  const [, findings = ''] = stdout.split('\n\n')
  for (const line of findings.split('\n')) expect(line).toMatch(/^(good {5}|differs {2}|broken {3}| {9})\S/)
})

test('the documentation shows what is printed', async () => {
  const page = readFileSync(join(__dirname, '../../../../docs/connecting.md'), 'utf8')
  const [, shown = ''] = /```text\n\$ .*\n([\s\S]*?)\n```/.exec(page) ?? []
  provider.setMode({ ...wild, withoutUserMe: true })
  provider.registerApplication({ name: 'Mine', redirectURL: 'http://localhost:1/cb', appID: 'my-app' })
  const { stdout } = await runDoctor([provider.baseURL, '--app-id', 'my-app'])
  const untimed = (text: string) => unwrapped(text).replace(/less than a millisecond|\d+ ms/g, 'some ms')
  expect(untimed(stdout).replaceAll(provider.origin, 'http://127.0.0.1:4400').trim()).toBe(untimed(shown))
})

test('with --json the report is one document, and the exit code the same', async () => {
  provider.setMode({ withoutUserMe: true, scriptWarnings: true })
  const { code, stdout } = await runDoctor([provider.baseURL, '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    version: 1,
    broken: true,
    options: { baseURL: provider.baseURL, profileEndpoint: 'get_user_info' },
    mode: { withoutUserMe: true, scriptWarnings: true },
    findings: expect.arrayContaining([{ level: 'broken', check: 'Warnings', message: expect.any(String) }]),
  })
})

test('a pasted address is exchanged, the profile read, and a second login compared', async () => {
  provider.setMode('wild')
  const application = register()
  const input = `${await approve(provider, application, '3')}\n`
  const recorded = file('site.json')
  const args = [provider.baseURL, '--app-id', 'mine', '--login', '--record', recorded]
  const { code, stdout, stderr } = await runDoctor(args, { env: { SOCIAL_CLIENT_SECRET: SECRET }, input })
  expect([code, unwrapped(stdout)]).toEqual([
    0,
    expect.stringContaining('good     Login: The site exchanged the key for a token.'),
  ])
  expect(stderr).toContain(`${provider.oauthBase}/oauth?app_id=mine`)
  const text = readFileSync(recorded, 'utf8')
  expect(JSON.parse(text)).toMatchObject({ wrapUser: 'user_info', stringTypes: true, encodeEntities: true })
  // Flags only: words of the record's own names, and nothing of the person, the key or the token.
  expect(Object.values(JSON.parse(text)).filter((value) => typeof value !== 'boolean')).toEqual(['user_info'])
  const again = await FakeProvider.start({ mode: JSON.parse(text) })
  await again.stop()
})

test('a callback to this machine is caught', async () => {
  const redirectURL = `http://localhost:${await freePort()}/cb`
  const application = register(redirectURL)
  const args = [CLI, 'doctor', provider.baseURL, '--app-id', 'mine', '--login', '--redirect-url', redirectURL]
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
    const foreign = await fetch(new URL('/favicon.ico', redirectURL))
    const page = await fetch(await approve(provider, application, '1'))
    expect([foreign.status, page.status, page.headers.get('cache-control')]).toEqual([404, 200, 'no-store'])
  }
  expect(await ended).toBe(0)
  expect(output.join('')).toContain(`callbackURL: '${redirectURL}'`)
})

test('a taken port of the redirect URL is an error with its cure', async () => {
  const redirectURL = `${provider.origin}/cb`
  const args = [provider.baseURL, '--app-id', 'mine', '--login', '--redirect-url', redirectURL]
  const { code, stderr } = await runDoctor(args, { env: { SOCIAL_CLIENT_SECRET: SECRET } })
  expect([code, stderr]).toEqual([2, expect.stringContaining('stop the application that listens there')])
})

test('--record leaves a file alone that is no record', async () => {
  const precious = file('precious.txt')
  writeFileSync(precious, 'precious')
  const { code, stderr } = await runDoctor([provider.baseURL, '--record', precious])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--record names a file that exists and is no record')])
  expect(readFileSync(precious, 'utf8')).toBe('precious')
})

test('where nothing was seen, nothing is recorded', async () => {
  const recorded = file('nothing.json')
  const { code, stdout } = await runDoctor(['http://127.0.0.1:1/api/v1', '--record', recorded])
  expect([code, existsSync(recorded)]).toEqual([1, false])
  expect(stdout).toContain('Nothing was seen that could be recorded')
})

/** Runs the doctor on a terminal; `answer` tells what to type after the given text has appeared. */
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
    [provider.baseURL, '--app-id', 'mine', '--login'],
    [
      ['Application secret', async () => `${SECRET}\r`],
      ['paste the address', async () => `${await approve(provider, application, '1')}\r`],
      ['press Enter to end', async () => '\r'],
    ],
  )
  expect([code, text]).toEqual([0, expect.stringContaining('The site exchanged the key for a token.')])
  expect(text).toContain('Visiting the login page ...')
  expect(findSecrets([SECRET], { text })).toEqual([])
  expect(provider.requests.map(({ form }) => form['app_secret'])).toContain(SECRET)
})

test.each(['Application secret', 'paste the address'])('Ctrl+C at "%s" leaves nothing', async (question) => {
  register()
  const recorded = file('interrupted.json')
  const answers = [
    ['Application secret', async () => (question === 'Application secret' ? '\x03' : `${SECRET}\r`)],
    ['paste the address', async () => '\x03'],
  ] as const
  const { code, text } = await onTerminal(
    [provider.baseURL, '--app-id', 'mine', '--login', '--record', recorded],
    answers,
  )
  expect([code, existsSync(recorded)]).toEqual([130, false])
  expect(text).not.toContain('Error')
  expect(findSecrets([SECRET], { text })).toEqual([])
})
