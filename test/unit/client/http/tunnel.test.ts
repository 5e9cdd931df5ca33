import dns from 'node:dns'
import { type EventEmitter, errorMonitor, once } from 'node:events'
import http from 'node:http'
import { connect, createServer, type LookupFunction } from 'node:net'
import { SocialLoginClient, type SocialLoginClientOptions } from '../../../../lib'
import { systemLookup } from '../../../../lib/client/http/address'
import { connectTo } from '../../../../lib/client/http/connect'
import { openTunnel } from '../../../../lib/client/http/tunnel'
import { type Certified, makeCertificates, trustAuthority } from '../../../support/certificates'
import { rejectionOf } from '../../../support/leak-check'
import { port as portOf } from '../../../support/listen'
import { RAW_TOKEN, RawProvider } from '../../../support/raw-provider'
import { setEnvironment, TunnelProxy } from '../../../support/tunnel-proxy'
import { until } from '../../../support/turns'

// A proxy of the environment is one more that can keep a connection waiting, or send without end. bounds.test.ts has the
// bounds of a response, through a proxy as well.

let provider: RawProvider
let proxy: TunnelProxy
let client: SocialLoginClient

const newClient = (options: Partial<SocialLoginClientOptions> = {}, url = proxy.url): SocialLoginClient => {
  const restore = setEnvironment({ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: url })
  const baseURL = provider.baseURL.replace('localhost', 'provider.example')
  const made = new SocialLoginClient({
    baseURL,
    clientID: 'id',
    clientSecret: 's',
    allowInsecureHTTP: true,
    ...options,
  })
  restore()
  return made
}

beforeEach(async () => {
  provider = await RawProvider.start()
  proxy = await TunnelProxy.start(() => provider.port)
})

afterEach(async () => {
  await provider.stop()
  await client.close()
  await proxy.stop()
})

test('a login goes through one tunnel, and a spare connection through another', async () => {
  client = newClient()
  client.preconnect()
  await until(() => provider.accepted === 1)
  expect(await client.exchangeAuthKey('key')).toEqual({ access_token: RAW_TOKEN })
  await client.getCurrentUser(RAW_TOKEN)
  expect(proxy.asked).toStrictEqual([`provider.example:${provider.port}`])
})

test.each([
  ['', undefined],
  ['user:p%40ss@', `Basic ${Buffer.from('user:p@ss').toString('base64')}`],
  ['user@', `Basic ${Buffer.from('user:').toString('base64')}`],
  ['u%zz:p@', `Basic ${Buffer.from('u%zz:p').toString('base64')}`],
])('the proxy gets the user name and the password of its URL (%j), and the provider does not', async (login, sent) => {
  client = newClient({}, proxy.url.replace('//', `//${login}`))
  await client.exchangeAuthKey('key')
  expect(proxy.authorizations).toStrictEqual([sent])
  expect(provider.requests[0]?.headers.toLowerCase()).not.toContain('proxy-authorization')
})

