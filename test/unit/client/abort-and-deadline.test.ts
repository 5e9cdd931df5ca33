import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Agent, type Dispatcher, errors, MockAgent } from 'undici'
import { useClients } from '../../support/client'
import { rejectionOf } from '../../support/leak-check'
import { expectOutcome, key, marker, secret, token } from '../../support/outcomes'
import { RawProvider } from '../../support/raw-provider'
import { until } from '../../support/turns'

const clients = useClients()

test('a call with an already aborted signal sends nothing and rejects with the reason', async () => {
  const reason = new Error('the user left')
  const signal = AbortSignal.abort(reason)
  const client = clients.client()
  expect(await rejectionOf(client.exchangeAuthKey(key, { signal }))).toBe(reason)
  expect(await rejectionOf(client.getCurrentUser(token, { signal }))).toBe(reason)
  expect(await rejectionOf(client.getUserInfo(token, { signal }))).toBe(reason)
  expect(clients.provider.requests).toStrictEqual([])
})

test.each([{ hang: true }, { drip: 20, body: ' '.repeat(5000) }, { endless: true }])(
  'a call that is aborted during the request (%j) rejects with the reason at once',
  async (fault) => {
    const controller = new AbortController()
    clients.provider.failNext('authorize', fault)
    const rejection = rejectionOf(clients.client().exchangeAuthKey(key, { signal: controller.signal }))
    await arrival()
    const reason = { why: 'enough' }
    controller.abort(reason)
    const outcome = await rejection
    if ('endless' in fault)
      expect([reason, expect.objectContaining({ code: 'provider_bad_response' })]).toContainEqual(outcome)
    else expect(outcome).toBe(reason)
  },
)

test('a call with an already aborted signal opens no connection, and asks no dispatcher', async () => {
  const signal = AbortSignal.abort()
  let opened = 0
  const count = (): void => {
    opened += 1
  }
  subscribe('net.client.socket', count)
  await rejectionOf(clients.client().exchangeAuthKey(key, { signal }))
  unsubscribe('net.client.socket', count)
  expect(opened).toBe(0)
  const request = jest.fn(() => Promise.reject(new Error('was asked')))
  await rejectionOf(clients.client({ dispatcher: { request } }).exchangeAuthKey(key, { signal }))
  expect(request).not.toHaveBeenCalled()
})

/** Resolves when the provider has received a request. */
function arrival(): Promise<void> {
  return until(() => clients.provider.requests.length > 0)
}

test('an abort without a reason is the AbortError of the platform', async () => {
  const rejection = await rejectionOf(clients.client().exchangeAuthKey(key, { signal: AbortSignal.abort() }))
  expect(rejection).toMatchObject({ name: 'AbortError' })
})

test('a signal that times out gives provider_timeout', async () => {
  clients.provider.failNext('user/me', { hang: true })
  const call = clients.client().getCurrentUser(token, { signal: AbortSignal.timeout(100) })
  expectOutcome(await rejectionOf(call), 'provider_timeout', 'profile')
})

test('a signal that outlives its calls keeps none of their listeners', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const add = jest.spyOn(signal, 'addEventListener')
  const remove = jest.spyOn(signal, 'removeEventListener')
  const client = clients.client()
  for (let count = 0; count < 3; count++) await client.exchangeAuthKey(clients.newKey(), { signal })
  await rejectionOf(client.exchangeAuthKey(key, { signal }))
  expect(add.mock.calls.length).toBeGreaterThan(0)
  const removed = remove.mock.calls.map(([, listener]) => listener)
  for (const [, listener] of add.mock.calls) expect(removed).toContain(listener)
})

test("a dispatcher of the user's is used for every call, and stays open", async () => {
  const agent = new Agent({ connect: { timeout: 30_000 }, headersTimeout: 30_000 })
  const request = jest.spyOn(agent, 'request')
  const client = clients.client({ dispatcher: agent })
  const { access_token } = await client.exchangeAuthKey(clients.newKey())
  await client.getCurrentUser(access_token)
  await client.getUserInfo(access_token)
  expect(() => client.preconnect()).not.toThrow()
  expect(request).toHaveBeenCalledTimes(3)
  const closing = client.close()
  expect(closing).toBeInstanceOf(Promise)
  await closing
  expect([agent.closed, agent.destroyed]).toStrictEqual([false, false])
  expect(await client.getCurrentUser(access_token)).toMatchObject({ user_id: '1' })
  await agent.close()
  expectOutcome(await rejectionOf(client.getCurrentUser(access_token)), 'provider_unreachable', 'profile')
})

