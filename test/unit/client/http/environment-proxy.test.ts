import { environmentProxies, readProxies } from '../../../../lib/client/http/environment-proxy'

// Which proxy the environment names for an address.

const NAMES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy']
const before = { ...process.env }
const { execArgv } = process

beforeEach(() => {
  for (const name of [...NAMES, 'NODE_USE_ENV_PROXY', 'NODE_OPTIONS']) delete process.env[name]
})
afterEach(() => {
  process.execArgv = execArgv
})
afterAll(() => {
  Object.assign(process.env, before)
})

const ONE = 'http://one.example:3128'
const TWO = 'https://user:password@two.example'
const HTTPS = 'https://social.example'
const HTTP = 'http://social.example'

test.each(['http://localhost:9', 'http://127.0.0.1', 'http://[::1]:80'])(
  'no proxy reads plain http to this machine: %s',
  (origin) => {
    Object.assign(process.env, { HTTP_PROXY: ONE, HTTPS_PROXY: TWO })
    expect(readProxies()(origin)).toBeUndefined()
    expect(readProxies()(HTTP)?.href).toBe(`${ONE}/`)
    expect(readProxies()(origin.replace('http:', 'https:'))?.href).toBe(new URL(TWO).href)
  },
)

/** The proxies for https and for http. */
function proxies(env: Readonly<Record<string, string>>): (string | undefined)[] {
  Object.assign(process.env, env)
  const proxyOf = readProxies()
  return [HTTPS, HTTP].map((origin) => proxyOf(origin)?.href)
}

test.each<[env: Record<string, string>, forHTTPS: string | undefined, forHTTP: string | undefined]>([
  [{}, undefined, undefined],
  [{ HTTP_PROXY: '', HTTPS_PROXY: '' }, undefined, undefined],
  [{ HTTP_PROXY: ONE }, ONE, ONE],
  [{ http_proxy: ONE }, ONE, ONE],
  [{ HTTPS_PROXY: ONE }, ONE, undefined],
  [{ https_proxy: ONE }, ONE, undefined],
  [{ HTTP_PROXY: ONE, HTTPS_PROXY: TWO }, TWO, ONE],
  [{ HTTP_PROXY: ONE, HTTPS_PROXY: '' }, ONE, ONE],
  [{ HTTP_PROXY: '', HTTPS_PROXY: ONE }, ONE, undefined],
  [{ http_proxy: ONE, HTTP_PROXY: TWO }, ONE, ONE],
  [{ https_proxy: ONE, HTTPS_PROXY: TWO }, ONE, undefined],
  [{ http_proxy: '', HTTP_PROXY: ONE }, undefined, undefined],
])('%j: for https %s, for http %s', (env, forHTTPS, forHTTP) => {
  const written = (proxy: string | undefined) => proxy && new URL(proxy).href
  expect(proxies(env)).toStrictEqual([written(forHTTPS), written(forHTTP)])
})

test.each([
  ['*', true],
  ['social.example', true],
  ['SOCIAL.example', true],
  ['example', true],
  ['.example', true],
  ['*.example', true],
  ['*.social.example', true],
  ['other.example, social.example', true],
  ['other.example social.example', true],
  ['other.example,,social.example', true],
  ['social.example:443', true],
  ['.example:443', true],
  ['', false],
  [',', false],
  ['**', false],
  ['social', false],
  ['al.example', false],
  ['ocial.example', false],
  ['xsocial.example', false],
  ['social.example.org', false],
  ['social.example:80', false],
  ['social.example:4430', false],
  ['social.example:443x', false],
  [':443', false],
])('of NO_PROXY %j, an address is connected to directly: %p', (entry, isDirect) => {
  const expected = isDirect ? undefined : new URL(ONE).href
  for (const name of ['NO_PROXY', 'no_proxy']) {
    const [forHTTPS] = proxies({ HTTP_PROXY: ONE, [name]: entry })
    expect(forHTTPS).toBe(expected)
    delete process.env[name]
  }
})

test('of NO_PROXY, the name in small letters wins, and a port may be that of plain http or one of its own', () => {
  const isDirect = (origin: string): boolean => readProxies()(origin) === undefined
  const no_proxy = 'a.example:80 b.example:8443\t[::1]:443,,'
  Object.assign(process.env, { HTTP_PROXY: ONE, NO_PROXY: '*', no_proxy })
  const direct = ['http://a.example', 'https://b.example:8443', 'http://b.example:8443', 'https://[::1]']
  expect(direct.filter((origin) => !isDirect(origin))).toStrictEqual([])
  // No entry is the end of each name that ends in a dot.
  expect(['https://a.example', HTTPS, `${HTTPS}.`].filter(isDirect)).toStrictEqual([])
})

test.each(['proxy.example:3128', 'socks5://proxy.example', 'xhttp://proxy.example', 'httpx://proxy.example', '//'])(
  '%j is no proxy, and is not repeated',
  (value) => {
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy']) {
      process.env[name] = value
      expect(readProxies).toThrow(
        new TypeError(
          'HTTPS_PROXY, https_proxy, HTTP_PROXY, http_proxy must be http(s) URLs: NODE_USE_ENV_PROXY asks for the proxies that they name',
        ),
      )
      delete process.env[name]
    }
  },
)

describe('a proxy is used where Node is told to use it', () => {
  test.each<[title: string, env: Record<string, string>, flags: string[], isUsed: boolean]>([
    ['by a variable', { NODE_USE_ENV_PROXY: '1' }, [], true],
    ['by a flag', {}, ['--use-env-proxy'], true],
    ['by a flag in NODE_OPTIONS', { NODE_OPTIONS: '--no-warnings --use-env-proxy' }, [], true],
    ['not by another value', { NODE_USE_ENV_PROXY: '0' }, [], false],
    ['not by other flags', { NODE_OPTIONS: '--no-warnings' }, ['--no-warnings'], false],
    ['not by itself', {}, [], false],
  ])('%s', (_title, env, flags, isUsed) => {
    Object.assign(process.env, env)
    process.execArgv = flags
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy']) {
      expect(environmentProxies()).toBeUndefined()
      process.env[name] = ONE
      expect(environmentProxies()?.(HTTPS)?.href).toBe(isUsed ? new URL(ONE).href : undefined)
      delete process.env[name]
    }
  })
})