test.each([
  ['HTTP/1.1 403 Forbidden\r\n\r\n', 'refused to connect to the provider'],
  ['HTTP/1.1 502 Bad Gateway\r\ncontent-length: 9\r\n\r\n', 'refused to connect to the provider'],
  ['HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'asks for a user name and a password'],
  ['HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', 'refused to connect to the provider'],
])('a proxy that answers %j is named, and its connection is closed', async (answer, sentence) => {
  proxy.answer = (socket) => socket.write(answer)
  client = newClient()
  const error = await rejectionOf(client.exchangeAuthKey('key'))
  expect(error).toMatchObject({ code: 'provider_unreachable', message: expect.stringContaining(sentence) })
  await until(() => proxy.open === 0)
})

test('a proxy that refuses is not passed by: no connection to a provider by https is opened beside it', async () => {
  proxy.answer = (socket) => socket.write('HTTP/1.1 403 Forbidden\r\n\r\n')
  const restore = setEnvironment({ NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy.url })
  const baseURL = provider.baseURL.replace('http:', 'https:')
  client = new SocialLoginClient({ baseURL, clientID: 'id', clientSecret: 's' })
  restore()
  const message = expect.stringContaining('refused to connect to the provider')
  expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject({ code: 'provider_unreachable', message })
  expect(provider.accepted).toBe(0)
})

test.each<[string, (write: (text: string) => void, end: () => void) => void]>([
  ['nothing', () => {}],
  ['half a response', (write) => write('HTTP/1.1 200 OK\r\nx-a: ')],
  ['one byte after another', (write) => [...'HTTP/1.1 200 OK'].forEach(write)],
])('a proxy that answers CONNECT with %s loses its connection at the deadline', async (_what, answer) => {
  proxy.answer = (socket) =>
    answer(
      (text) => socket.write(text),
      () => socket.end(),
    )
  client = newClient({ timeout: 300 })
  expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject({ code: 'provider_timeout' })
  await until(() => proxy.open === 0)
})

test.each([
  ['headers', (count: number) => `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(count)}`, 2000],
  ['early hints', (count: number) => `HTTP/1.1 103 Early Hints\r\nx-a: ${'b'.repeat(4000)}\r\n\r\n`.repeat(count), 300],
])('a proxy that sends %s without end is left', async (_what, text, count) => {
  proxy.answer = (socket) => socket.write(text(count))
  client = newClient()
  const { code } = Object(await rejectionOf(client.exchangeAuthKey('key')))
  expect(code).toMatch(/^provider_(?!timeout)/)
  await until(() => proxy.open === 0)
})

test('hundreds of calls to a provider that does not answer keep no more connections than one client may have', async () => {
  provider.failNext('authorize', () => {}, 400)
  client = newClient({ timeout: 500, maxConnections: 20 })
  let most = 0
  const calls = Array.from({ length: 400 }, (_, index) => client.exchangeAuthKey(`key-${index}`).catch(() => {}))
  const watch = setInterval(() => {
    most = Math.max(most, proxy.open)
  }, 5)
  await Promise.all(calls)
  clearInterval(watch)
  expect(most).toBeGreaterThan(0)
  // The proxy still counts one that has been closed here, until it has read so.
  expect(most).toBeLessThanOrEqual(30)
  await client.close()
  await until(() => proxy.open === 0)
})

/** Opens one tunnel, of which the provider is the end. */
async function openOne(url: string, lookup: LookupFunction = systemLookup): Promise<void> {
  const { signal } = new AbortController()
  const socket = await openTunnel('provider.example:443', { proxy: new URL(url), lookup }, signal)
  socket.destroy()
}

test.each([
  ['https://provider.example', 'provider.example:443'],
  ['http://provider.example', 'provider.example:80'],
  ['https://provider.example:8443', 'provider.example:8443'],
  ['https://[2001:db8::1]', '[2001:db8::1]:443'],
])('of %s, the proxy is asked for host and port', async (origin, expected) => {
  client = newClient()
  proxy.answer = (socket) => socket.write('HTTP/1.1 403 Forbidden\r\n\r\n')
  const connect = connectTo(origin, { connectTimeout: 5000, proxy: new URL(proxy.url) })
  expect(await rejectionOf(connect(new AbortController().signal))).toMatchObject({ code: 'PROXY_REFUSED' })
  expect(proxy.asked).toStrictEqual([expected])
  expect(proxy.hosts).toStrictEqual([expected])
})

test('an open tunnel leaves no timer behind', async () => {
  client = newClient()
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  await openOne(proxy.url)
  expect(timers()).toBe(before)
})

test('the name of the proxy is looked up as that of a provider', async () => {
  client = newClient()
  const names: string[] = []
  await openOne(proxy.url.replace('127.0.0.1', 'proxy.example'), (name, options, callback) => {
    names.push(name)
    systemLookup('127.0.0.1', options, callback)
  })
  expect(names).toStrictEqual(['proxy.example'])
})

test('calls that wait for one name of a proxy share its lookup', async () => {
  client = newClient({}, proxy.url.replace('127.0.0.1', 'localhost'))
  const lookups = jest.spyOn(dns, 'lookup')
  await Promise.all(Array.from({ length: 5 }, () => client.exchangeAuthKey('key')))
  expect(proxy.asked).toHaveLength(5)
  expect(lookups).toHaveBeenCalledTimes(1)
  lookups.mockRestore()
})

test('a proxy may have an address of IPv6', async () => {
  client = newClient()
  const other = await TunnelProxy.start(() => provider.port, { host: '::1' })
  await openOne(other.url.replace('127.0.0.1', '[::1]')).finally(() => other.stop())
  expect(other.asked).toStrictEqual(['provider.example:443'])
})

test('the agent that the application has made the global one is not asked for the connection to a proxy', async () => {
  client = newClient()
  const { globalAgent } = http
  http.globalAgent = new http.Agent({ port: 1 })
  await openOne(proxy.url).finally(() => {
    http.globalAgent = globalAgent
  })
  expect(proxy.asked).toStrictEqual(['provider.example:443'])
})

test('the head of its answer may have 6 KiB of names and values, as that of a provider', async () => {
  client = newClient()
  const answerWith = (bytes: number): Promise<void> => {
    proxy.answer = (socket) => socket.write(`HTTP/1.1 200 OK\r\nx-a: ${'b'.repeat(bytes)}\r\n\r\n`)
    return openOne(proxy.url)
  }
  await answerWith(6000)
  expect(await rejectionOf(answerWith(6 * 1024))).toMatchObject({ code: 'HPE_HEADER_OVERFLOW' })
})

describe('a proxy that is asked by https', () => {
  const { ca, good, selfSigned } = makeCertificates()
  afterEach(() => jest.restoreAllMocks())

  test.each([
    ['with a good certificate opens the tunnel', good, ['provider.example:443']],
    ['with a bad one is told nothing', selfSigned, []],
  ])('%s', async (_title, certified, asked) => {
    client = newClient()
    const other = await TunnelProxy.start(() => provider.port, { certified })
    trustAuthority(ca)
    const url = other.url.replace('//', '//user:secret@')
    const result = await openOne(url).then(
      () => 'open',
      () => 'refused',
    )
    await other.stop()
    expect([result, other.asked]).toStrictEqual([asked.length > 0 ? 'open' : 'refused', asked])
  })
})

describe('a proxy that is connected to by https', () => {
  const certificates = makeCertificates()
  let secure: TunnelProxy

  const callThrough = async (certified: Certified, hostname: string): Promise<unknown> => {
    trustAuthority(certificates.ca)
    secure = await TunnelProxy.start(() => provider.port, { certified })
    client = newClient(
      { baseURL: provider.baseURL.replace('localhost', hostname) },
      secure.url.replace('//', '//user:pass@'),
    )
    return client.exchangeAuthKey('key').catch((error: unknown) => error)
  }

  afterEach(async () => {
    jest.restoreAllMocks()
    await client.close()
    await secure.stop()
  })

  test('shows a certificate of its own name, not of the provider', async () => {
    expect(await callThrough(certificates.good, 'provider.example')).toEqual({ access_token: RAW_TOKEN })
    expect(secure.asked).toStrictEqual([`provider.example:${provider.port}`])
  })

  test('ends no process when it refuses, and sends behind that what is no TLS', async () => {
    let isRefused = false
    secure = await TunnelProxy.start(() => provider.port, { certified: certificates.good })
    secure.answer = (socket) => {
      isRefused = true
      socket.write('HTTP/1.1 403 Forbidden\r\n\r\n')
    }
    const { port } = new URL(secure.url)
    // A record of 32 bytes that nobody has encrypted, in the same segment as the answer.
    const record = Buffer.concat([Buffer.from([0x17, 3, 3, 0, 32]), Buffer.alloc(32)])
    const front = createServer((socket) => {
      const behind = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {}).pipe(behind)
      behind.on('error', () => {})
      behind.on('data', (bytes) => socket.write(isRefused ? Buffer.concat([bytes, record]) : bytes))
    }).listen(0, '127.0.0.1')
    await once(front, 'listening')
    const opened = trustAuthority(certificates.ca)
    client = newClient({}, secure.url.replace(port, String(portOf(front))))
    const call = rejectionOf(client.exchangeAuthKey('key'))
    await until(() => opened.mock.calls.length > 0)
    const socket: EventEmitter = opened.mock.results[0]?.value
    const listeners: number[] = []
    socket.on(errorMonitor, () => listeners.push(socket.listenerCount('error')))
    const message = expect.stringContaining('refused to connect to the provider')
    expect(await call).toMatchObject({ message })
    await until(() => listeners.length > 0)
    expect(listeners).toStrictEqual([1])
    front.close()
  })

  test('gets no password if its certificate is for another name, even that of the provider', async () => {
    expect(await callThrough(certificates.wrongHost, 'other.example')).toMatchObject({
      code: 'provider_unreachable',
      message: expect.stringContaining('it is for another host name'),
    })
    expect(secure.authorizations).toStrictEqual([])
  })
})
