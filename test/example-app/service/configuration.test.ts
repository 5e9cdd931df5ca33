import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { callbackProblem } from '../../../example-app/auth/callback-path'
import { createCommunities } from '../../../example-app/auth/community-setup'
import { readConfig } from '../../../example-app/config'
import { readProxies } from '../../../example-app/environment'
import { FakeProvider } from '../../../lib/testing'
import { Browser, closeBrowsers } from '../../support/browser'
import { runExample, startExample, temporaryFolder } from '../../support/example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../../support/example/visitor'

const HERE = 'http://localhost:3000'
const REAL = {
  SOCIAL_BASE_URL: 'https://social.example/api/v1',
  SOCIAL_CLIENT_ID: 'app',
  SOCIAL_CLIENT_SECRET: 'hunter2',
}

const SECOND = {
  SOCIAL2_BASE_URL: 'https://chess.example/api/v1',
  SOCIAL2_CLIENT_ID: 'app2',
  SOCIAL2_CLIENT_SECRET: 'hunter2',
}

const namesIn = (output: string) => [...output.matchAll(/^ {2}- (\w+) /gm)].map(([, name]) => name).sort()

describe('the environment of the example', () => {
  const folder = temporaryFolder()
  afterAll(async () => {
    await closeBrowsers()
    folder.remove()
  })

  const refusal = (variables: Record<string, string>) =>
    runExample({ PORT: '0', PROVIDER_PORT: '0', DATA_DIR: `${folder.path}/data`, ...variables })

  const callbackAt = (path: string): [string, Record<string, string>] => [
    'SOCIAL_CALLBACK_URL',
    { SOCIAL_CALLBACK_URL: `${HERE}${path}` },
  ]
  const named = (name: string): [string, Record<string, string>] => ['SOCIAL_NAME', { ...REAL, SOCIAL_NAME: name }]
  const WRONG: Array<[string, Record<string, string>]> = [
    ['TRUST_PROXY', { TRUST_PROXY: '0.0.0.0/1' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.1, ::/0' }],
    ['TRUST_PROXY', { TRUST_PROXY: '11' }],
    ['DRAIN_SECONDS', { DRAIN_SECONDS: '31' }],
    ['DRAIN_SECONDS', { DRAIN_SECONDS: '-1' }],
    ['DRAIN_SECONDS', { DRAIN_SECONDS: '1,5' }],
    ['SOCIAL_BASE_URL', { ...REAL, SOCIAL_BASE_URL: 'https://social.example/v1?x=/v1' }],
    ['SOCIAL_BASE_URL', { ...REAL, SOCIAL_BASE_URL: 'https://user:hunter2@social.example/v1' }],
    ['SOCIAL_BASE_URL', { SOCIAL_CALLBACK_URL: 'https://app.example/auth/social-login/callback' }],
    ['SOCIAL_BASE_URL', { SOCIAL_CALLBACK_URL: 'HTTPS://app.example/auth/social-login/callback' }],
    // The fake provider would show them to everybody at this machine.
    ['SOCIAL_BASE_URL', { SOCIAL_CLIENT_ID: 'app', SOCIAL_CLIENT_SECRET: 'hunter2' }],
    ['SOCIAL_BASE_URL', { SOCIAL_CLIENT_ID: 'hunter2' }],
    ['SOCIAL_BASE_URL', { SOCIAL_CLIENT_SECRET: 'hunter2', SOCIAL_BASEURL: 'https://social.example/api/v1' }],
    ['SOCIAL_BASE_URL', { SOCIAL_NAME: 'Social Example' }],
    // Two communities must not be one, and a callback of both would mix them up.
    ['SOCIAL2_BASE_URL', { ...REAL, SOCIAL2_CLIENT_SECRET: 'hunter2' }],
    ['SOCIAL2_BASE_URL', { ...REAL, SOCIAL2_CALLBACK_URL: `${HERE}/second` }],
    ['SOCIAL2_BASE_URL', { ...REAL, ...SECOND, SOCIAL2_BASE_URL: 'https://Social.example:443/api/v1/' }],
    ['SOCIAL2_CLIENT_SECRET', { ...REAL, ...SECOND, SOCIAL2_CLIENT_SECRET: '' }],
    ['SOCIAL2_PROFILE_ENDPOINT', { ...REAL, ...SECOND, SOCIAL2_PROFILE_ENDPOINT: 'me' }],
    ['SOCIAL2_NAME', { ...REAL, ...SECOND, SOCIAL_NAME: 'Club', SOCIAL2_NAME: 'Club' }],
    ['SOCIAL2_NAME', { ...REAL, ...SECOND, SOCIAL2_BASE_URL: 'https://social.example/chess/v1' }],
    [
      'SOCIAL2_CALLBACK_URL',
      { ...REAL, ...SECOND, PORT: '3000', SOCIAL2_CALLBACK_URL: `${HERE}/Auth/Social-Login/callback/` },
    ],
    ['SOCIAL2_CALLBACK_URL', { ...REAL, ...SECOND, SOCIAL_CALLBACK_URL: `${HERE}/auth/social-login-2/callback` }],
    ['SOCIAL2_CALLBACK_URL', { ...REAL, ...SECOND, SOCIAL2_CALLBACK_URL: 'https://app.example/second' }],
    ['SOCIAL2_CALLBACK_URL', { ...REAL, ...SECOND, PORT: '3000', SOCIAL2_CALLBACK_URL: `${HERE}/auth/social-login-2` }],
    ['SOCIAL_BASE_URL', SECOND],
    ['PROVIDER2_PORT', { PROVIDER2_PORT: '70000' }],
    ...['x'.repeat(41), '<b>Social</b>', 'Social\u202elaicoS', 'Soc\u200bial', 'Social\nExample', '...'].map(named),
    ...['/:key', '/cb?auth_key=1', '/login', '/profile'].map(callbackAt),
  ]

  test.each(WRONG)('says what is wrong with %s: %j', async (name, variables) => {
    const { code, output } = await refusal(variables)
    expect(code).toBe(1)
    expect(output).toMatch(new RegExp(`^The environment is not valid:\n  - ${name} .+\n$`))
    expect(output).not.toContain('hunter2')
  })

  test('says it all at once, in the names of variables, whoever finds it', async () => {
    const { output } = await refusal({
      TRUST_PROXY: '::/0',
      SOCIAL_CALLBACK_URL: 'https://app.example/login',
      SESSION_SECRET: 'short',
      DATA_DIR: '/dev/null/data',
    })
    expect(namesIn(output)).toEqual([
      'DATA_DIR',
      'SESSION_SECRET',
      'SOCIAL_BASE_URL',
      'SOCIAL_CALLBACK_URL',
      'TRUST_PROXY',
    ])
    const long = 'hunter2'.repeat(500)
    const library = await refusal({
      SOCIAL_BASE_URL: `https://${'a.'.repeat(200)}example/v1`,
      SOCIAL_CLIENT_ID: long,
      SOCIAL_CLIENT_SECRET: long,
      SOCIAL_CALLBACK_URL: `https://app.example/callback?x=${long}`,
    })
    expect(namesIn(library.output)).toEqual([
      'SOCIAL_BASE_URL',
      'SOCIAL_CALLBACK_URL',
      'SOCIAL_CLIENT_ID',
      'SOCIAL_CLIENT_SECRET',
    ])
    expect(library.output).toMatch(/ - SOCIAL_CLIENT_ID must have at most 2,048 characters\.\n/)
    expect(library.output).not.toMatch(/hunter2|clientID|^ {4}at /m)
  })

  test('says of both communities at once what is wrong', async () => {
    const { output } = await refusal({
      PORT: '70000',
      SOCIAL_BASE_URL: 'https://social.example',
      SOCIAL2_BASE_URL: 'ftp://chess.example/v1',
      SOCIAL2_CLIENT_ID: 'app2',
      SOCIAL2_NAME: '<b>',
      SOCIAL2_CALLBACK_URL: `${HERE}/login`,
      SOCIAL2_EXCHANGE_METHOD: 'put',
    })
    expect(namesIn(output)).toEqual([
      'PORT',
      'SOCIAL2_BASE_URL',
      'SOCIAL2_CALLBACK_URL',
      'SOCIAL2_CLIENT_SECRET',
      'SOCIAL2_EXCHANGE_METHOD',
      'SOCIAL2_NAME',
      'SOCIAL_BASE_URL',
      'SOCIAL_CLIENT_ID',
      'SOCIAL_CLIENT_SECRET',
    ])
  })

  test('has as many communities as there are sets of variables, with callbacks of one origin', () => {
    const callbacks = (variables: Record<string, string>): string[] => {
      const environment = { SESSION_SECRET: 'x'.repeat(32), DATA_DIR: join(folder.path, 'sets'), ...variables }
      const { list } = createCommunities(readConfig(environment), undefined, 3001)
      return list.map(({ callbackURL }) => callbackURL)
    }
    const here = 'http://localhost:3001/auth'
    const there = 'https://app.example/auth'
    expect(callbacks(REAL)).toEqual([`${here}/social-login/callback`])
    expect(callbacks({ ...REAL, ...SECOND })).toEqual([
      `${here}/social-login/callback`,
      `${here}/social-login-2/callback`,
    ])
    const SOCIAL_CALLBACK_URL = `${there}/first`
    expect(callbacks({ ...REAL, ...SECOND, SOCIAL_CALLBACK_URL })).toEqual([
      `${there}/first`,
      `${there}/social-login-2/callback`,
    ])
    const SOCIAL2_CALLBACK_URL = `${there}/second`
    expect(callbacks({ ...REAL, ...SECOND, SOCIAL_CALLBACK_URL, SOCIAL2_CALLBACK_URL })).toEqual([
      `${there}/first`,
      `${there}/second`,
    ])
  })

  test('starts the second fake provider where it is told, else at 4500 beside 4400, else at a free port', () => {
    const portsOf = (variables: Record<string, string>) =>
      readConfig({ SESSION_SECRET: 'x'.repeat(32), DATA_DIR: join(folder.path, 'ports'), ...variables })
        .fakeProviderPorts
    expect(portsOf({})).toEqual([4400, 4500])
    expect(portsOf({ PROVIDER_PORT: '4401' })).toEqual([4401, 0])
    expect(portsOf({ PROVIDER_PORT: '4401', PROVIDER2_PORT: '4402' })).toEqual([4401, 4402])
    expect(portsOf(REAL)).toBeUndefined()
  })

  test('trusts proxies, and no network that holds visitors', () => {
    const good = ['0', '10', 'loopback', '10.0.0.0/8, uniquelocal', '2001:db8::/32', 'fd00::/16', '::1', '192.0.2.1']
    // Of the last three, each holds IPv4 addresses as Express reads them.
    const bad = ['11', '100', 'everybody', '0.0.0.0/1', '128.0.0.0/1', '10.0.0.0/7', '::/1', '2000::/15']
    const bounds = ['10.0.0.0/33', 'fe80::1%eth0', '1.2.3', '10.0.0.1,', '::ffff:0:0/96', '::/64', '::ffff:0:0/103']
    expect(good.map(readProxies)).not.toContain(undefined)
    for (const value of [...bad, ...bounds]) expect([value, readProxies(value)]).toEqual([value, undefined])
    expect(readProxies('::ffff:10.0.0.0/104')).toEqual(['::ffff:10.0.0.0/104'])
  })

  test('takes no page of the application for the callback, and no pattern', () => {
    const sources = join(__dirname, '../../../../example-app')
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    const routes = files.flatMap((name) => [
      ...readFileSync(join(sources, name), 'utf8').matchAll(/router\.\w+\('(\/[^']*)'/g),
    ])
    const own = [...new Set(routes.map(([, path = '']) => path))]
    expect(own.length).toBeGreaterThan(12)
    const odd = ['/cb*', '/(cb)', '/cb{x}', '/cb[x]', '/cb!', '/cb+', '//cb', '/cb#x', '/cb?q=\u00fc', '/auth%5fkey']
    const keys = ['/cb?x=1&AUTH_KEY=2', '/cb?auth%5Fkey=', '/auth_key/cb']
    for (const path of [...own, ...own.map((path) => `${path.toUpperCase()}/`), ...odd, ...keys]) {
      expect([path, callbackProblem(`${HERE}${path}`)]).toEqual([path, expect.stringMatching(/^must .*such as \/auth/)])
    }
    expect(callbackProblem(`${HERE}/auth/social-login/callback`)).toBeUndefined()
  })

  test('calls the provider as it is told, else by its host', () => {
    const nameOf = (name: string): string => {
      const more = { SOCIAL_NAME: name, SESSION_SECRET: 'x'.repeat(32), DATA_DIR: join(folder.path, 'names') }
      return createCommunities(readConfig({ ...REAL, ...more }), undefined, 3000).list[0].displayName
    }
    for (const name of ['Social', 'x'.repeat(40), 'Müller & Söhne (Köln)', 'Дружба 24', '友達', 'Let’s talk!']) {
      expect(nameOf(name)).toBe(name)
    }
    expect(nameOf('  Social  ')).toBe('Social')
    expect(nameOf('')).toBe('social.example')
  })

  test('keys accounts by the provider, however its address is written', () => {
    const keyOf = (baseURL: string): string => {
      const config = readConfig({ ...REAL, SOCIAL_BASE_URL: baseURL, SESSION_SECRET: 'x'.repeat(32), DATA_DIR: data })
      return createCommunities(config, undefined, 3000).list[0].name
    }
    const data = join(folder.path, 'keys')
    const common = 'https://social.example/api/v1'
    for (const spelling of [
      common,
      'https://Social.Example/api/v1',
      'HTTPS://social.example:443/api/v1',
      'https://social.example/x/../api/v1',
      'https://social.example/api/v1/',
    ]) {
      expect([spelling, keyOf(spelling)]).toEqual([spelling, common])
    }
    for (const other of ['https://social.example:8443/api/v1', 'https://social.example/API/v1']) {
      expect(keyOf(other)).toBe(other)
    }
  })

  test('takes a host in capitals, and counts ten proxies as ten', async () => {
    const provider = await FakeProvider.start()
    const application = registerExample(provider)
    const environment = { DATA_DIR: join(folder.path, 'capitals'), ...providerEnvironment(provider, application) }
    const example = await startExample({ ...environment, HOST: 'LOCALHOST', TRUST_PROXY: '10' })
    for (const host of ['127.0.0.1', '[::1]']) {
      const answer = await new Browser().request(`${example.appURL.replace('localhost', host)}/healthz`)
      expect(answer.status).toBe(200)
    }
    const visitors = ['192.0.2.1', '192.0.2.2'].map(
      (address) =>
        new Visitor(provider, application, '1', { 'x-forwarded-for': `${address}${', 10.0.0.1'.repeat(9)}` }),
    )
    const [guesser, other] = visitors
    for (let count = 0; count < 11; count++) {
      await guesser?.begin(example.appURL)
      await guesser?.comeBack(example.appURL, 'a-guess')
    }
    expect((await guesser?.begin(example.appURL))?.status).toBe(429)
    expect(await other?.signIn(example.appURL)).toBe('/profile')
    await example.stop('SIGKILL')
    await provider.stop()
  }, 20_000)

  test('signs in at an old provider as the doctor advises', async () => {
    const provider = await FakeProvider.start({ mode: { getOnly: true, withoutUserMe: true } })
    const application = registerExample(provider)
    const example = await startExample({
      DATA_DIR: join(folder.path, 'old'),
      ...providerEnvironment(provider, application),
      SOCIAL_PROFILE_ENDPOINT: 'auto',
      SOCIAL_EXCHANGE_METHOD: 'get',
    })
    expect(await new Visitor(provider, application, '1').signIn(example.appURL)).toBe('/profile')
    await example.stop('SIGKILL')
    await provider.stop()
  }, 20_000)
})
