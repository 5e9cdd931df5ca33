import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { Agent, interceptors } from 'undici'
import { Agent as Agent6, interceptors as interceptors6 } from 'undici-6'
import type { OutcomeCode } from '../../../lib'
import type { RequestDispatcher } from '../../../lib/client/http/transport'
import { FakeProvider, type Fault } from '../../../lib/testing'
import { useClients } from '../../support/client'
import { rejectionOf } from '../../support/leak-check'
import { expectOutcome, key, marker, secret } from '../../support/outcomes'
import { stopTimers, until } from '../../support/turns'

const clients = useClients()
const TIMEOUT = 30_000
afterEach(() => {
  jest.useRealTimers()
})

const okay = 'HTTP/1.1 200 OK\r\n'
// A whole login over each of them: test/login/retried-profile.test.ts.
const faults: [string, Fault, OutcomeCode][] = [
  ['hangs', { hang: true }, 'provider_timeout'],
  ['drips', { drip: 20, body: ' '.repeat(5000) }, 'provider_timeout'],
  ['resets the connection', { reset: true }, 'provider_unreachable'],
  ['redirects', { status: 302, headers: { location: '/elsewhere' } }, 'provider_redirected'],
  ['is limited', { status: 429 }, 'provider_rate_limited'],
  ['is down', { status: 503, body: marker }, 'provider_unavailable'],
  ['answers without end', { endless: true, body: marker }, 'provider_bad_response'],
  ['answers in another protocol', { raw: `SSH-2.0-${marker}\r\n` }, 'provider_bad_response'],
  ['sends a header of 20 kB', { raw: `${okay}x-a: ${'x'.repeat(20_000)}\r\n\r\n{}` }, 'provider_bad_response'],
  ['sends less than it promised', { raw: `${okay}content-length: 99\r\n\r\n{}` }, 'provider_unreachable'],
]

const agents = [
  ['undici 6', () => new Agent6()],
  ['undici 7', () => new Agent()],
] as const

describe.each(agents)('an agent of %s as the dispatcher', (_, make) => {
  const dispatcher = make()
  afterAll(() => dispatcher.close())

  test.each(faults)('reports a provider that %s as its own pool would', async (_title, fault, code) => {
    for (const given of [{ dispatcher }, {}]) {
      clients.provider.failNext('authorize', fault)
      const isLate = code === 'provider_timeout'
      if (isLate) stopTimers()
      const before = clients.provider.requests.length
      const call = rejectionOf(clients.client({ ...given, timeout: TIMEOUT }).exchangeAuthKey(key))
      await until(() => clients.provider.requests.length > before)
      if (isLate) jest.advanceTimersByTime(TIMEOUT)
      expectOutcome(await call, code, 'exchange')
      jest.useRealTimers()
    }
  })
})

const following: [string, () => RequestDispatcher & { close(): Promise<void> }][] = [
  ['undici 6', () => new Agent6().compose(interceptors6.redirect({ maxRedirections: 3 }))],
  ['undici 7', () => new Agent().compose(interceptors.redirect({ maxRedirections: 3 }))],
]

test.each(following)(
  'a dispatcher of %s that follows redirects takes the secret elsewhere, but not for us',
  async (_, make) => {
    const dispatcher = make()
    const elsewhere = await FakeProvider.start()
    const { origin } = clients.provider
    clients.provider.failNext('authorize', { redirect: `${elsewhere.oauthBase}/authorize`, status: 307 }, { times: 2 })

    const naive = await dispatcher.request({
      origin,
      path: '/api/authorize',
      method: 'POST',
      headers: {},
      body: `app_secret=${marker}`,
      idempotent: false,
      signal: AbortSignal.timeout(5000),
    })
    naive.body.resume()
    expect(elsewhere.requests.map(({ body }) => body)).toStrictEqual([`app_secret=${marker}`])

    const client = clients.client({ dispatcher })
    expectOutcome(await rejectionOf(client.exchangeAuthKey(key)), 'provider_redirected', 'exchange')
    expect(elsewhere.requests).toHaveLength(1)
    await dispatcher.close()
    await elsewhere.stop()
  },
)

