import { Agent } from 'undici'
import { Agent as Agent6 } from 'undici-6'
import type { OutcomeCode } from '../../lib'
import type { Endpoint, Fault } from '../../lib/testing'
import { codeOf } from '../support/app'
import { useClients } from '../support/client'
import { rejectionOf } from '../support/leak-check'
import { useLogins } from '../support/logins'
import { expectOutcome, key, marker, token } from '../support/outcomes'
import { answer, goodBody, RawProvider } from '../support/raw-provider'
import { settled, stopTimers, until } from '../support/turns'

const down: Fault = { status: 503, body: marker }
const okay = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

// After one of these, a profile request is sent again. outcome-rows.ts has those after which it is not.
const passing: { title: string; fault: Fault; endpoint?: 'user/me' | 'get_user_info' }[] = [
  { title: 'a 500', fault: { status: 500, body: marker } },
  { title: 'a 503', fault: down, endpoint: 'get_user_info' },
  { title: 'a 503 with an endless body', fault: { ...down, endless: true } },
  { title: 'a 503 with Retry-After: 0', fault: { ...down, headers: { 'retry-after': '0' } } },
  { title: 'a reset before the answer', fault: { reset: 'before' } },
  { title: 'a reset within the headers', fault: { reset: 'headers' } },
  { title: 'a reset within the body', fault: { reset: 'body' }, endpoint: 'get_user_info' },
  { title: 'an end without an answer', fault: { raw: '' } },
  { title: 'an end within the body', fault: { raw: `${okay}content-length: 99\r\n\r\n{"user_id":` } },
]

const pairs: { title: string; first: Fault; second: Fault; code: OutcomeCode }[] = [
  { title: '503 and a reset', first: down, second: { reset: 'body' }, code: 'provider_unreachable' },
  { title: 'a reset and 500', first: { reset: 'before' }, second: { status: 500 }, code: 'provider_unavailable' },
  { title: '503 and 429', first: down, second: { status: 429 }, code: 'provider_rate_limited' },
  { title: '503 and nobody', first: down, second: { body: '{}' }, code: 'profile_invalid' },
]

const logins = useLogins('all tests', { rateLimit: 1_000_000 })
const clients = useClients()
let raw: RawProvider

beforeEach(async () => {
  raw = await RawProvider.start()
})
afterEach(() => raw.stop())

describe('in a login', () => {
  const sent = (): Endpoint[] => logins.provider.requests.map(({ endpoint }) => endpoint)

  test.each(passing)(
    '$title, then a good response, is a successful login with one exchange',
    async ({ fault, endpoint = 'user/me' }) => {
      const app = await logins.startApp({ strategy: { profileEndpoint: endpoint } })
      logins.provider.failNext(endpoint, fault)
      expect((await app.logIn()).status).toBe(200)
      expect(sent()).toStrictEqual(['authorize', endpoint, endpoint])
      expect(app.profiles).toHaveLength(1)
    },
  )

  test.each(pairs)(
    '$title end in the outcome of the second; there is no third request',
    async ({ first, second, code }) => {
      const app = await logins.startApp()
      logins.provider.failNext('user/me', first)
      logins.provider.failNext('user/me', second)
      await app.logIn()
      expect(app.errors.map(codeOf)).toStrictEqual([code])
      expect(sent()).toStrictEqual(['authorize', 'user/me', 'user/me'])
    },
  )
})

