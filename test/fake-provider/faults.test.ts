import { connect } from 'node:net'
import { type Application, Clock, FakeProvider, type Fault } from '../../lib/testing'
import { listen } from '../support/listen'
import { ask, bearer, exchange, tokenFor, userMe } from '../support/provider-http'

let provider: FakeProvider
let application: Application

beforeEach(async () => {
  provider = await FakeProvider.start()
  application = provider.registerApplication({ name: 'My app', redirectURL: 'http://localhost:3000/cb' })
})

afterEach(() => provider.stop())

function key(): string {
  return provider.issueAuthKey({ appID: application.appID, userID: '1' })
}

/** The next response as a bare socket sees it: every byte, and how it ended. */
function bytesOf(path = '/api/v1/user/me'): Promise<{ text: string; end: string }> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(provider.origin).port), '127.0.0.1')
    let text = ''
    let end = 'FIN'
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      end = error.code ?? 'error'
    })
    socket.on('close', () => resolve({ text, end }))
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  })
}

test('a status alone responds without a body and without running the endpoint', async () => {
  const kept = key()
  provider.failNext('authorize', { status: 503 })
  expect(await exchange(provider, application, kept)).toMatchObject({ status: 503, text: '' })
  expect((await exchange(provider, application, kept)).status).toBe(200)
})

test('body, also of bytes, and headers replace those of the endpoint', async () => {
  provider.failNext('user/me', {
    status: 429,
    body: 'slow down',
    headers: { 'Content-Type': 'text/plain', 'retry-after': '-1' },
  })
  const seen = await userMe(provider, 'x')
  expect([seen.status, seen.text, seen.headers.get('content-type'), seen.headers.get('retry-after')]).toStrictEqual([
    429,
    'slow down',
    'text/plain',
    '-1',
  ])
  provider.failNext('user/me', { body: Uint8Array.of(0xff, 0xfe, 0x00) })
  const response = await fetch(`${provider.baseURL}/user/me`)
  expect([...new Uint8Array(await response.arrayBuffer())]).toStrictEqual([0xff, 0xfe, 0x00])
})

test('rewrite changes the response of the endpoint, which still runs', async () => {
  const spent = key()
  provider.failNext('authorize', { status: 500, rewrite: (body) => body.replace('access_token', 'token') })
  const seen = await exchange(provider, application, spent)
  expect([seen.status, Object.keys(JSON.parse(seen.text))]).toStrictEqual([500, ['token']])
  expect((await exchange(provider, application, spent)).status).toBe(400)
})

test('redirect sends a Location', async () => {
  provider.failNext('authorize', { redirect: 'http://elsewhere.example/' })
  const seen = await exchange(provider, application, key())
  expect([seen.status, seen.headers.get('location')]).toStrictEqual([302, 'http://elsewhere.example/'])
  provider.failNext('oauth', { redirect: '/login', status: 307 })
  expect((await ask(`${provider.oauthBase}/oauth`)).status).toBe(307)
})

test('delay and drip take real time', async () => {
  const began = performance.now()
  provider.failNext('user/me', { delay: 60, body: '[1,2]', drip: 10 })
  expect(await userMe(provider, 'x')).toMatchObject({ status: 200, text: '[1,2]' })
  expect(performance.now() - began).toBeGreaterThan(100)
})

test.each<[Fault, RegExp, string]>([
  [{ reset: true }, /^$/, 'ECONNRESET'],
  [{ reset: 'before' }, /^$/, 'ECONNRESET'],
  [{ reset: 'headers' }, /^HTTP\/1\.1 401 Cut\r\ncontent-ty$/, 'ECONNRESET'],
  [{ reset: 'body', body: '12345678' }, /content-length: 8\r\n.*\r\n\r\n1234$/s, 'ECONNRESET'],
  [{ truncate: 3, body: '12345678' }, /content-length: 8\r\n.*\r\n\r\n123$/s, 'FIN'],
  [{ truncate: 0, body: '12345678' }, /content-length: 8\r\n.*\r\n\r\n$/s, 'FIN'],
  [{ raw: '' }, /^$/, 'FIN'],
  [{ raw: 'SSH-2.0-x\r\n' }, /^SSH-2\.0-x\r\n$/, 'FIN'],
  [{ raw: 'half', drip: 1 }, /^half$/, 'FIN'],
])('%j cuts the connection', async (fault, text, end) => {
  const ends: string[] = []
  // A busy client reads bytes and a reset together, and libuv takes that for an end.
  while (ends.at(-1) !== end && ends.length < 5) {
    provider.failNext('user/me', fault)
    const seen = await bytesOf()
    expect(seen.text).toMatch(text)
    ends.push(seen.end)
  }
  expect(ends.at(-1)).toBe(end)
})

