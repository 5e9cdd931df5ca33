import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCommunities } from '../../../example-app/auth/communities'
import { OWN_PATHS, readConfig } from '../../../example-app/config'
import { runExample } from '../../support/example/example-app'
import { useExamples } from '../../support/example/use-examples'

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
const BOTH = { ...REAL, ...SECOND }

/** The variables that an environment is refused for. */
function wrongIn(environment: Readonly<Record<string, string>>): string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    expect(message).toMatch(/^The environment is not valid:\n/)
    expect(message).not.toContain('hunter2')
    return [...new Set([...message.matchAll(/^ {2}- (\w+) .+\.$/gm)].map(([, name = '']) => name))].sort()
  }
}

describe('the environment of the example', () => {
  const examples = useExamples('all tests', { mode: { getOnly: true, withoutUserMe: true } })

  const callbackAt = (path: string): [string, Record<string, string>] => [
    'SOCIAL_CALLBACK_URL',
    { SOCIAL_CALLBACK_URL: `${HERE}${path}` },
  ]
  const trust = (value: string): [string, Record<string, string>] => ['TRUST_PROXY', { TRUST_PROXY: value }]
  test.each<[string, Record<string, string>]>([
    ['PORT', { PORT: '70000' }],
    ['PORT', { PORT: 'http' }],
    ['PROVIDER2_PORT', { PROVIDER2_PORT: '-1' }],
    ['DRAIN_SECONDS', { DRAIN_SECONDS: '31' }],
    ['DRAIN_SECONDS', { DRAIN_SECONDS: '1,5' }],
    ['DATABASE_POOL_SIZE', { DATABASE_POOL_SIZE: '0' }],
    ['DATABASE_POOL_SIZE', { DATABASE_POOL_SIZE: '2.5' }],
    ['DATABASE_URL', { SESSION_SECRET: 'x'.repeat(16), DATABASE_URL: 'mysql://root:hunter2@db/app' }],
    ['SESSION_SECRET', { SESSION_SECRET: 'hunter2' }],
    ['SESSION_SECRET', { SESSION_SECRET: `${'x'.repeat(16)},hunter2` }],
    ['SESSION_SECRET', { DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/app' }],
    ...['everybody', '11', '10.0.0.0/33', '10.0.0.1,', '1.2.3'].map(trust),
    ['SOCIAL_BASE_URL', { ...REAL, SOCIAL_BASE_URL: 'https://social.example/api' }],
    ['SOCIAL_BASE_URL', { ...REAL, SOCIAL_BASE_URL: 'https://social.example/v1?x=/v1' }],
    ['SOCIAL_BASE_URL', { ...REAL, SOCIAL_BASE_URL: 'https://user:hunter2@social.example/v1' }],
    ['SOCIAL_BASE_URL', { ...REAL, SOCIAL_BASE_URL: 'http://social.example/v1' }],
    ['SOCIAL_PROFILE_ENDPOINT', { ...REAL, SOCIAL_PROFILE_ENDPOINT: 'me' }],
    ['SOCIAL_EXCHANGE_METHOD', { ...REAL, SOCIAL_EXCHANGE_METHOD: 'put' }],
    // The fake provider would show them to everyone at this machine.
    ['SOCIAL_BASE_URL', { SOCIAL_CLIENT_SECRET: 'hunter2', SOCIAL_BASEURL: 'https://social.example/api/v1' }],
    // Anyone can sign in at the fake provider.
    ['SOCIAL_BASE_URL', { SOCIAL_CALLBACK_URL: 'HTTPS://app.example/auth/social-login/callback' }],
    ['SOCIAL_BASE_URL', SECOND],
    // Two communities must not be one, and a callback of both would mix them up.
    ['SOCIAL2_BASE_URL', { ...REAL, SOCIAL2_CALLBACK_URL: `${HERE}/second` }],
    ['SOCIAL2_BASE_URL', { ...BOTH, SOCIAL2_BASE_URL: 'https://Social.example:443/api/v1/' }],
    ['SOCIAL2_CLIENT_SECRET', { ...BOTH, SOCIAL2_CLIENT_SECRET: '' }],
    ['SOCIAL2_NAME', { ...BOTH, SOCIAL_NAME: 'Club', SOCIAL2_NAME: 'Club' }],
    ['SOCIAL2_NAME', { ...BOTH, SOCIAL2_BASE_URL: 'https://social.example/chess/v1' }],
    ['SOCIAL2_CALLBACK_URL', { ...BOTH, SOCIAL2_CALLBACK_URL: `${HERE}/Auth/Social-Login/callback/` }],
    ['SOCIAL2_CALLBACK_URL', { ...BOTH, SOCIAL2_CALLBACK_URL: 'https://app.example/second' }],
    ...['x'.repeat(41), '<b>Social</b>', 'Social\u202elaicoS', 'Social\nExample', '...'].map(
      (name): [string, Record<string, string>] => ['SOCIAL_NAME', { ...REAL, SOCIAL_NAME: name }],
    ),
    ...['/:key', '/cb*', '//cb', '/cb#x', '/cb?auth_key=1', '/auth_key/cb', '/Login/'].map(callbackAt),
    ...OWN_PATHS.map(callbackAt),
  ])('says what is wrong with %s: %j', (name, variables) => {
    expect(wrongIn(variables)).toStrictEqual([name])
  })

  test('reports all problems together, of both communities', () => {
    const wrong = {
      PORT: '70000',
      TRUST_PROXY: 'everybody',
      SESSION_SECRET: 'short',
      SOCIAL_BASE_URL: 'https://social.example',
      SOCIAL2_BASE_URL: 'ftp://chess.example/v1',
      SOCIAL2_CLIENT_ID: 'app2',
      SOCIAL2_CALLBACK_URL: `${HERE}/login`,
    }
    expect(wrongIn(wrong)).toStrictEqual([
      ...['PORT', 'SESSION_SECRET', 'SOCIAL2_BASE_URL', 'SOCIAL2_CALLBACK_URL', 'SOCIAL2_CLIENT_SECRET'],
      ...['SOCIAL_BASE_URL', 'SOCIAL_CLIENT_ID', 'SOCIAL_CLIENT_SECRET', 'TRUST_PROXY'],
    ])
  })

  test.each<[string, Record<string, string>]>([
    ['HOST', { HOST: 'localhost:3000' }],
    ['HOST', { HOST: '192.0.2.1' }],
    ['DATA_DIR', { DATA_DIR: '/dev/null/data' }],
    ['SOCIAL_CLIENT_SECRET', { SOCIAL_BASE_URL: REAL.SOCIAL_BASE_URL, SOCIAL_CLIENT_ID: 'app' }],
  ])('ends the process with the problem and nothing else: %s, %j', async (name, variables) => {
    const environment = {
      PORT: '0',
      PROVIDER_PORT: '0',
      DATA_DIR: examples.environment['DATA_DIR'] ?? '',
      ...variables,
    }
    const { code, output } = await runExample(environment)
    expect([code, output]).toStrictEqual([1, expect.stringMatching(/^The environment is not valid:\n {2}- .+\n$/)])
    expect(output).toContain(`  - ${name} `)
  })

  test('has as many communities as there are sets of variables, with callbacks of one origin', () => {
    const callbacks = (variables: Record<string, string>): string[] =>
      createCommunities(readConfig(variables), undefined, 3001).map(({ options }) => options.callbackURL)
    const here = 'http://localhost:3001/auth'
    expect(callbacks(REAL)).toStrictEqual([`${here}/social-login/callback`])
    expect(callbacks(BOTH)).toStrictEqual([`${here}/social-login/callback`, `${here}/social-login-2/callback`])
    const SOCIAL_CALLBACK_URL = 'https://app.example/auth/first'
    const second = 'https://app.example/auth/social-login-2/callback'
    expect(callbacks({ ...BOTH, SOCIAL_CALLBACK_URL })).toStrictEqual([SOCIAL_CALLBACK_URL, second])
  })

  test('trusts proxies, and calls the provider by the configured name, else by its host', () => {
    const good = ['0', '10', 'loopback', '10.0.0.0/8, uniquelocal', '2001:db8::/32', '::1', '192.0.2.1']
    for (const value of good) expect([value, wrongIn({ TRUST_PROXY: value })]).toStrictEqual([value, []])
    const nameOf = (name: string): string =>
      createCommunities(readConfig({ ...REAL, SOCIAL_NAME: name }), undefined, 3000)[0].displayName
    for (const name of ['x'.repeat(40), 'Müller & Söhne (Köln)', 'Дружба 24', '友達', 'Let’s talk!']) {
      expect(nameOf(` ${name} `)).toBe(name)
    }
    expect(nameOf('')).toBe('social.example')
  })

  test('keys accounts by the provider, however its address is written', () => {
    const keyOf = (url: string): string =>
      createCommunities(readConfig({ ...REAL, SOCIAL_BASE_URL: url }), undefined, 3000)[0].name
    const common = 'https://social.example/api/v1'
    for (const spelling of [common, 'HTTPS://Social.Example:443/api/v1', 'https://social.example/x/../api/v1/']) {
      expect([spelling, keyOf(spelling)]).toStrictEqual([spelling, common])
    }
    for (const other of ['https://social.example:8443/api/v1', 'https://social.example/API/v1']) {
      expect(keyOf(other)).toBe(other)
    }
  })

  test('.env.example lists what the example reads, and its values are right', () => {
    const file = readFileSync(join(__dirname, '../../../../.env.example'), 'utf8')
    const listed = [...file.matchAll(/^([A-Z_\d]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value])
    const { communities, ...defaults } = readConfig({})
    expect(communities).toHaveLength(1)
    expect(readConfig(Object.fromEntries(listed))).toMatchObject(defaults)
    const names = listed.map(([name]) => name)
    const application = Object.keys(
      readConfig({ PROVIDER2_PORT: '0', SESSION_SECRET: 'x'.repeat(16), DATABASE_URL: 'postgres:///x' }),
    )
    for (const name of application) if (name !== 'communities') expect(names).toContain(name)
    const credentials = ['BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET']
    const community = [...credentials, 'NAME', 'CALLBACK_URL', 'PROFILE_ENDPOINT', 'EXCHANGE_METHOD']
    for (const name of community) expect(names).toEqual(expect.arrayContaining([`SOCIAL_${name}`, `SOCIAL2_${name}`]))
  })

  test('signs in at an old provider as the doctor advises', async () => {
    const { appURL } = await examples.start({ SOCIAL_PROFILE_ENDPOINT: 'auto', SOCIAL_EXCHANGE_METHOD: 'get' })
    expect(await examples.visitor().signIn(appURL)).toBe('/profile')
  })
})