test("undici's MockAgent works as the dispatcher", async () => {
  const mock = new MockAgent()
  mock.disableNetConnect()
  const pool = mock.get('https://social.example')
  pool.intercept({ path: '/api/authorize', method: 'POST' }).reply(200, { access_token: token })
  pool.intercept({ path: '/api/v1/user/me' }).reply(200, { user_info: { user_id: '7' } })
  const client = clients.client({ baseURL: 'https://social.example/api/v1', dispatcher: mock })
  expect(await client.exchangeAuthKey(key)).toEqual({ access_token: token })
  expect(await client.getCurrentUser(token)).toMatchObject({ user_id: '7' })
  expectOutcome(await rejectionOf(client.getCurrentUser(token)), 'provider_unreachable', 'profile')
  await mock.close()
})

test.each([
  ['throws at once', () => thrown(new Error(`${secret} ${marker}`))],
  ['rejects with secrets in its cause', () => Promise.reject(new Error(marker, { cause: { secret, key, token } }))],
  ['rejects with nothing', () => Promise.reject(undefined)],
  ['rejects with a text', () => Promise.reject(secret)],
  ['fails to connect', () => Promise.reject(new errors.ConnectTimeoutError(marker))],
  ['answers with nonsense', () => Promise.resolve(Object.create(null))],
])('a dispatcher that %s gives provider_unreachable, and its error text is not passed on', async (_, request) => {
  const client = clients.client({ dispatcher: { request } })
  expectOutcome(await rejectionOf(client.exchangeAuthKey(key)), 'provider_unreachable', 'exchange')
  expectOutcome(await rejectionOf(client.getUserInfo(token)), 'provider_unreachable', 'profile')
})

function thrown(error: Error): Promise<Dispatcher.ResponseData> {
  throw error
}

test('close waits for pending calls, also when it is called again, and refuses later ones', async () => {
  const client = clients.client()
  clients.provider.failNext('authorize', { delay: 100 })
  const ends: string[] = []
  const call = client.exchangeAuthKey(clients.newKey()).finally(() => ends.push('call'))
  await arrival()
  const closes = [client.close(), client.close()].map((close) => close.finally(() => ends.push('close')))
  await Promise.all(closes)
  await client.close()
  expect(ends).toStrictEqual(['call', 'close', 'close'])
  expect(await call).toHaveProperty('access_token')
  // No outcome of the provider, to which nothing is sent.
  const closed = new Error('This SocialLoginClient is closed: make a new one')
  expect(await rejectionOf(client.exchangeAuthKey(key))).toEqual(closed)
  expect(await rejectionOf(client.getCurrentUser(token))).toEqual(closed)
})

test('calls that wait for a connection are all answered, each with a token of its own', async () => {
  const client = clients.client({ maxConnections: 2 })
  clients.provider.failNext('authorize', { delay: 30 }, { times: 6 })
  const calls = Array.from({ length: 6 }, () => client.exchangeAuthKey(clients.newKey()))
  expect(new Set((await Promise.all(calls)).map(({ access_token }) => access_token)).size).toBe(6)
})

describe('maxConnections', () => {
  let raw: RawProvider
  beforeEach(async () => {
    raw = await RawProvider.start()
  })
  afterEach(() => raw.stop())

  test('are opened at most, and they are kept alive', async () => {
    const client = clients.client({ baseURL: raw.baseURL, maxConnections: 2 })
    for (let round = 0; round < 2; round += 1) {
      await Promise.all(Array.from({ length: 6 }, () => client.exchangeAuthKey(key)))
    }
    expect([raw.requests.length, raw.accepted]).toStrictEqual([12, 2])
  })

  test('are not exceeded by calls whose deadline ends during the TLS handshake', async () => {
    let mostAtOnce = 0
    raw.greetWith((socket) => {
      socket.resume()
      mostAtOnce = Math.max(mostAtOnce, raw.open)
    })
    const baseURL = raw.baseURL.replace('http:', 'https:')
    const client = clients.client({ baseURL, maxConnections: 4, timeout: 100 })
    for (let wave = 0; wave < 8; wave++) {
      const calls = Array.from({ length: 4 }, () => rejectionOf(client.exchangeAuthKey(key)))
      for (const error of await Promise.all(calls)) expectOutcome(error, 'provider_timeout', 'exchange')
    }
    // The server may see a new connection before the close of the old one.
    expect(mostAtOnce).toBeLessThanOrEqual(8)
  })

  test('are not blocked by calls that time out in the queue, and those open none', async () => {
    const client = clients.client({ baseURL: raw.baseURL, maxConnections: 1 })
    raw.failNext('authorize', () => {})
    const controller = new AbortController()
    const { signal } = controller
    const calls = Array.from({ length: 9 }, () => rejectionOf(client.exchangeAuthKey(key, { signal })))
    await until(() => raw.requests.length === 1)
    controller.abort(new DOMException('late', 'TimeoutError'))
    for (const error of await Promise.all(calls)) expectOutcome(error, 'provider_timeout', 'exchange')
    expect(await client.exchangeAuthKey(key)).toHaveProperty('access_token')
    // That of the sent call, and the one that was used.
    expect(raw.accepted).toBe(2)
  })
})
