import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asDeployed, FakeProvider } from '../../lib/testing'
import { findSecrets } from '../support/canaries'
import { approve, useServers } from '../support/doctor'
import { runDoctor, unwrapped } from '../support/doctor-command'
import { freePort } from '../support/free-port'
import { useLogins } from '../support/logins'

const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
const SECRET = 'app-secret-canary-5c1e9a7f'
const logins = useLogins()
const { proxyTo } = useServers()
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string): string => join(folder, name)
const register = (redirectURL = 'http://localhost:1/cb') =>
  logins.provider.registerApplication({ name: 'Mine', redirectURL, appID: 'mine', appSecret: SECRET })

test.each<[string[], string]>([
  [[], 'Missing the base URL, such as https://social.example/api/v1'],
  [['https://social.example/v1', '--login', '--app-id', '1'], '--login needs the secret: set SOCIAL_CLIENT_SECRET'],
  [['https://social.example/v1', '--nonsense'], "Unknown option '--nonsense'"],
])('the arguments %j are refused with one sentence', async (args, message) => {
  const { code, stdout, stderr } = await runDoctor(args)
  expect([code, stdout, stderr]).toStrictEqual([2, '', expect.stringContaining(message)])
  expect(stderr).not.toContain('\n')
})

test.each([[`--client-secret=${SECRET}`], [`https://social.example/v1?app_secret=${SECRET}`], ['--app-id', SECRET]])(
  'a secret among the arguments is refused, and not repeated: %s',
  async (...secret) => {
    const env = secret[0] === '--app-id' ? { SOCIAL_CLIENT_SECRET: SECRET } : {}
    const { code, stdout, stderr } = await runDoctor([logins.provider.baseURL, ...secret], { env })
    expect([code, stderr]).toStrictEqual([2, expect.stringContaining('A secret is never an argument')])
    expect(findSecrets([SECRET], { stdout, stderr })).toStrictEqual([])
    expect(logins.provider.requests).toStrictEqual([])
  },
)

test('--help shows the options, which the documentation lists', async () => {
  const { code, stdout } = await runDoctor(['--help'])
  expect([code, stdout]).toStrictEqual([0, expect.stringMatching(/^ {2}--app-id [\s\S]*^ {2}--record /m)])
})

test('the report is plain ASCII of at most 80 columns, with the level of each line as a word', async () => {
  logins.provider.setMode('as-deployed')
  register()
  const { stdout } = await runDoctor([logins.provider.baseURL, '--app-id', 'mine'])
  const lines = stdout.split('\n')
  expect(lines.filter((line) => line.length > 80 || !/^[\x20-\x7e]*$/.test(line))).toStrictEqual([])
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

test('a report of what is broken says when its options can be used', async () => {
  logins.provider.setMode({ scriptWarnings: true })
  const { code, stdout } = await runDoctor([logins.provider.baseURL])
  expect([code, stdout]).toStrictEqual([
    1,
    expect.stringContaining('\n\nOptions to paste, once what is broken is fixed:\n\n'),
  ])
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
    findings: expect.arrayContaining([
      { level: 'broken', code: 'script_warnings', check: 'Warnings', message: expect.any(String) },
    ]),
  })
})

test('a pasted address is exchanged, the profile read, and a second login compared', async () => {
  logins.provider.setMode('as-deployed')
  const application = register()
  const input = `${await approve(logins.provider, application, '3')}\n`
  const recorded = file('provider.json')
  const args = [logins.provider.baseURL, '--app-id', 'mine', '--login', '--spend-twice', '--record', recorded]
  const { code, stdout, stderr } = await runDoctor(args, { env: { SOCIAL_CLIENT_SECRET: SECRET }, input })
  expect([code, unwrapped(stdout)]).toStrictEqual([
    0,
    expect.stringContaining('good     Login: The provider exchanged the key for a token.'),
  ])
  expect(stdout).toContain('good     Second use: ')
  expect(stdout).toContain(
    `\nRecorded 17 behaviours in ${recorded}: for "provider --mode-file ${recorded}", or FakeProvider.start({ mode }).\n\nOptions to paste:\n`,
  )
  expect(stderr).toBe(
    '\nOpen this in a browser, and log in as your users do, perhaps with Google:\n\n' +
      `  ${logins.provider.oauthBase}/oauth?app_id=mine\n\n` +
      'Then paste the address to which the browser returned: ',
  )
  const text = readFileSync(recorded, 'utf8')
  expect(JSON.parse(text)).toMatchObject({ wrapUser: 'user_info', stringTypes: true, encodeEntities: true })
  // Flags only: words of the record's own names, and nothing of the user, the key or the token.
  expect(Object.values(JSON.parse(text)).filter((value) => typeof value !== 'boolean')).toStrictEqual(['user_info'])
  const again = await FakeProvider.start({ mode: JSON.parse(text) })
  await again.stop()
})

