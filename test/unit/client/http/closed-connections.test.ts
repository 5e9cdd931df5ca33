import { once } from 'node:events'
import { stat } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { SocialLoginClient } from '../../../../lib'
import { port } from '../../../support/listen'

const client = (origin: string, timeout = 2000): SocialLoginClient =>
  new SocialLoginClient({ baseURL: `${origin}/api/v1`, clientID: 'id', clientSecret: 'secret', timeout })

describe('a server that closes connections', () => {
  let server: Server
  let origin: string
  let connections: Socket[]
  /** Handles the n-th request of a connection (from 0), the m-th in all. */
  let answer: (socket: Socket, nth: number, mth: number) => void
  let requests: number

  const good = (socket: Socket): void => {
    const body = '{"access_token":"token"}'
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nKeep-Alive: timeout=60\r\n\r\n${body}`)
  }

  beforeEach(async () => {
    connections = []
    requests = 0
    server = createServer((socket) => {
      connections.push(socket)
      let nth = 0
      socket.on('error', () => {})
      socket.on('data', () => answer(socket, nth++, requests++))
    }).listen(0, 'localhost')
    await once(server, 'listening')
    origin = `http://localhost:${port(server)}`
  })

  afterEach(async () => {
    jest.useRealTimers()
    for (const socket of connections) socket.destroy()
    server.close()
    await once(server, 'close')
  })

  test.each<[string, (socket: Socket) => void]>([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['closed', (socket) => socket.end()],
  ])('a request on a kept-alive connection that is %s at that moment is retried on a new one', async (_title, end) => {
    answer = (socket, nth) => (nth === 0 ? good(socket) : end(socket))
    const asked = client(origin)
    await asked.exchangeAuthKey('first')
    expect(await asked.exchangeAuthKey('second')).toEqual({ access_token: 'token' })
    expect([requests, connections.length]).toEqual([3, 2])
    await asked.close()
  })

  test.each<[string, (socket: Socket) => void]>([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['closed', (socket) => socket.end()],
  ])('a request on a new connection that is %s before the response is retried as well', async (_title, end) => {
    answer = (socket, _nth, mth) => (mth === 0 ? end(socket) : good(socket))
    const asked = client(origin)
    expect(await asked.exchangeAuthKey('key')).toEqual({ access_token: 'token' })
    expect([requests, connections.length]).toEqual([2, 2])
    await asked.close()
  })

  test('such a request is retried at once, although most of the time is over', async () => {
    const body = '{"user_id":"1"}'
    answer = (socket, _nth, mth) => {
      if (mth === 0) setTimeout(() => socket.resetAndDestroy(), 600)
      else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    }
    const asked = client(origin, 1000)
    expect(await asked.getCurrentUser('token')).toMatchObject({ user_id: '1' })
    expect([requests, connections.length]).toEqual([2, 2])
    await asked.close()
  })

  test.each<[string, number]>([
    ['a new', 0],
    ['a kept-alive', 1],
  ])('a request on %s connection is sent at most twice', async (_title, before) => {
    answer = (socket, _nth, mth) => (mth < before ? good(socket) : socket.resetAndDestroy())
    const asked = client(origin)
    for (let nth = 0; nth < before; nth += 1) await asked.exchangeAuthKey('first')
    await expect(asked.exchangeAuthKey('key')).rejects.toMatchObject({ code: 'provider_unreachable' })
    expect([requests, connections.length]).toEqual([before + 2, 2])
    await asked.close()
  })

  test('a request that has not been written when its kept-alive connection is reset is sent on a new one', async () => {
    answer = good
    const asked = client(origin)
    await asked.exchangeAuthKey('first')
    // The reset arrives in the turn in which undici waits for what an idle connection may still receive.
    await new Promise((resolve) => setImmediate(resolve))
    const second = asked.exchangeAuthKey('second')
    connections[0]?.resetAndDestroy()
    expect(await second).toEqual({ access_token: 'token' })
    expect([requests, connections.length]).toEqual([2, 2])
    await asked.close()
  })

  test('a profile request that cannot be written, because its connection was reset, is sent on one of its own', async () => {
    answer = (socket) => {
      const body = '{"access_token":"token","user_id":"1"}'
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    }
    const asked = client(origin)
    await asked.exchangeAuthKey('first')
    // From here, undici writes to the idle connection before Node reads that it was reset.
    await new Promise<void>((resolve) => stat('.', () => resolve()))
    const user = asked.getCurrentUser('token')
    connections[0]?.resetAndDestroy()
    expect(await user).toMatchObject({ user_id: '1' })
    const [, second] = connections
    if (second?.destroyed === false) await once(second, 'close')
    expect([requests, connections.length]).toEqual([2, 2])
    await asked.close()
  })

  test.each(['HTTP/1.1 200 OK\r\nContent-Le', 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"access_token'])(
    'a request whose response has begun is never retried (%j)',
    async (begun) => {
      answer = (socket, nth, mth) => (nth === 0 && mth < 2 ? good(socket) : socket.end(begun))
      const asked = client(origin)
      await asked.exchangeAuthKey('first')
      await expect(asked.exchangeAuthKey('kept')).rejects.toMatchObject({ code: 'provider_unreachable' })
      await expect(asked.exchangeAuthKey('new')).rejects.toMatchObject({ code: 'provider_unreachable' })
      expect([requests, connections.length]).toEqual([3, 2])
      await asked.close()
    },
  )

  test.each<[string, string, string]>([
    ['503 Unavailable', '', 'provider_unavailable'],
    ['429 Too Many Requests', 'Retry-After: 1\r\n', 'provider_rate_limited'],
    ['302 Found', 'Location: /\r\n', 'provider_redirected'],
    ['200 OK', 'Content-Encoding: gzip\r\n', 'provider_bad_response'],
  ])('a complete but refused response (%s %j) costs no connection', async (status, header, code) => {
    answer = (socket) => socket.write(`HTTP/1.1 ${status}\r\n${header}Content-Length: 4\r\n\r\nbody`)
    const asked = client(origin)
    for (let count = 0; count < 5; count++) {
      await expect(asked.exchangeAuthKey('key')).rejects.toMatchObject({ code })
      // The connection is free again a turn of the event loop after its response.
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect([requests, connections.length]).toEqual([5, 1])
    await asked.close()
  })

  test('a key spent by the first attempt is reported as a connection failure', async () => {
    const refusal = '{"error":true}'
    answer = (socket, _nth, mth) => {
      if (mth === 0) socket.resetAndDestroy()
      else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${refusal.length}\r\n\r\n${refusal}`)
    }
    const asked = client(origin)
    await expect(asked.exchangeAuthKey('key')).rejects.toMatchObject({
      code: 'provider_unreachable',
      phase: 'exchange',
      message: expect.stringContaining('had to be retried'),
    })
    expect(requests).toBe(2)
    await asked.close()
  })

  test.each([
    ['HTTP/1.1 200 OK', '[]', 'provider_bad_response'],
    ['HTTP/1.1 404 Not Found', '', 'provider_bad_response'],
  ])('a retry that fails otherwise (%s, %j) is reported as %s', async (status, body, code) => {
    answer = (socket, _nth, mth) => {
      if (mth === 0) socket.resetAndDestroy()
      else socket.write(`${status}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    }
    const asked = client(origin)
    await expect(asked.exchangeAuthKey('key')).rejects.toMatchObject({ code, phase: 'exchange' })
    expect(requests).toBe(2)
    await asked.close()
  })

  test('a spare connection carries both requests of a login', async () => {
    answer = good
    const asked = client(origin)
    asked.preconnect()
    asked.preconnect()
    await once(server, 'connection')
    await asked.exchangeAuthKey('key')
    expect([requests, connections.length]).toEqual([1, 1])
    await asked.close()
  })

  test('an old spare connection is renewed, so that it does not close while the next person is at the provider', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
    answer = good
    const asked = client(origin)
    asked.preconnect()
    const [first] = await once(server, 'connection')
    const dropped = once(first, 'close')
    // The server has accepted it; lets the client notice, too.
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
    jest.advanceTimersByTime(40_000)
    asked.preconnect()
    await once(server, 'connection')
    await dropped
    jest.advanceTimersByTime(40_000)
    await asked.exchangeAuthKey('key')
    expect([requests, connections.length]).toEqual([1, 2])
    await asked.close()
  })

  test('a spare connection that the server has closed is not used', async () => {
    answer = good
    const asked = client(origin)
    asked.preconnect()
    const [prepared] = await once(server, 'connection')
    prepared.end('HTTP/1.1 408 Request Timeout\r\n\r\n')
    await once(prepared, 'close')
    expect(await asked.exchangeAuthKey('key')).toEqual({ access_token: 'token' })
    expect(requests).toBe(1)
    await asked.close()
  })
})