test('a dispatcher is asked for each request as a whole', async () => {
  const asked: unknown[] = []
  const request: RequestDispatcher['request'] = async (options) => {
    asked.push(options)
    return { statusCode: 401, headers: {}, body: Readable.from([]) }
  }
  const baseURL = 'https://social.example/api/v1'
  const options = { dispatcher: { request }, baseURL, clientID: 'a b', userAgent: 'App/1' }
  const client = clients.client(options)
  for (const call of [client.exchangeAuthKey('k+y'), client.getCurrentUser('t+n'), client.getUserInfo('t+n')])
    await rejectionOf(call)
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  await rejectionOf(clients.client({ ...options, exchangeMethod: 'get' }).exchangeAuthKey('k+y'))
  emitWarning.mockRestore()
  const headers = { 'user-agent': 'App/1', accept: 'application/json', 'accept-encoding': 'identity' }
  const common = { origin: 'https://social.example', maxRedirections: 0, signal: expect.any(AbortSignal) }
  const form = `app_id=a+b&app_secret=${secret}&auth_key=k%2By`
  const exchange = {
    method: 'POST',
    path: '/api/authorize',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: form,
    idempotent: false,
  }
  const profile = { method: 'GET', body: null, idempotent: true }
  const forProfile = { ...headers, 'content-type': 'application/json' }
  expect(asked).toStrictEqual([
    { ...common, ...exchange },
    { ...common, ...profile, path: '/api/v1/user/me', headers: { ...forProfile, authorization: 'Bearer t+n' } },
    { ...common, ...profile, path: '/api/get_user_info?access_token=t%2Bn', headers: forProfile },
    { ...common, ...exchange, method: 'GET', path: `/api/authorize?${form}`, headers, body: null },
  ])
})

test('a dispatcher that ignores its signal is still given up at the deadline', async () => {
  const client = clients.client({ dispatcher: { request: () => new Promise(() => {}) }, timeout: 50 })
  expectOutcome(await rejectionOf(client.exchangeAuthKey(key)), 'provider_timeout', 'exchange')
  const reason = new Error('the user left')
  const controller = new AbortController()
  const rejection = rejectionOf(client.getCurrentUser('token', { signal: controller.signal }))
  controller.abort(reason)
  expect(await rejection).toBe(reason)
})

test.each([
  ['before the deadline', 0],
  ['after it', 100],
])(
  'a body that begins %s and does not end is destroyed, although the dispatcher ignores its signal',
  async (_, delay) => {
    const body = new PassThrough()
    const answer = { statusCode: 200, headers: {}, body }
    const request = () => new Promise<typeof answer>((resolve) => setTimeout(resolve, delay, answer))
    const client = clients.client({ dispatcher: { request }, timeout: 50 })
    expectOutcome(await rejectionOf(client.exchangeAuthKey(key)), 'provider_timeout', 'exchange')
    if (!body.destroyed) await once(body, 'close', { signal: AbortSignal.timeout(30_000) })
  },
)

test('an interceptor that changes the headers of a request changes those of no other', async () => {
  const seen: (readonly string[])[] = []
  const request: RequestDispatcher['request'] = async ({ headers }) => {
    seen.push(Object.keys(headers))
    headers['x-of-one-login'] = marker
    return { statusCode: 200, headers: {}, body: Readable.from([]) }
  }
  const client = clients.client({ dispatcher: { request } })
  for (let count = 0; count < 2; count += 1) await rejectionOf(client.exchangeAuthKey(key))
  expect(seen).toHaveLength(2)
  expect(seen[1]).toEqual(seen[0])
})

test('nor those of the same request, when it is sent again', async () => {
  const seen: (readonly string[])[] = []
  const request: RequestDispatcher['request'] = async ({ headers }) => {
    seen.push(Object.keys(headers))
    headers['x-of-one-login'] = marker
    return { statusCode: 503, headers: {}, body: Readable.from([]) }
  }
  await rejectionOf(clients.client({ dispatcher: { request } }).getCurrentUser('token'))
  expect(seen.length).toBeGreaterThan(1)
  for (const names of seen) expect(names).toEqual(seen[0])
})

test('the body of a response that says nothing is destroyed, and an error of it ends nothing', async () => {
  const body = new PassThrough()
  const client = clients.client({ dispatcher: { request: async () => ({ statusCode: 500, headers: {}, body }) } })
  expectOutcome(await rejectionOf(client.exchangeAuthKey(key)), 'provider_unavailable', 'exchange')
  expect(body.destroyed).toBe(true)
  // Without a listener, it would be thrown.
  expect(body.emit('error', new Error(marker))).toBe(true)
})

test('a body that has been read is not touched again when the call ends during the next request', async () => {
  const body = Readable.from([])
  const controller = new AbortController()
  let asked = 0
  const request: RequestDispatcher['request'] = async () => {
    asked += 1
    return asked === 1 ? { statusCode: 503, headers: {}, body } : new Promise(() => {})
  }
  const client = clients.client({ dispatcher: { request } })
  const call = rejectionOf(client.getCurrentUser('token', { signal: controller.signal }))
  await until(() => asked === 2)
  const listeners = body.listenerCount('error')
  controller.abort()
  await call
  expect([body.destroyed, body.listenerCount('error')]).toStrictEqual([true, listeners])
})
