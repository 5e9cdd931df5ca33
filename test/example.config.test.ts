import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FakeProvider } from '../lib/testing'
import { Browser, closeBrowsers } from './support/browser'
import { runExample, startExample, temporaryFolder } from './support/example-app'
import { providerEnvironment, registerExample, Visitor } from './support/example-visitor'

const HERE = 'http://localhost:3000'
const REAL = {
  SOCIAL_BASE_URL: 'https://social.example/api/v1',
  SOCIAL_CLIENT_ID: 'app',
  SOCIAL_CLIENT_SECRET: 'hunter2',
}

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
  const WRONG: Array<[string, Record<string, string>]> = [
    ['TRUST_PROXY', { TRUST_PROXY: '0.0.0.0/0' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.1, ::/0' }],
    ['TRUST_PROXY', { TRUST_PROXY: '100' }],
    ['TRUST_PROXY', { TRUST_PROXY: 'fe80::1%eth0' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.0/33' }],
    ['SOCIAL_BASE_URL', { ...REAL, SOCIAL_BASE_URL: 'https://social.example/v1?x=/v1' }],
    ['SOCIAL_BASE_URL', { ...REAL, SOCIAL_BASE_URL: 'https://user:hunter2@social.example/v1' }],
    [
      'SOCIAL_BASE_URL',
      {
        SOCIAL_CLIENT_ID: 'app',
        SOCIAL_CLIENT_SECRET: 'hunter2',
        SOCIAL_CALLBACK_URL: 'https://app.example/auth/social-login/callback',
      },
    ],
    [
      'SOCIAL_BASE_URL',
      {
        SOCIAL_CLIENT_ID: 'app',
        SOCIAL_CLIENT_SECRET: 'hunter2',
        SOCIAL_CALLBACK_URL: 'HTTPS://app.example/auth/social-login/callback',
      },
    ],
    ...['/:key', '/cb*', '/(cb)', '/cb{x}', '/cb[x]', '/cb!', '/cb+', '//cb', '/cb#x', '/'].map(callbackAt),
    ...['/login', '/LOGIN/', '/logout', '/profile', '/account', '/healthz', '/style.css', '/auth/social-login'].map(
      callbackAt,
    ),
  ]

  test.each(WRONG)('says what is wrong with %s: %j', async (name, variables) => {
    const { code, output } = await refusal(variables)
    expect(code).toBe(1)
    expect(output).toMatch(new RegExp(`^The environment is not right:\n  - ${name} .+\n$`))
    expect(output).not.toContain('hunter2')
  })

  test('says it all at once', async () => {
    const { output } = await refusal({
      TRUST_PROXY: '::/0',
      SOCIAL_CALLBACK_URL: 'https://app.example/login',
      SESSION_SECRET: 'short',
    })
    const names = [...output.matchAll(/^ {2}- (\w+) /gm)].map(([, name]) => name).sort()
    expect(names).toEqual(['SESSION_SECRET', 'SOCIAL_BASE_URL', 'SOCIAL_CALLBACK_URL', 'TRUST_PROXY'])
  })

  test.each(['', 'short', ' '.repeat(40)])('a file session-secret of %j is none', async (secret) => {
    const data = join(folder.path, `secret-${secret.length}`)
    mkdirSync(data)
    writeFileSync(join(data, 'session-secret'), secret)
    const { code, output } = await refusal({ DATA_DIR: data })
    expect(code).toBe(1)
    expect(output).toMatch(/^The environment is not right:\n {2}- DATA_DIR holds a file session-secret of less than 16/)
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

  test('what it makes in a folder that others may read is its own', async () => {
    const data = join(folder.path, 'open')
    mkdirSync(data, { mode: 0o755 })
    const example = await startExample({ DATA_DIR: data })
    await new Browser().request(`${example.appURL}/healthz`)
    const modes = readdirSync(data).map((name) => [name, statSync(join(data, name)).mode & 0o777])
    await example.stop('SIGKILL')
    expect(modes.map(([name]) => name)).toEqual(expect.arrayContaining(['app.db', 'app.db-wal', 'session-secret']))
    expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([])
  })
})
