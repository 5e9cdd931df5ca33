import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asDeployed, FakeProvider } from '../../lib/testing'
import { findSecrets } from '../support/canaries'
import { approve } from '../support/doctor'
import { runDoctor, unwrapped } from '../support/doctor-command'
import { useLogins } from '../support/logins'

const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
const SECRET = 'app-secret-canary-5c1e9a7f'
const logins = useLogins()
afterAll(() => rmSync(folder, { recursive: true }))

const NO_ADDRESS = 'The base URL must be an http(s) address such as https://social.example/api/v1'

const file = (name: string): string => join(folder, name)
const register = (redirectURL = 'http://localhost:1/cb') =>
  logins.provider.registerApplication({ name: 'Mine', redirectURL, appID: 'mine', appSecret: SECRET })

test.each<[string[], string]>([
  [[], 'Missing the base URL, such as https://social.example/api/v1'],
  [[`https://${'x'.repeat(300)}.example/v1`], NO_ADDRESS],
  [['file:///etc/passwd/v1'], NO_ADDRESS],
  [['https://social.example/v1', '--login', '--app-id', '1'], '--login needs the secret: set SOCIAL_CLIENT_SECRET'],
  [['https://social.example/v1', '--nonsense'], "Unknown option '--nonsense'"],
])('the arguments %j are refused with one sentence', async (args, message) => {
  const { code, stdout, stderr } = await runDoctor(args)
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
  expect(stderr).not.toContain('\n')
})

test.each([
  ['--secret', SECRET],
  ['--app-secret', SECRET],
  [`--client-secret=${SECRET}`],
  [`https://social.example/v1?app_secret=${SECRET}`],
  [`https://user:${SECRET}@social.example/v1`],
  ['--app-id', SECRET],
])('a secret among the arguments is refused, and not repeated: %s', async (...secret) => {
  const env = secret[0] === '--app-id' ? { SOCIAL_CLIENT_SECRET: SECRET } : {}
  const { code, stdout, stderr } = await runDoctor([logins.provider.baseURL, ...secret], { env })
  expect([code, stderr]).toEqual([2, expect.stringContaining('A secret is never an argument')])
  expect(findSecrets([SECRET], { stdout, stderr })).toEqual([])
  expect(logins.provider.requests).toEqual([])
})

test('--help shows the options, which the documentation lists', async () => {
  const { code, stdout } = await runDoctor(['--help'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^ {2}--app-id [\s\S]*^ {2}--record /m)])
})

test('the report is plain ASCII of at most 80 columns, with the level of each line as a word', async () => {
  logins.provider.setMode('as-deployed')
  register()
  const { stdout } = await runDoctor([logins.provider.baseURL, '--app-id', 'mine'])
  const lines = stdout.split('\n')
  expect(lines.filter((line) => line.length > 80 || !/^[\x20-\x7e]*$/.test(line))).toEqual([])
  const [, findings = ''] = stdout.split('\n\n')
  for (const line of findings.split('\n')) expect(line).toMatch(/^(good {5}|differs {2}|broken {3}| {9})\S/)
})

test('the documentation shows what is printed', async () => {
  const page = readFileSync(join(__dirname, '../../../docs/connecting.md'), 'utf8')
  const [, shown = ''] = /```text\n\$ .*\n([\s\S]*?)\n```/.exec(page) ?? []
  logins.provider.setMode({ ...asDeployed, withoutUserMe: true })
  logins.provider.registerApplication({ name: 'Mine', redirectURL: 'http://localhost:1/cb', appID: 'my-app' })
  const { stdout } = await runDoctor([logins.provider.baseURL, '--app-id', 'my-app'])
  const untimed = (text: string) => unwrapped(text).replace(/less than a millisecond|\d+ ms/g, 'some ms')
  expect(untimed(stdout).replaceAll(logins.provider.origin, 'http://127.0.0.1:4400').trim()).toBe(untimed(shown))
})

test('with --json the report is one document, and the exit code the same', async () => {
  logins.provider.setMode({ withoutUserMe: true, scriptWarnings: true })
  const { code, stdout } = await runDoctor([logins.provider.baseURL, '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    version: 1,
    broken: true,
    options: { baseURL: logins.provider.baseURL, profileEndpoint: 'get_user_info' },
    mode: { withoutUserMe: true, scriptWarnings: true },
    findings: expect.arrayContaining([{ level: 'broken', check: 'Warnings', message: expect.any(String) }]),
  })
})

test('a pasted address is exchanged, the profile read, and a second login compared', async () => {
  logins.provider.setMode('as-deployed')
  const application = register()
  const input = `${await approve(logins.provider, application, '3')}\n`
  const recorded = file('provider.json')
  const args = [logins.provider.baseURL, '--app-id', 'mine', '--login', '--record', recorded]
  const { code, stdout, stderr } = await runDoctor(args, { env: { SOCIAL_CLIENT_SECRET: SECRET }, input })
  expect([code, unwrapped(stdout)]).toEqual([
    0,
    expect.stringContaining('good     Login: The provider exchanged the key for a token.'),
  ])
  expect(stderr).toContain(`${logins.provider.oauthBase}/oauth?app_id=mine`)
  const text = readFileSync(recorded, 'utf8')
  expect(JSON.parse(text)).toMatchObject({ wrapUser: 'user_info', stringTypes: true, encodeEntities: true })
  // Flags only: words of the record's own names, and nothing of the person, the key or the token.
  expect(Object.values(JSON.parse(text)).filter((value) => typeof value !== 'boolean')).toEqual(['user_info'])
  const again = await FakeProvider.start({ mode: JSON.parse(text) })
  await again.stop()
})

test('a taken port of the redirect URL is an error with its cure', async () => {
  const redirectURL = `${logins.provider.origin}/cb`
  const args = [logins.provider.baseURL, '--app-id', 'mine', '--login', '--redirect-url', redirectURL]
  const { code, stderr } = await runDoctor(args, { env: { SOCIAL_CLIENT_SECRET: SECRET } })
  expect([code, stderr]).toEqual([2, expect.stringContaining('stop the application that listens there')])
})

test('--record renews a record', async () => {
  const recorded = file('renewed.json')
  writeFileSync(recorded, '{"getOnly":true}')
  const { code } = await runDoctor([logins.provider.baseURL, '--record', recorded])
  expect([code, readFileSync(recorded, 'utf8')]).toEqual([0, expect.stringContaining('errorsAtStatus200')])
})

test('where nothing was seen, nothing is recorded', async () => {
  const recorded = file('nothing.json')
  const { code, stdout } = await runDoctor(['http://127.0.0.1:1/api/v1', '--record', recorded, '--timeout', '1'])
  expect([code, existsSync(recorded)]).toEqual([1, false])
  expect(stdout).toContain('Nothing was seen that could be recorded')
})
