import { execFile } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { stat } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SocialLoginClient } from '../../../../lib'
import { MAX_PROFILE_SENDS } from '../../../../lib/limits'
import { answer, type Greeting, RAW_TOKEN, RawProvider, type Wire } from '../../../support/raw-provider'
import { stopTimers, until } from '../../../support/turns'

let provider: RawProvider
let client: SocialLoginClient

beforeEach(async () => {
  provider = await RawProvider.start()
  client = newClient()
})

afterEach(async () => {
  jest.useRealTimers()
  await provider.stop()
  await client.close()
})

const TIMEOUT = 20_000

function newClient(): SocialLoginClient {
  const options = { baseURL: provider.baseURL, clientID: 'id', clientSecret: 'secret', timeout: TIMEOUT }
  return new SocialLoginClient(options)
}

const token = { access_token: RAW_TOKEN }
const reset: Wire = (socket) => socket.resetAndDestroy()
const close: Wire = (socket) => socket.end()

/** How many requests the provider has received, on how many connections. */
const received = (): [requests: number, connections: number] => [provider.requests.length, provider.accepted]

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const turns = async (count: number): Promise<void> => {
  for (let nth = 0; nth < count; nth += 1) await turn()
}

describe.each([
  ['reset', reset],
  ['closed', close],
])('a request on a connection that is %s before the response', (_title, end) => {
  test('is retried on a new one, if that was kept alive', async () => {
    await client.exchangeAuthKey('first')
    provider.failNext('authorize', end)
    expect(await client.exchangeAuthKey('second')).toEqual(token)
    expect(received()).toStrictEqual([3, 2])
  })

  test('is retried as well, if that was new', async () => {
    provider.failNext('authorize', end)
    expect(await client.exchangeAuthKey('key')).toEqual(token)
    expect(received()).toStrictEqual([2, 2])
  })
})

test('a profile request is sent no more often because it met a server error, and then a closed connection', async () => {
  provider.failNext('user/me', (socket) => socket.write(answer('', '', '503 Unavailable')))
  provider.failNext('user/me', reset, MAX_PROFILE_SENDS)
  await expect(client.getCurrentUser('token')).rejects.toMatchObject({ code: 'provider_unreachable' })
  expect(provider.requests).toHaveLength(MAX_PROFILE_SENDS)
})

test('a second attempt uses no spare connection, which may be dead, too', async () => {
  await client.exchangeAuthKey('first')
  provider.greetWith((socket) => socket.once('data', () => socket.resetAndDestroy()))
  client.preconnect()
  await until(() => provider.accepted === 2)
  provider.greetWith()
  provider.failNext('authorize', reset)
  expect(await client.exchangeAuthKey('second')).toEqual(token)
  expect(received()).toStrictEqual([3, 3])
})

test('a request whose connection closes after its deadline opens no other one', async () => {
  const controller = new AbortController()
  const late = new DOMException('late', 'TimeoutError')
  provider.failNext('authorize', () => setTimeout(() => controller.abort(late), 50))
  const call = client.exchangeAuthKey('key', { signal: controller.signal })
  await expect(call).rejects.toMatchObject({ code: 'provider_timeout' })
  await until(() => provider.open === 0)
  expect(received()).toStrictEqual([1, 1])
})

test('such a request is retried at once, although most of the time is over', async () => {
  stopTimers()
  provider.failNext('user/me', (socket) => {
    jest.advanceTimersByTime(0.9 * TIMEOUT)
    socket.resetAndDestroy()
  })
  expect(await client.getCurrentUser('token')).toMatchObject({ user_id: '1' })
  expect(received()).toStrictEqual([2, 2])
})

test.each<[string, number]>([
  ['a new', 0],
  ['a kept-alive', 1],
])('a request on %s connection is sent at most twice', async (_title, before) => {
  for (let nth = 0; nth < before; nth += 1) await client.exchangeAuthKey('first')
  provider.failNext('authorize', reset, 3)
  await expect(client.exchangeAuthKey('key')).rejects.toMatchObject({ code: 'provider_unreachable' })
  expect(received()).toStrictEqual([before + 2, 2])
})

test('a request that has not been written when its kept-alive connection is reset is sent on a new one', async () => {
  await client.exchangeAuthKey('first')
  // The reset arrives in the turn in which undici waits for what an idle connection may still receive.
  await turn()
  const second = client.exchangeAuthKey('second')
  provider.cut()
  expect(await second).toEqual(token)
  expect(received()).toStrictEqual([2, 2])
})

test('a server that closes its connection behind a response, without a word, gets no request on it', async () => {
  provider.failNext('authorize', (socket, body) => socket.end(answer(body)))
  await client.exchangeAuthKey('key')
  expect(await client.getCurrentUser('token')).toMatchObject({ user_id: '1' })
  expect(received()).toStrictEqual([2, 2])
})