test.each<Fault>([{ reset: true }, { reset: 'headers' }, { raw: 'SSH-2.0-x\r\n' }])(
  '%j cuts the connection of a pipelined request, too',
  async (fault) => {
    provider.failNext('user/me', { delay: 20 })
    provider.failNext('user/me', fault)
    const again = '/api/v1/user/me HTTP/1.1\r\nHost: localhost\r\n\r\nGET /api/v1/user/me'
    expect((await bytesOf(again)).text).not.toMatch(/ 401 Unauthorized.* 401 Unauthorized/s)
  },
)

test.each<[Fault, string]>([
  [{ raw: 'HTTP/1.1 200 OK\r\ncontent-', hang: true }, 'HTTP/1.1 200 OK\r\ncontent-'],
  [{ body: '12345678', truncate: 3, hang: true }, '\r\n\r\n123'],
  [{ raw: 'HTTP/1.1 103 Early Hints\r\n\r\n', endless: true }, 'Hints\r\n\r\nHTTP/1.1 103 Early'],
])('%j sends its bytes and does not end', async (fault, tail) => {
  provider.failNext('user/me', fault)
  const socket = connect(Number(new URL(provider.origin).port), '127.0.0.1')
  socket.write('GET /api/v1/user/me HTTP/1.1\r\nHost: localhost\r\n\r\n')
  let text = ''
  for await (const chunk of socket) {
    text += String(chunk)
    if (text.includes(tail)) break
  }
  expect(text).toContain(tail)
  expect(socket.readableEnded).toBe(false)
})

test('a reset after the whole body leaves the body readable', async () => {
  provider.failNext('user/me', { reset: 'after', body: '{}' })
  const { text } = await bytesOf()
  expect(text).toMatch(/\r\n\r\n\{\}$/)
})

test('an endless body ends when the client disconnects', async () => {
  provider.failNext('user/me', { endless: true, body: 'x'.repeat(1000) })
  const response = await fetch(`${provider.baseURL}/user/me`)
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > 1_000_000) break
  }
  expect(size).toBeGreaterThan(1_000_000)
})

test('faults are one-shot, queued in order, belong to one endpoint, and can be cleared', async () => {
  provider.failNext('user/me', { status: 500 })
  provider.failNext('user/me', { status: 502 }, { times: 2 })
  const token = await tokenFor(provider, application)
  const statuses: number[] = []
  for (let count = 0; count < 4; count += 1) statuses.push((await userMe(provider, token)).status)
  expect(statuses).toStrictEqual([500, 502, 502, 200])
  provider.failNext('user/me', { status: 500 })
  provider.clearFaults()
  expect((await userMe(provider, 'x')).status).toBe(401)
  const fail = (times: number) => provider.failNext('user/me', {}, { times })
  expect(() => fail(1)).not.toThrow()
  expect(() => fail(0)).toThrow('times must be a whole number from 1, or Infinity')
})

test('stop disconnects a hanging client, and leaves nothing open', async () => {
  provider.failNext('user/me', { hang: true })
  provider.failNext('get_user_info', { delay: 60_000 })
  const hanging = [bytesOf(), bytesOf('/api/get_user_info?access_token=x')]
  while (provider.requests.length < 2) await new Promise(setImmediate)
  await provider.stop()
  for (const seen of await Promise.all(hanging)) expect(seen.text).toBe('')
  await provider.stop()
  await expect(fetch(provider.origin)).rejects.toThrow()
})

test('the log contains endpoint, method, path, headers, form, time and status', async () => {
  provider.clock.set(Date.parse('2030-01-01T00:00:00Z'))
  const authKey = key()
  await exchange(provider, application, authKey)
  provider.failNext('user/me', { reset: true })
  await expect(fetch(`${provider.baseURL}/user/me?a=b`, { headers: bearer('x') })).rejects.toThrow()
  const [first, second] = provider.requests
  expect(first).toMatchObject({ endpoint: 'authorize', method: 'POST', path: '/api/authorize', status: 200 })
  expect(first?.form).toEqual({ app_id: application.appID, app_secret: application.appSecret, auth_key: authKey })
  expect(first?.body).toContain(`auth_key=${authKey}`)
  expect(new Date(first?.at ?? 0).toISOString()).toMatch(/^2030-01-01T00:00:/)
  expect(second).toMatchObject({ endpoint: 'user/me', path: '/api/v1/user/me?a=b', query: { a: 'b' }, body: '' })
  expect(second?.headers.authorization).toBe('Bearer x')
  expect(second?.status).toBeUndefined()
  provider.clearRequests()
  expect(provider.requests).toStrictEqual([])
})

