import type * as Pools from '../../../../lib/client/http/pools'
import type * as Owners from '../../../../lib/login/providers/owners'
import type * as Settings from '../../../../lib/login/providers/settings'

type Claims = typeof Owners

const codesOf = ({ mock }: jest.SpyInstance): unknown[] =>
  mock.calls.map(([, options]) => Reflect.get(Object(options), 'code'))

/** The codes of the process warnings of an application that makes these claims. */
function warningsOf(made: readonly ((claims: Claims) => void)[], runner: object = { NODE_ENV: 'test' }): unknown[] {
  // The owners are those of the process, which is warned once.
  jest.resetModules()
  const claims: Claims = require('../../../../lib/login/providers/owners')
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const env = jest.replaceProperty(process, 'env', { ...process.env, NODE_ENV: '', ...runner })
  for (const claim of made) claim(claims)
  const codes = codesOf(emitWarning)
  env.restore()
  emitWarning.mockRestore()
  return codes
}

const [A, B] = ['https://a.example/v1', 'https://b.example/v1']

const nameOf = (providerName: string, baseURL: string) => (claims: Claims) =>
  claims.claimName({ providerName, baseURL })

/** A callback that is only a path has no origin. */
const callbackAt = (url: string, baseURL: string) => (claims: Claims) =>
  claims.claimCallback({
    callbackPath: url.replace(/^https:..[^/]+/, ''),
    appOrigin: /^https:..[^/]+/.exec(url)?.[0],
    baseURL,
  })

test('one name at two addresses is a mistake, and two names or one address are none', () => {
  expect(warningsOf([nameOf('chess', A), nameOf('chess', B)])).toStrictEqual(['NAME_SHARED'])
  expect(warningsOf([nameOf('chess', A), nameOf('chess', A), nameOf('go', B)])).toStrictEqual([])
})

test.each([
  ['https://app.example/cb', 'https://app.example/cb', true],
  ['https://app.example/cb', 'https://app.example/CB//', true],
  ['https://app.example/Cb/', 'https://app.example/cb', true],
  ['https://app.example/cb', 'https://app.example/cb/cb', false],
  ['https://app.example/cb', 'https://www.app.example/cb', false],
  ['https://app.example/cb', '/cb', true],
  ['/cb', 'https://app.example/cb', true],
  ['/cb', '/cb', true],
  ['/cb', '/other', false],
])('of two providers, one with the callback %s and one with %s, that is a mistake: %s', (first, second, isMistake) => {
  const codes = isMistake ? ['CALLBACK_SHARED'] : []
  expect(warningsOf([callbackAt(first, A), callbackAt(second, B)])).toEqual(codes)
  expect(warningsOf([callbackAt(first, A), callbackAt(second, A)])).toStrictEqual([])
})

test.each(['http://localhost:1/v1', 'http://127.0.0.1:1/v1', 'http://[::1]:1/v1'])(
  'a test may start its provider at %s again on another port, and an application may not',
  (baseURL) => {
    const claims = [nameOf('chess', A), nameOf('chess', baseURL), callbackAt('/cb', A), callbackAt('/cb', baseURL)]
    for (const runner of [{ NODE_ENV: 'test' }, { NODE_TEST_CONTEXT: 'child-v8' }])
      expect(warningsOf(claims, runner)).toStrictEqual([])
    expect(warningsOf(claims, { NODE_ENV: 'production' })).toStrictEqual(['NAME_SHARED', 'CALLBACK_SHARED'])
  },
)

/** The library with owners of its own, and the codes of the warnings since they were last taken. */
function loadLibrary() {
  jest.resetModules()
  const { parseLoginOptions }: typeof Settings = require('../../../../lib/login/providers/settings')
  const { nodeNetwork }: typeof Pools = require('../../../../lib/client/http/pools')
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const takeCodes = (): unknown[] => {
    const codes = codesOf(emitWarning)
    emitWarning.mockClear()
    return codes
  }
  return { parseLoginOptions, nodeNetwork, takeCodes }
}

afterEach(() => jest.restoreAllMocks())

const credentials = { clientID: 'id', clientSecret: 'secret' }
const CLAIMS = [
  ['chess', A, 'https://app.example/cb', []],
  ['chess', B, 'https://app.example/other', ['NAME_SHARED']],
  ['go', B, 'https://app.example/cb', ['CALLBACK_SHARED']],
] as const

test('of many providers, one claims its name and its callback once somebody has signed in there', async () => {
  const { parseLoginOptions, nodeNetwork, takeCodes } = loadLibrary()
  for (const [name, baseURL, callbackURL, expected] of CLAIMS) {
    const provider = { name, baseURL, callbackURL, ...credentials }
    const settings = await parseLoginOptions({ provider: () => provider }, nodeNetwork).find(
      () => provider,
      () => 'start',
    )
    expect(takeCodes()).toStrictEqual([])
    settings.onExchanged?.()
    expect(takeCodes()).toEqual(expected)
  }
})

test('a provider that is fixed claims its name and its callback at once', () => {
  const { parseLoginOptions, nodeNetwork, takeCodes } = loadLibrary()
  for (const [name, baseURL, callbackURL, expected] of CLAIMS) {
    parseLoginOptions({ name, baseURL, callbackURL, ...credentials }, nodeNetwork)
    expect(takeCodes()).toEqual(expected)
  }
})

test('a callback that a call gives is claimed for its provider, too', async () => {
  const { parseLoginOptions, nodeNetwork, takeCodes } = loadLibrary()
  for (const [name, baseURL, expected] of [
    ['chess', A, []],
    ['go', B, ['CALLBACK_SHARED']],
  ] as const) {
    const options = { name, baseURL, callbackURL: `https://app.example/${name}`, ...credentials }
    await parseLoginOptions(options, nodeNetwork).find(
      () => undefined,
      () => 'start',
      'https://app.example/cb',
    )
    expect(takeCodes()).toEqual(expected)
  }
})