test('a profile request that cannot be written, because its connection was reset, is sent on one of its own', async () => {
  await client.exchangeAuthKey('first')
  // From here, undici writes to the idle connection before Node reads that it was reset.
  await new Promise<void>((resolve) => stat('.', () => resolve()))
  const user = client.getCurrentUser('token')
  provider.cut()
  expect(await user).toMatchObject({ user_id: '1' })
  expect(received()).toStrictEqual([2, 2])
})

test.each(['HTTP/1.1 200 OK\r\nContent-Le', 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"access_token'])(
  'a request whose response has begun is never retried (%j)',
  async (begun) => {
    await client.exchangeAuthKey('first')
    provider.failNext('authorize', (socket) => socket.end(begun), 2)
    await expect(client.exchangeAuthKey('kept')).rejects.toMatchObject({ code: 'provider_unreachable' })
    await expect(client.exchangeAuthKey('new')).rejects.toMatchObject({ code: 'provider_unreachable' })
    expect(received()).toStrictEqual([3, 2])
  },
)

test.each<[string, string, string]>([
  ['503 Unavailable', '', 'provider_unavailable'],
  ['429 Too Many Requests', 'Retry-After: 1\r\n', 'provider_rate_limited'],
  ['302 Found', 'Location: /\r\n', 'provider_redirected'],
  ['200 OK', 'Content-Encoding: gzip\r\n', 'provider_bad_response'],
])('a complete but refused response (%s %j) costs no connection', async (status, header, code) => {
  provider.failNext('authorize', (socket) => socket.write(answer('body', header, status)), 5)
  for (let count = 0; count < 5; count++) {
    await expect(client.exchangeAuthKey('key')).rejects.toMatchObject({ code })
  }
  expect(received()).toStrictEqual([5, 1])
})

test.each([
  ['500 Internal Server Error', 'provider_unavailable'],
  ['302 Found', 'provider_redirected'],
])('of a response whose status says enough (%s), the rest is not waited for when some has come', async (...row) => {
  const [status, code] = row
  provider.failNext('authorize', (socket) => socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 99\r\n\r\nbegun`))
  await expect(client.exchangeAuthKey('key')).rejects.toMatchObject({ code })
})

test('a response that is complete counts, although the deadline ends at the same time', async () => {
  const controller = new AbortController()
  const end = (): void => queueMicrotask(() => controller.abort())
  subscribe('undici:request:trailers', end)
  expect(await client.exchangeAuthKey('key', { signal: controller.signal })).toEqual(token)
  unsubscribe('undici:request:trailers', end)
  expect(controller.signal.aborted).toBe(true)
})

test.each<[string, string, string]>([
  ['429 Too Many Requests', '', 'provider_rate_limited'],
  ['302 Found', 'Location: /\r\n', 'provider_redirected'],
  ['200 OK', 'Content-Encoding: gzip\r\n', 'provider_bad_response'],
])('a profile request that was refused (%s %j) is not sent again', async (status, header, code) => {
  provider.failNext('user/me', (socket) => socket.write(answer('body', header, status)), 2)
  await expect(client.getCurrentUser('token')).rejects.toMatchObject({ code })
  expect(provider.requests).toHaveLength(1)
})

test.each([
  ['200 OK', '{"error":true}', 'provider_unreachable', 'had to be retried'],
  ['200 OK', '[]', 'provider_bad_response', 'must be answered with a JSON object'],
  ['200 OK', '<!doctype html><title>Restarting</title>', 'provider_bad_response', 'was a page, not the API'],
  ['404 Not Found', '', 'provider_bad_response', 'no authorize endpoint'],
])(
  'a retry that is answered with %s %j is %s: only a refusal may mean that the first attempt has spent the key',
  async (...row) => {
    const [status, body, code, hint] = row
    provider.failNext('authorize', reset)
    provider.failNext('authorize', (socket) => socket.write(answer(body, '', status)))
    const message = expect.stringContaining(hint)
    await expect(client.exchangeAuthKey('key')).rejects.toMatchObject({ code, phase: 'exchange', message })
    expect(provider.requests).toHaveLength(2)
  },
)

describe('a spare connection', () => {
  const preconnect = async (connections: number): Promise<void> => {
    client.preconnect()
    await until(() => provider.accepted === connections)
  }

  test('carries the next request, and there is one at most', async () => {
    client.preconnect()
    await preconnect(1)
    await client.exchangeAuthKey('key')
    expect(received()).toStrictEqual([1, 1])
  })

  test('carries one request: another at the same time gets its own connection', async () => {
    await preconnect(1)
    expect(await Promise.all([client.exchangeAuthKey('first'), client.exchangeAuthKey('second')])).toStrictEqual([
      token,
      token,
    ])
    expect(received()).toStrictEqual([2, 2])
  })

  test('that is reset before the response is no different from others: its request is retried', async () => {
    await preconnect(1)
    provider.failNext('authorize', reset)
    expect(await client.exchangeAuthKey('key')).toEqual(token)
    expect(received()).toStrictEqual([2, 2])
  })

  test('that is old is renewed, so that it does not close while the next person is at the provider', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
    await preconnect(1)
    // The server has accepted it; lets the client notice, too.
    await turns(10)
    jest.advanceTimersByTime(40_000)
    await preconnect(2)
    await until(() => provider.open === 1)
    jest.advanceTimersByTime(40_000)
    await client.exchangeAuthKey('key')
    expect(received()).toStrictEqual([1, 2])
  })

  test('that is unused is renewed by a start ten seconds later, and not before', () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
    let opened = 0
    const count = (): void => {
      opened += 1
    }
    subscribe('net.client.socket', count)
    const counts = [0, 9999, 1].map((milliseconds) => {
      jest.advanceTimersByTime(milliseconds)
      client.preconnect()
      return opened
    })
    unsubscribe('net.client.socket', count)
    expect(counts).toStrictEqual([1, 1, 2])
  })

  test('that nobody needs is closed after fifty seconds, by a timer of its own, and does not keep the process', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
    await preconnect(1)
    await turns(10)
    jest.advanceTimersByTime(49_999)
    await turns(100)
    expect(provider.open).toBe(1)
    jest.advanceTimersByTime(1)
    await until(() => provider.open === 0)
    expect(received()).toStrictEqual([0, 1])
  })

  test('keeps no process alive', async () => {
    const program = `
      const { SocialLoginClient } = require(${JSON.stringify(join(__dirname, '../../../../lib'))})
      const client = new SocialLoginClient({ baseURL: process.argv[1], clientID: 'id', clientSecret: 'secret' })
      client.preconnect()`
    await promisify(execFile)(process.execPath, ['-e', program, provider.baseURL], { timeout: 50_000 })
    expect(received()).toStrictEqual([0, 1])
  })

  test('keeps no process alive while it opens, either: its server is silent in TLS', async () => {
    const program = `
      const { SocialLoginClient } = require(${JSON.stringify(join(__dirname, '../../../../lib'))})
      const [, baseURL] = process.argv
      const client = new SocialLoginClient({ baseURL, clientID: 'id', clientSecret: 'secret', timeout: 60_000 })
      client.preconnect()`
    const baseURL = provider.baseURL.replace('http:', 'https:')
    await promisify(execFile)(process.execPath, ['-e', program, baseURL], { timeout: 20_000 })
  })

  test('that was used keeps its connection, whose time is now that of an idle one, and another may be opened at once', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
    await preconnect(1)
    await turns(10)
    jest.advanceTimersByTime(45_000)
    await client.exchangeAuthKey('key')
    jest.advanceTimersByTime(45_000)
    await turns(100)
    expect(provider.open).toBe(1)
    await client.exchangeAuthKey('next')
    expect(received()).toStrictEqual([2, 1])
    await preconnect(2)
  })

  test.each<[string, Greeting]>([
    ['ended', (socket) => socket.end()],
    ['ended, behind a response', (socket) => socket.end('HTTP/1.1 408 Request Timeout\r\n\r\n')],
    ['reset', (socket) => socket.resetAndDestroy()],
    ['written a byte to', (socket) => socket.write('H')],
    [
      'written a response to',
      (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"access_token":"x"}'),
    ],
  ])('that the server has %s is not used: no request is written to it', async (_how, greet) => {
    provider.greetWith((socket) => {
      socket.resume()
      greet(socket)
    })
    await preconnect(1)
    await until(() => provider.open === 0)
    provider.greetWith()
    expect(await client.exchangeAuthKey('key')).toEqual(token)
    expect(received()).toStrictEqual([1, 2])
  })

  test('that was destroyed is not used, so that the next connection may fail once', async () => {
    const sockets: unknown[] = []
    const keep = (message: unknown): void => void sockets.push(Object(message).socket)
    subscribe('net.client.socket', keep)
    await preconnect(1)
    await turns(10)
    unsubscribe('net.client.socket', keep)
    const [socket] = sockets
    if (!(socket instanceof Socket)) throw new Error('no connection was opened')
    socket.destroy()
    await turns(10)
    provider.failNext('authorize', reset)
    expect(await client.exchangeAuthKey('key')).toEqual(token)
    expect(received()).toStrictEqual([2, 3])
  })
})