test('the listener can be mounted on a server of your own', async () => {
  const mounted = new FakeProvider({ origin: 'http://provider.test:4400' })
  expect(mounted.baseURL).toBe('http://provider.test:4400/api/v1')
  await using listening = await listen(mounted.requestListener, '127.0.0.1')
  const response = await fetch(`${listening.origin}/`)
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('Fake Social')
})

test('a port in use is reported', async () => {
  const port = Number(new URL(provider.origin).port)
  await expect(FakeProvider.start({ port })).rejects.toThrow(`address already in use 127.0.0.1:${port}`)
})

test('the clock can be shared and rejects invalid times', async () => {
  const clock = new Clock()
  await using other = await FakeProvider.start({ clock })
  expect(other.clock).toBe(clock)
  expect(() => clock.advance(Number.NaN)).toThrow(RangeError)
  expect(() => clock.set(Number.POSITIVE_INFINITY)).toThrow(RangeError)
  clock.set(0)
  clock.advance(-5_000)
  expect(clock.now()).toBeLessThan(0)
})

// One that Node refuses while it sends the answer would let the client retry, and succeed.
test.each([
  ['a number', { 'retry-after': 5 }, TypeError],
  ['null', { x: null }, TypeError],
  ['a name with a space', { 'retry after': '5' }, TypeError],
  ['a line break', { x: 'a\nb' }, TypeError],
  ['a letter beyond Latin-1', { x: '→' }, TypeError],
  ['Headers', new Headers({ x: 'a' }), TypeError],
])('headers of a fault with %s are refused', (_title, headers, kind) => {
  const given: unknown[] = ['authorize', { status: 503, headers }]
  expect(() => Reflect.apply(provider.failNext, provider, given)).toThrow(kind)
  expect(() => Reflect.apply(provider.failNext, provider, given)).toThrow(/^failNext: fault.headers must be/)
  expect(() => provider.failNext('oauth', { headers: { x: 'a', y: ['é', ''] } })).not.toThrow()
})

test('users and applications with unusable values are refused', () => {
  expect(() => provider.addUser({ user_id: 2 ** 53 })).toThrow('no digits lost beyond 2^53')
  expect(() => provider.addUser({ user_id: '1' })).toThrow('already taken')
  expect(() => provider.addUser({ user_id: '' })).toThrow('1 to 200')
  expect(provider.addUser()).toMatchObject({ user_id: '4', user_name: 'person4' })
  provider.removeUser('4')
  // Tokens and sessions of the user before may still be valid.
  expect(provider.addUser().user_id).toBe('6')
  expect(() => provider.updateUser('99', {})).toThrow('no user')
  const good = { name: 'x', redirectURL: 'http://localhost/' }
  for (const redirectURL of ['/cb', 'javascript:alert(1)', 'ftp://x/', 'http://x/ y', 'http://x/\r\nset-cookie:a=b']) {
    expect(() => provider.registerApplication({ ...good, redirectURL })).toThrow('redirectURL must be')
  }
  expect(() => provider.registerApplication({ ...good, name: ' ' })).toThrow('name must have')
  expect(() => provider.registerApplication({ ...good, appID: application.appID })).toThrow('already taken')
  expect(provider.registerApplication({ ...good, appID: 'known', appSecret: 'secret' })).toMatchObject({
    appID: 'known',
  })
  expect(() => provider.issueAuthKey({ appID: 'known', userID: '99' })).toThrow('no user')
  expect(() => provider.issueAuthKey({ appID: 'unknown', userID: '1' })).toThrow('no application')
})

test('an answer that cannot be sent is reported on the console, and the connection closed', async () => {
  const told = jest.spyOn(console, 'error').mockImplementation(() => {})
  provider.failNext('oauth', { redirect: '/a\nb' })
  await expect(ask(`${provider.oauthBase}/oauth`)).rejects.toThrow()
  expect(told.mock.calls).toStrictEqual([['fake provider:', expect.objectContaining({ code: 'ERR_INVALID_CHAR' })]])
  told.mockRestore()
})