test('a report without a login ends with what comes next', async () => {
  const { code, stdout, stderr } = await runDoctor([logins.provider.baseURL])
  expect([code, stderr]).toStrictEqual([0, ''])
  expect(unwrapped(stdout)).toMatch(
    /\n\n4 checks: 3 good, 1 differs, 0 broken\.\n\nNext, the same with --login: [^\n]+\n[^\n]+\n$/,
  )
})

test('its requests say who asks, and nothing is listened to without a login', async () => {
  // The address of the provider itself: no other process can listen there.
  const redirect = ['--redirect-url', `${logins.provider.origin}/cb`]
  const { code } = await runDoctor([logins.provider.baseURL, '--app-id', 'mine', ...redirect])
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8'))
  const names = new Set(logins.provider.requests.map(({ headers }) => headers['user-agent']))
  expect([code, [...names]]).toStrictEqual([1, [`passport-social-login/${version} (doctor)`]])
})

test.each(['http_proxy', 'HTTP_PROXY'])('the variable %s names a proxy, which may be the only way', async (name) => {
  process.env[name] = await proxyTo(logins.provider.baseURL)
  const address = 'http://nowhere.invalid/api/v1'
  const { stdout } = await runDoctor([address, '--timeout', '1'], { env: { [name]: process.env[name] } })
  const withoutIt = await runDoctor([address, '--timeout', '1'])
  delete process.env[name]
  const sentence = 'A direct request failed, so all requests go through the proxy of the environment'
  expect([unwrapped(stdout).includes(sentence), unwrapped(withoutIt.stdout).includes(sentence)]).toStrictEqual([
    true,
    false,
  ])
})

/** Returns as a browser does. @returns the status; 0 while nothing listens */
function comeBack(callback: string, referer: string): Promise<number> {
  return new Promise((resolve) => {
    get(callback, { headers: { referer }, agent: false }, (response) => {
      resolve(response.resume().statusCode ?? 0)
    }).on('error', () => resolve(0))
  })
}

test('a callback at this machine is caught, with the page from which it came', async () => {
  const redirectURL = `http://localhost:${await freePort()}/cb`
  const application = register(redirectURL)
  const args = [logins.provider.baseURL, '--app-id', 'mine', '--login', '--redirect-url', redirectURL]
  const ended = runDoctor(args, { env: { SOCIAL_CLIENT_SECRET: SECRET } })
  const callback = await approve(logins.provider, application, '1')
  while ((await comeBack(callback, 'https://accounts.google.example/')) !== 200);
  const { code, stdout, stderr } = await ended
  expect([code, stderr]).toStrictEqual([0, expect.stringMatching(/\n\nThe browser returns to this program\.\n$/)])
  const report = unwrapped(stdout)
  expect(report).toContain('differs  Callback: It came from a page of https://accounts.google.example, ')
  expect(report).toContain(`  clientID: 'mine',\n  clientSecret: process.env.SOCIAL_CLIENT_SECRET,\n`)
  expect(report).toContain(`  callbackURL: '${redirectURL}',\n}, verify)\n\n10 checks: 9 good, 1 differs, 0 broken.\n`)
})

test('an empty paste is reported', async () => {
  register()
  const args = [logins.provider.baseURL, '--app-id', 'mine', '--login']
  const { code, stdout, stderr } = await runDoctor(args, { env: { SOCIAL_CLIENT_SECRET: SECRET }, input: '\n' })
  expect([code, unwrapped(stdout)]).toStrictEqual([
    1,
    expect.stringContaining(
      'broken   Login: Not tried: no address was given to which a browser returned. [login_not_tried]\n',
    ),
  ])
  expect(stderr).toMatch(/\nThen paste the address to which the browser returned: $/)
})

test('a taken port of the redirect URL is an error with its cure', async () => {
  const redirectURL = `${logins.provider.origin}/cb`
  const args = [logins.provider.baseURL, '--app-id', 'mine', '--login', '--redirect-url', redirectURL]
  const { code, stderr } = await runDoctor(args, { env: { SOCIAL_CLIENT_SECRET: SECRET } })
  const { host } = new URL(redirectURL)
  expect([code, stderr]).toStrictEqual([
    2,
    `Cannot listen at ${host}, to which the browser returns: stop the application that listens there, or leave --redirect-url out and paste the address`,
  ])
})

test('--record renews a record', async () => {
  const recorded = file('renewed.json')
  writeFileSync(recorded, '{"getOnly":true}')
  const { code } = await runDoctor([logins.provider.baseURL, '--record', recorded])
  const text = readFileSync(recorded, 'utf8')
  expect([code, text]).toStrictEqual([0, `${JSON.stringify(JSON.parse(text), null, 2)}\n`])
  expect(JSON.parse(text)).toMatchObject({ getOnly: false, withoutUserMe: false })
})

test('where nothing was seen, nothing is recorded', async () => {
  const recorded = file('nothing.json')
  const { code, stdout } = await runDoctor(['http://127.0.0.1:1/api/v1', '--record', recorded, '--timeout', '1'])
  expect([code, existsSync(recorded)]).toStrictEqual([1, false])
  expect(stdout).toContain(`\nNothing was seen that could be recorded: ${recorded} was not written.\n\n1 check: `)
})
