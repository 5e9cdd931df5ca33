import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { SocialLoginClient } from '../../../../lib'
import { rejectionOf } from '../../../support/leak-check'
import { goodBody, RAW_TOKEN, RawProvider, type Wire } from '../../../support/raw-provider'
import { setEnvironment, TunnelProxy } from '../../../support/tunnel-proxy'
import { settled, until } from '../../../support/turns'

// Where the bounds of a response and of an idle connection are: just below all is well, just above it ends.

describe.each(['directly', 'through a proxy of the environment'])('a client that connects %s', (way) => {
  let provider: RawProvider
  let proxy: TunnelProxy
  let client: SocialLoginClient

  // Plain http to this machine goes past any proxy.
  const newClient = (options: { timeout?: number } = {}): SocialLoginClient => {
    const { baseURL } = provider
    const isProxied = way !== 'directly'
    const restore = setEnvironment(isProxied ? { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url } : {})
    const host = isProxied ? baseURL.replace('localhost', 'provider.example') : baseURL
    const settings = { baseURL: host, clientID: 'id', clientSecret: 'secret', allowInsecureHTTP: true }
    const made = new SocialLoginClient({ ...settings, ...options })
    restore()
    return made
  }

  beforeEach(async () => {
    provider = await RawProvider.start()
    proxy = await TunnelProxy.start(() => provider.port)
    client = newClient()
  })

  afterEach(async () => {
    jest.useRealTimers()
    await provider.stop()
    await client.close()
    await proxy.stop()
  })

  const good = { access_token: RAW_TOKEN }
  const bad = { code: 'provider_bad_response' }

  /** A response with this much before its body. */
  const withHead =
    (more: string): Wire =>
    (socket, body) =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`)

  test('the names and values of headers may have 6 KiB together', async () => {
    provider.failNext('authorize', withHead(`x-a: ${'b'.repeat(6000)}\r\n`))
    expect(await client.exchangeAuthKey('key')).toEqual(good)
    provider.failNext('authorize', withHead(`x-a: ${'b'.repeat(6 * 1024)}\r\n`))
    expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject(bad)
    // On the connection of a request that is sent again, too.
    provider.failNext('authorize', (socket) => socket.resetAndDestroy())
    provider.failNext('authorize', withHead(`x-a: ${'b'.repeat(6 * 1024)}\r\n`))
    expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject(bad)
  })

  describe('a response may take 1 MiB with all that is not its body', () => {
    const HINT = `HTTP/1.1 103 Early Hints\r\nx-a: ${'b'.repeat(4000)}\r\n\r\n`
    const hints = (bytes: number): string => HINT.repeat(Math.floor(bytes / HINT.length))

    test.each<[string, number, object]>([
      ['as much', 1024 * 1024, good],
      ['a byte more', 1024 * 1024 + 1, bad],
    ])('early hints with %s', async (_title, bytes, outcome) => {
      provider.failNext('authorize', (socket, body) => {
        const rest = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nx-a: \r\n\r\n${body}`
        const before = hints(bytes - rest.length)
        const filling = 'b'.repeat(bytes - rest.length - before.length)
        socket.write(before, () => socket.write(rest.replace('x-a: ', `x-a: ${filling}`)))
      })
      expect(await client.exchangeAuthKey('key').catch((error: unknown) => error)).toMatchObject(outcome)
      expect(provider.requests).toHaveLength(1)
    })

    test('which is counted for each response of a connection anew', async () => {
      for (const key of ['first', 'second', 'third']) {
        provider.failNext('authorize', (socket, body) => {
          socket.write(hints(600 * 1024), () => withHead('')(socket, body))
        })
        expect(await client.exchangeAuthKey(key)).toEqual(good)
      }
      expect(provider.accepted).toBe(1)
    })
  })

  // A server of the second kind asks for an hour.
  test.each(['', 'keep-alive: timeout=3600\r\n'])(
    'an idle connection is kept for fifty seconds (%j), and closed by a timer',
    async (header) => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
      provider.failNext('authorize', withHead(header))
      await client.exchangeAuthKey('key')
      // undici sets its timer a turn after the response.
      await settled(() => provider.open)
      jest.advanceTimersByTime(49_999)
      await settled(() => provider.open, 100)
      expect(provider.open).toBe(1)
      jest.advanceTimersByTime(1)
      await until(() => provider.open === 0)
    },
  )

  test('what a server sends without end is not read: its connection is closed', async () => {
    provider.failNext('authorize', (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const more = (): void => {
        if (!socket.destroyed) socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`, () => setImmediate(more))
      }
      more()
    })
    expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject(bad)
    await until(() => provider.open === 0)
    expect(provider.accepted).toBe(1)
  })

  test('the connection of a second attempt is kept as any other, and used again', async () => {
    provider.failNext('user/me', (socket) => socket.resetAndDestroy())
    expect(await client.getCurrentUser('token')).toMatchObject({ user_id: '1' })
    expect(goodBody('user/me')).toContain('user_id')
    await client.exchangeAuthKey('key')
    expect([provider.accepted, provider.open]).toStrictEqual([2, 1])
  })

  test('a closed client leaves no connection, whether it was used, spare, or is asked for a spare one', async () => {
    await client.exchangeAuthKey('key')
    client.preconnect()
    await until(() => provider.accepted === 2)
    await client.close()
    client.preconnect()
    await until(() => provider.open === 0)
    expect(provider.accepted).toBe(2)
  })

  test('a response is given up at the deadline, and so is its connection', async () => {
    const hasty = newClient({ timeout: 200 })
    provider.failNext('authorize', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n'))
    expect(await rejectionOf(hasty.exchangeAuthKey('key'))).toMatchObject({ code: 'provider_timeout' })
    await until(() => provider.open === 0)
    await hasty.close()
  })

  test.each<[what: string, head: string, bytes: number, code: string]>([
    ['a body that is too large', '200 OK', 64 * 1024 + 1, 'provider_bad_response'],
    ['the body of a redirect', '302 Found', 0, 'provider_redirected'],
    ['the body of a failure', '500 Internal Server Error', 0, 'provider_unavailable'],
  ])('the rest of %s is not waited for', async (_what, head, bytes, code) => {
    provider.failNext('authorize', (socket) =>
      socket.write(`HTTP/1.1 ${head}\r\ncontent-length: 1000000\r\n\r\n${' '.repeat(bytes)}`),
    )
    // Whoever waits for it gets provider_timeout.
    expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject({ code })
  })

  test('a response may take more than the second after which the timers of undici would end it', async () => {
    const pause = (then: () => void): void => void setTimeout(then, 1700)
    provider.failNext('authorize', (socket, body) => pause(() => withHead('')(socket, body)))
    provider.failNext('authorize', (socket, body) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`)
      pause(() => socket.write(body.slice(5)))
    })
    const both = ['first', 'second'].map((key) => client.exchangeAuthKey(key))
    expect(await Promise.all(both)).toStrictEqual([good, good])
    expect(provider.requests).toHaveLength(2)
  })

  test('a client that is closed opens no connection for a login', async () => {
    let attempts = 0
    const counted = (): void => {
      attempts += 1
    }
    subscribe('net.client.socket', counted)
    client.preconnect()
    expect(attempts).toBe(1)
    const closed = newClient()
    await closed.close()
    closed.preconnect()
    unsubscribe('net.client.socket', counted)
    expect(attempts).toBe(1)
  })

  test('the body of a failure is not looked at, although it came with the head', async () => {
    const mark = 'Incapsula incident ID'
    provider.failNext('authorize', (socket) =>
      socket.write(`HTTP/1.1 500 Internal Server Error\r\ncontent-length: ${mark.length}\r\n\r\n${mark}`),
    )
    expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject({ code: 'provider_unavailable' })
  })
})
