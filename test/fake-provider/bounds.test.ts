import { FakeProvider, type FakeProviderOptions } from '../../lib/testing'
import { ask, exchange, post, tokenFor, userMe } from '../support/provider-http'

// Where the limits of the fake provider are.

const redirectURL = 'http://localhost:3000/cb'
let provider: FakeProvider

beforeEach(async () => {
  provider = await FakeProvider.start()
})
afterEach(() => provider.stop())

const register = (more: object = {}) => provider.registerApplication({ name: 'My app', redirectURL, ...more })

test('a body of 8,192 bytes is read, and a longer one refused', async () => {
  const padded = (length: number) => post(`${provider.oauthBase}/authorize`, { x: 'x'.repeat(length - 2) })
  expect([(await padded(8192)).status, (await padded(8193)).status]).toStrictEqual([400, 413])
  expect(provider.requests.map(({ body }) => body.length)).toStrictEqual([8192])
})

test('the first hundred parameters of a request are kept in the log', async () => {
  const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}`)
  await ask(`${provider.oauthBase}/oauth?${names(101).join('&')}`)
  await post(`${provider.oauthBase}/authorize`, Object.fromEntries(names(101).map((name) => [name, '1'])))
  const kept = provider.requests.map(({ query, form }) => [Object.keys(query), Object.keys(form)])
  expect(kept).toStrictEqual([
    [names(100), []],
    [[], names(100)],
  ])
})

describe('names, ids and secrets have 1 to 200 characters', () => {
  const long = 'x'.repeat(200)

  test.each<[what: string, make: (text: string) => unknown, name: RegExp]>([
    ['the name of an application', (name) => register({ name }), /\bname must have 1 to 200 /],
    ['the name of the provider', (name) => new FakeProvider({ name }), /\bname must have 1 to 200 /],
    ['an id of an application', (appID) => register({ appID }), /\bappID must have 1 to 200 /],
    ['a secret', (appSecret) => register({ appSecret }), /\bappSecret must have 1 to 200 /],
    ['an id of a user', (user_id) => provider.addUser({ user_id }), /\buser_id must have 1 to 200 /],
  ])('%s', (_what, make, name) => {
    for (const text of ['', `${long}x`]) expect(() => make(text)).toThrow(name)
    expect(() => make(long)).not.toThrow()
  })

  test('a name is kept without the spaces around it', () => {
    expect(register({ name: ` ${long} ` }).name).toBe(long)
  })
})

test('a redirect URL has at most 2,000 visible ASCII characters, and is one of the web', () => {
  const padded = (length: number): string => redirectURL.padEnd(length, 'x')
  expect(register({ redirectURL: padded(2000) }).redirectURL).toHaveLength(2000)
  for (const wrong of [padded(2001), 'http://localhost:3000/a b', 'http://localhost/é'])
    expect(() => register({ redirectURL: wrong })).toThrow(/redirectURL must be percent-encoded/)
  for (const wrong of ['', '/cb', 'app://callback'])
    expect(() => register({ redirectURL: wrong })).toThrow(/redirectURL must be an absolute/)
})

test('ids, secrets, keys and tokens are long enough not to be guessed', async () => {
  const application = register()
  const { appID, appSecret } = application
  const authKey = provider.issueAuthKey({ appID, userID: '1' })
  const token = await tokenFor(provider, application)
  expect(appID).toMatch(/^[0-9a-f]{20}$/)
  const renewed = provider.renewSecret(appID).appSecret
  for (const credential of [appSecret, renewed, authKey, token]) expect(credential).toMatch(/^[\w-]{43}$/)
  provider.setMode({ hexCredentials: true })
  expect(provider.issueAuthKey({ appID, userID: '1' })).toMatch(/^[0-9a-f]{32}$/)
})

test.each<[fits: object, wrong: object]>([
  [{ status: 100 }, { status: 99 }],
  [{ status: 599 }, { status: 600 }],
  [{ delay: 0 }, { delay: -1 }],
  [{ drip: 0 }, { drip: -1 }],
  [{ truncate: 0 }, { truncate: -1 }],
])('a fault may have %j, and not %j', (fits, wrong) => {
  expect(() => provider.failNext('authorize', fits)).not.toThrow()
  expect(() => provider.failNext('authorize', wrong)).toThrow(RangeError)
})

test.each<[fits: FakeProviderOptions, wrong: FakeProviderOptions]>([
  [{ port: 0 }, { port: -1 }],
  [{ port: 65_535 }, { port: 65_536 }],
  [{ rateLimit: 1 }, { rateLimit: 0 }],
  [{ mode: { keyLifetime: 1 } }, { mode: { keyLifetime: 0 } }],
  [{ mode: { keyLifetime: Number.MIN_VALUE } }, { mode: { keyLifetime: -1 } }],
])('a provider is made with %j, and not with %j', (fits, wrong) => {
  expect(() => new FakeProvider(fits)).not.toThrow()
  expect(() => new FakeProvider(wrong)).toThrow(/whole number|a number above 0/)
})

test.each([
  'http://localhost/a',
  'http://localhost:4400/',
  'localhost:4400',
  'ftp://localhost',
  'http://user@localhost',
])('the origin of a provider is scheme, host and port: not %s', (origin) => {
  expect(() => new FakeProvider({ origin })).toThrow(TypeError)
  expect(new FakeProvider({ origin: 'https://provider.test:4400' }).origin).toBe('https://provider.test:4400')
})

test('a provider listens beyond this machine only with permission', async () => {
  for (const host of ['0.0.0.0', 'example.com'])
    await expect(FakeProvider.start({ host })).rejects.toThrow(/only with allowRemote/)
  const remote = await FakeProvider.start({ host: '0.0.0.0', allowRemote: true })
  expect(remote.origin).toMatch(/^http:\/\/localhost:\d+$/)
  await remote.stop()
})

test('a provider that does not listen, and was given no origin, has none', () => {
  expect(() => new FakeProvider().origin).toThrow(new Error('FakeProvider: start() it, or give the option origin'))
})

test('a key and a token are valid until the last millisecond of their lifetime', async () => {
  const now = jest.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000)
  provider.setMode({ keyLifetime: 1000, tokenLifetime: 2000 })
  const application = register()
  const statusesAfter = async (keyAge: number, tokenAge: number): Promise<number[]> => {
    const authKey = provider.issueAuthKey({ appID: application.appID, userID: '1' })
    const token = await tokenFor(provider, application)
    provider.clock.advance(keyAge)
    const { status } = await exchange(provider, application, authKey)
    provider.clock.advance(tokenAge - keyAge)
    return [status, (await userMe(provider, token)).status]
  }
  expect([await statusesAfter(999, 1999), await statusesAfter(1000, 2000)]).toStrictEqual([
    [200, 200],
    [400, 401],
  ])
  now.mockRestore()
})
