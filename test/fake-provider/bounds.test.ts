import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Application, Clock, FakeProvider } from '../../lib/testing'
import { BoundedMap } from '../../lib/testing/state/bounded-map'
import { RateLimit } from '../../lib/testing/state/rate-limit'
import { listen } from '../support/listen'
import { ask, exchange, post, signInAs, tokenFor, userMe } from '../support/provider-http'
import { sendMany, sendRaw } from '../support/raw-requests'

let provider: FakeProvider
let application: Application

beforeEach(async () => {
  provider = await FakeProvider.start()
  application = provider.registerApplication({ name: 'My app', redirectURL: 'http://localhost:3000/cb' })
})

afterEach(() => provider.stop())

function form(path: string, body: string): string {
  const type = 'Content-Type: application/x-www-form-urlencoded'
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

describe('the log of requests', () => {
  test('keeps the 10,000 requests of 5,000 logins, and at most the newest 20,000', async () => {
    await sendMany(provider.origin, 'GET /api/v1/user/me?first HTTP/1.1\r\nHost: localhost\r\n\r\n', 1)
    await sendMany(provider.origin, form('/api/authorize', `app_id=x&app_secret=${'y'.repeat(43)}&auth_key=z`), 10_000)
    expect(provider.requests).toHaveLength(10_001)
    await sendMany(provider.origin, 'GET /api/v1/user/me?last HTTP/1.1\r\nHost: localhost\r\n\r\n', 11_000)
    const { requests } = provider
    expect([requests.length, requests[0]?.endpoint, requests.at(-1)?.path]).toEqual([
      20_000,
      'authorize',
      '/api/v1/user/me?last',
    ])
    expect(requests.at(-1)?.status).toBe(401)
  }, 60_000)

  test.each([
    ['text', 'x'.repeat(65_536)],
    ['bytes that are no UTF-8', '\xff'.repeat(65_536)],
    ['many small parameters', 'a&b&c&d&'.repeat(8_192)],
  ])(
    'keeps a few hundred large requests: %s',
    async (_name, body) => {
      await sendMany(provider.origin, form('/api/authorize', body), 400)
      await userMe(provider, 'last')
      const { requests } = provider
      expect(requests.length).toBeGreaterThan(100)
      expect(requests.length).toBeLessThan(300)
      expect(requests.at(-1)?.endpoint).toBe('user/me')
      provider.clearRequests()
      expect(provider.requests).toEqual([])
    },
    60_000,
  )
})

describe('keys, tokens, approvals and sessions', () => {
  test('the newest 10,000 unused keys are valid, older ones are dropped', async () => {
    const grant = { appID: application.appID, userID: '1' }
    const keys = Array.from({ length: 10_001 }, () => provider.issueAuthKey(grant))
    const [first = '', last = ''] = [keys[0], keys.at(-1)]
    expect((await exchange(provider, application, first)).status).toBe(400)
    expect((await exchange(provider, application, last)).status).toBe(200)
    expect((await exchange(provider, application, keys[2000] ?? '')).status).toBe(200)
  })

  test('a login still works after thousands of others', async () => {
    const tokens: string[] = []
    for (let count = 0; count < 200; count += 1) tokens.push(await tokenFor(provider, application))
    for (const token of [tokens[0], tokens.at(-1)]) expect((await userMe(provider, token ?? '')).status).toBe(200)
  })

  test('in the mode as-deployed a login costs the same with 9,000 unused keys of other people', () => {
    provider.setMode('as-deployed')
    const [busy, idle] = [
      { appID: application.appID, userID: '1' },
      { appID: application.appID, userID: '2' },
    ]
    const issueMany = (): number => {
      const start = performance.now()
      for (let count = 0; count < 2000; count += 1) provider.issueAuthKey(busy)
      return performance.now() - start
    }
    const alone = Math.min(issueMany(), issueMany(), issueMany())
    provider.setMode({ replaceKeyOnVisit: false, keyLifetime: Number.POSITIVE_INFINITY })
    for (let count = 0; count < 9000; count += 1) provider.issueAuthKey(idle)
    provider.setMode('as-deployed')
    const crowded = Math.min(issueMany(), issueMany(), issueMany())
    // Scanning all keys takes more than thirty times as long.
    expect(crowded).toBeLessThan(8 * alone + 20)
  })

  test('a browser that signs in again has one session; too many sessions evict only unused ones', async () => {
    const { origin } = provider
    const idle = await signInAs(provider, '1')
    const used = await signInAs(provider, '2')
    const isSignedIn = async (cookie: string) => (await ask(origin, { headers: { cookie } })).text.includes('Sign out')
    const again = await post(`${origin}/sign-in`, { user_id: '1' }, { cookie: used })
    const renewed = (again.headers.get('set-cookie') ?? '').split(';', 1).join()
    expect([await isSignedIn(used), await isSignedIn(renewed)]).toEqual([false, true])
    await sendMany(origin, form('/sign-in', 'user_id=1'), 6000)
    expect([await isSignedIn(renewed)]).toEqual([true])
    await sendMany(origin, form('/sign-in', 'user_id=1'), 6000)
    expect([await isSignedIn(idle), await isSignedIn(renewed)]).toEqual([false, true])
  }, 30_000)

  test('the rate limit counts 10,000 tokens at once, and drops expired hours', () => {
    const clock = new Clock()
    const limit = new RateLimit(1, clock)
    const issuedAt = clock.now()
    const holder = (token: string) => ({ token, appID: 'app', userID: '1', issuedAt })
    const first = holder('first')
    expect([limit.refusalFor(first), limit.refusalFor(first)]).toEqual([undefined, expect.anything()])
    for (let count = 0; count < 10_000; count += 1) limit.refusalFor(holder(`token ${count}`))
    expect(limit.refusalFor(first)).toBeUndefined()
    expect(limit.refusalFor(holder('token 9999'))).toBeDefined()
  })

  test('a bounded map drops expired entries first, then the oldest tenth, and reports each', () => {
    const dropped: string[] = []
    const map = new BoundedMap<number>({
      limit: 10,
      isExpired: (value) => value < 0,
      onDrop: (key) => dropped.push(key),
    })
    for (let key = 0; key < 10; key += 1) map.set(`${key}`, key === 5 ? -1 : key)
    map.set('0', 0)
    map.set('10', 10)
    expect([dropped, map.size]).toEqual([['5'], 10])
    map.set('11', 11)
    expect([dropped, map.size, map.get('0')]).toEqual([['5', '1', '2'], 9, 0])
    const short = new BoundedMap<number>({ limit: 10_000, isExpired: (value) => value < 5000 })
    for (let key = 0; key < 6000; key += 1) short.set(`${key}`, key)
    expect(short.size).toBeLessThan(2000)
  })
})

describe('data that a developer creates', () => {
  test('the dashboard registers up to 1,000 applications and reports the limit', async () => {
    const input = { name: 'x', redirectURL: 'http://localhost/' }
    while (provider.applications.length < 1000) provider.registerApplication(input)
    const seen = await post(`${provider.origin}/developers`, { name: 'y', redirect_url: 'http://localhost/' })
    expect([seen.status, seen.text.includes('There are 1000 applications: delete one first')]).toEqual([422, true])
    provider.registerApplication(input)
    expect(provider.applications).toHaveLength(1001)
  })

  test('the dashboard adds up to 1,000 people, with bounded text fields', async () => {
    const novel = { user_name: 'x'.repeat(1001) }
    for (const path of ['/users', '/users/1']) {
      const seen = await post(provider.origin + path, novel)
      expect([seen.status, seen.text.includes('user_name must have at most 1000 characters')]).toEqual([422, true])
    }
    while (provider.users.length < 1000) provider.addUser()
    const seen = await post(`${provider.origin}/users`, { user_name: 'y' })
    expect([seen.status, seen.text.includes('There are 1000 people: remove one first')]).toEqual([422, true])
    provider.addUser()
    expect(provider.users).toHaveLength(1001)
  })

  test('a redirect URL is bounded before it is parsed', () => {
    const redirectURL = `http://${encodeURIComponent('一'.repeat(1600))}.example/`
    expect(() => provider.registerApplication({ name: 'x', redirectURL })).toThrow('at most 2000 characters')
  })

  test('a fault for a billion requests takes constant memory; the number of queued faults is bounded', async () => {
    provider.failNext('user/me', { status: 503 }, { times: 1e9 })
    expect([(await userMe(provider, 'x')).status, (await userMe(provider, 'x')).status]).toEqual([503, 503])
    for (let count = 1; count < 10_000; count += 1) provider.failNext('user/me', { status: 503 })
    expect(() => provider.failNext('user/me', { status: 503 })).toThrow('10000 faults wait for "user/me"')
  })
})

describe('connections', () => {
  test('a thousand are accepted, the next is closed, and a closed one frees its slot', async () => {
    const { hostname, port: number } = new URL(provider.origin)
    const open = async (): Promise<Socket> => {
      const socket = connect(Number(number), hostname)
      await once(socket, 'connect')
      return socket
    }
    const sockets = await Promise.all(Array.from({ length: 1000 }, open))
    const [one] = sockets
    one?.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    if (one !== undefined) await once(one, 'data')
    const refused = await sendRaw(provider.origin, ['GET / HTTP/1.1', 'Host: localhost']).catch(() => undefined)
    expect(refused?.status).not.toBe(200)
    one?.destroy()
    for (const socket of sockets) socket.destroy()
    while (
      await ask(provider.origin).then(
        () => false,
        () => true,
      )
    )
      await new Promise(setImmediate)
  }, 20_000)

  test('slow requests and long headers are cut off', async () => {
    let timeouts: unknown
    const look = (message: unknown): void => {
      const server: unknown = Reflect.get(Object(message), 'server')
      timeouts = ['headersTimeout', 'requestTimeout'].map((name) => Reflect.get(Object(server), name))
    }
    subscribe('http.server.request.start', look)
    await ask(provider.origin)
    unsubscribe('http.server.request.start', look)
    expect(timeouts).toEqual([60_000, 60_000])
    const long = await sendRaw(provider.origin, ['GET / HTTP/1.1', 'Host: localhost', `X: ${'y'.repeat(17_000)}`])
    expect(long.status).toBe(431)
  })

  test('an endless body is cut off, one that is merely too long is answered', async () => {
    const long = await ask(`${provider.oauthBase}/authorize`, { method: 'POST', body: 'x'.repeat(900_000) })
    expect(long.status).toBe(413)
    const socket = connect(Number(new URL(provider.origin).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write('POST /api/authorize HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n')
    let sent = 0
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    while (!socket.destroyed && sent < 200) {
      sent += 1
      await new Promise((resolve) => socket.write(chunk, resolve))
    }
    if (!socket.destroyed) await once(socket, 'close')
    expect(sent).toBeLessThan(200)
  })
})

test('a long international name as Host or Origin is expensive for a naive server, and cheap for this one', async () => {
  const name = encodeURIComponent(
    Array.from({ length: 1600 }, (_, at) => 0x4e00 + ((at * 7919) % 20_000))
      .map((code) => String.fromCodePoint(code))
      .join(''),
  )
  await using naive = await listen((request, response) => {
    response.end(String(URL.canParse(`http://${request.headers.host}`) && URL.canParse(request.headers.origin ?? '')))
  }, '127.0.0.1')
  const attack = async (origin: string): Promise<number> => {
    const start = performance.now()
    await sendMany(origin, `POST /developers HTTP/1.1\r\nHost: ${name}\r\nContent-Length: 0\r\n\r\n`, 40)
    const other = `POST /sign-in HTTP/1.1\r\nHost: localhost\r\nOrigin: http://${name}\r\nContent-Length: 0\r\n\r\n`
    await sendMany(origin, other, 40)
    return performance.now() - start
  }
  const [hurt, ours] = [await attack(naive.origin), await attack(provider.origin)]
  expect(hurt).toBeGreaterThan(3 * ours)
}, 30_000)