describe('the client', () => {
  const dispatchers = [
    { title: 'its own pool', dispatcher: undefined },
    { title: 'an agent of undici 7', dispatcher: new Agent() },
    { title: 'an agent of undici 6', dispatcher: new Agent6() },
  ]
  afterAll(() => Promise.all(dispatchers.map(({ dispatcher }) => dispatcher?.close())))

  test.each(dispatchers)('sends at most two requests over $title, by each method', async ({ dispatcher }) => {
    const client = clients.client(dispatcher ? { dispatcher } : {})
    const { access_token } = await client.exchangeAuthKey(clients.newKey())
    const methods: [Endpoint, () => Promise<unknown>][] = [
      ['user/me', () => client.getCurrentUser(access_token)],
      ['get_user_info', () => client.getUserInfo(access_token)],
      ['get_user_info', () => client.fetchUser('get_user_info', access_token)],
    ]
    for (const [endpoint, ask] of methods) {
      for (const fault of [down, { reset: 'body' } as const]) {
        clients.provider.clearRequests()
        clients.provider.failNext(endpoint, fault)
        await expect(ask()).resolves.toBeDefined()
        expect(clients.provider.requests).toHaveLength(2)
        clients.provider.failNext(endpoint, fault, { times: 2 })
        await rejectionOf(ask())
        expect(clients.provider.requests).toHaveLength(4)
      }
    }
  })

  test('does not retry after an abort by the caller', async () => {
    const client = clients.client({ maxConnections: 1 })
    const controller = new AbortController()
    const reason = new Error('the user left')
    clients.provider.failNext('user/me', { ...down, headers: { 'retry-after': '5' } })
    const rejection = rejectionOf(client.getCurrentUser(token, { signal: controller.signal }))
    await until(() => clients.provider.requests.length === 1)
    controller.abort(reason)
    expect(await rejection).toBe(reason)
    // The only slot is free again.
    await client.exchangeAuthKey(clients.newKey())
    expect(clients.provider.requests.map(({ endpoint }) => endpoint)).toStrictEqual(['user/me', 'authorize'])
  })

  test('keeps its slot and its connection for the retry, and closes only after it', async () => {
    const client = clients.client({ baseURL: raw.baseURL, maxConnections: 1 })
    let closed: Promise<void> | undefined
    raw.failNext('user/me', (socket) => {
      closed = client.close()
      socket.write(answer('', '', '503 Down'))
    })
    const [, user] = await Promise.all([client.exchangeAuthKey(key), client.getCurrentUser(token)])
    expect(user).toMatchObject({ user_id: '1' })
    await closed
    expect(raw.requests.map(({ endpoint }) => endpoint)).toStrictEqual(['authorize', 'user/me', 'user/me'])
    expect(raw.accepted).toBe(1)
  })

  test('opens no connection beyond maxConnections for the retry, and uses the kept-alive ones', async () => {
    const client = clients.client({ baseURL: raw.baseURL, maxConnections: 3 })
    await Promise.all([1, 2, 3].map(() => client.getCurrentUser(token)))
    const held: (() => unknown)[] = []
    raw.failNext('user/me', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{'))
    raw.failNext('user/me', (socket, body) => held.push(() => socket.write(answer(body))), 3)
    const first = client.getCurrentUser(token)
    await until(() => held.length === 1)
    const others = [client.getCurrentUser(token), client.getCurrentUser(token)]
    await until(() => held.length === 3)
    expect(raw.open).toBeLessThanOrEqual(3)
    for (const release of held) release()
    await Promise.all([first, ...others])
    expect(raw.accepted).toBeLessThanOrEqual(4)
  })

  test('does not retry on connections that closed together with the first', async () => {
    const client = clients.client({ baseURL: raw.baseURL, maxConnections: 4 })
    const held: (() => unknown)[] = []
    raw.failNext('user/me', (socket, body) => held.push(() => socket.write(answer(body))))
    raw.failNext('user/me', (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{')
      held.push(() => {
        socket.resetAndDestroy()
        raw.cut()
      })
    })
    const first = client.getCurrentUser(token)
    const second = client.getCurrentUser(token)
    await until(() => held.length === 2)
    held[0]?.()
    await first
    // The connection of the first is kept alive, and the next in turn.
    held[1]?.()
    expect(await second).toMatchObject({ user_id: '1' })
  })
})

describe('the deadline', () => {
  const TIMEOUT = 10_000
  let timers: jest.SpiedFunction<typeof setTimeout>

  beforeEach(() => {
    stopTimers()
    timers = jest.spyOn(globalThis, 'setTimeout')
  })
  afterEach(() => {
    timers.mockRestore()
    jest.useRealTimers()
  })

  /** A call that the provider fails like this after `milliseconds`. */
  async function failAfter(milliseconds: number, headers = '', signal?: AbortSignal) {
    let fail = (): void => {}
    raw.failNext('user/me', (socket) => {
      fail = () => socket.write(answer('', headers, '503 Down'))
    })
    const client = clients.client({ baseURL: raw.baseURL, maxConnections: 1, timeout: TIMEOUT })
    const call = client.getCurrentUser(token, signal ? { signal } : {})
    call.catch(() => {})
    await until(() => raw.requests.length === 1)
    jest.advanceTimersByTime(milliseconds)
    fail()
    return { client, call }
  }

  /** Resolves when a wait of this many seconds begins. */
  const wait = (seconds: number): Promise<void> =>
    until(() => timers.mock.calls.some(([, milliseconds]) => milliseconds === seconds * 1000))

  test('leaves time for a retry that takes as long as the first request', async () => {
    const { call } = await failAfter(TIMEOUT / 2 - 1)
    expect(await call).toMatchObject({ user_id: '1' })
    expect(raw.requests).toHaveLength(2)
  })

  test('that is more than half over leaves none: the first response is the outcome, at once', async () => {
    const { call } = await failAfter(TIMEOUT / 2 + 1)
    expectOutcome(await rejectionOf(call), 'provider_unavailable', 'profile')
    expect(raw.requests).toHaveLength(1)
  })

  test('bounds a retry that is not answered', async () => {
    raw.failNext('user/me', (socket) => {
      raw.failNext('user/me', () => {})
      socket.write(answer('', '', '503 Down'))
    })
    const call = rejectionOf(clients.client({ baseURL: raw.baseURL, timeout: TIMEOUT }).getCurrentUser(token))
    await until(() => raw.requests.length === 2)
    jest.advanceTimersByTime(TIMEOUT)
    expectOutcome(await call, 'provider_timeout', 'profile')
    expect(raw.requests).toHaveLength(2)
  })

  test.each([1, 9])('leaves time for a Retry-After of %d seconds, which is observed', async (seconds) => {
    const { call } = await failAfter(0, `retry-after: ${seconds}\r\n`)
    await wait(seconds)
    jest.advanceTimersByTime(seconds * 1000 - 1)
    await settled(() => raw.requests.length)
    expect(raw.requests).toHaveLength(1)
    jest.advanceTimersByTime(1)
    expect(await call).toMatchObject({ user_id: '1' })
    expect(raw.requests).toHaveLength(2)
  })

  test.each([10, 120])('leaves none for a Retry-After of %d seconds, which the error contains', async (seconds) => {
    const { call } = await failAfter(0, `retry-after: ${seconds}\r\n`)
    const error = expectOutcome(await rejectionOf(call), 'provider_unavailable', 'profile')
    expect([error.retryAfter, raw.requests.length]).toStrictEqual([seconds, 1])
  })

  test('that ends during a Retry-After ends the wait and frees the slot', async () => {
    const controller = new AbortController()
    const { client, call } = await failAfter(0, 'retry-after: 9\r\n', controller.signal)
    await wait(9)
    controller.abort(new DOMException('late', 'TimeoutError'))
    expectOutcome(await rejectionOf(call), 'provider_timeout', 'profile')
    expect(await client.exchangeAuthKey(key)).toMatchObject(JSON.parse(goodBody('authorize')))
  })
})
