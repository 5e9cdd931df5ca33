import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, createServer, type Server, Socket } from 'node:net'
import tls from 'node:tls'
import { SocialLoginClient } from '../../../../lib'
import { connectTo } from '../../../../lib/client/http/connect'
import { makeCertificates, trustAuthority } from '../../../support/certificates'
import { rejectionOf } from '../../../support/leak-check'
import { port } from '../../../support/listen'
import { RawProvider } from '../../../support/raw-provider'
import { setEnvironment, TunnelProxy } from '../../../support/tunnel-proxy'
import { stopTimers, until } from '../../../support/turns'

// Whatever ends a connection that is being opened gives back all that it took, here and at the other side.

const { ca, good } = makeCertificates()
const ENDS = ['refused', 'silent', 'half an answer', 'a broken record', 'aborted', 'closed'] as const
type End = (typeof ENDS)[number]

/** A record of TLS whose 32 bytes nobody has encrypted. */
const BROKEN = Buffer.concat([Buffer.from([0x17, 3, 3, 0, 32]), Buffer.alloc(32)])
const HALF_HELLO = Buffer.from([0x16, 3, 3, 0, 80, 2, 0])

interface Peer {
  /** How many connections it has open. */
  readonly open: number
  stop(): Promise<unknown>
}

interface Address extends Peer {
  readonly url: string
}

let peers: Peer[] = []
let secured: jest.SpyInstance
const plain: Socket[] = []
const keep = (message: unknown): void => {
  const { socket } = Object(message)
  if (socket instanceof Socket) plain.push(socket)
}

beforeEach(() => {
  secured = trustAuthority(ca)
  subscribe('net.client.socket', keep)
})

afterEach(async () => {
  jest.restoreAllMocks()
  jest.useRealTimers()
  unsubscribe('net.client.socket', keep)
  for (const peer of peers) await peer.stop()
  peers = []
  plain.length = 0
})

/** How many connections the clients have not closed, and how many the servers have open. */
function socketsLeft(): number {
  const opened = [...plain, ...secured.mock.results.map(({ value }) => value)]
  expect(opened.length).toBeGreaterThan(0)
  return peers.reduce((left, { open }) => left + open, opened.filter(({ destroyed }) => !destroyed).length)
}

async function serve(server: Server, protocol = 'https'): Promise<Address> {
  const all = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    all.add(socket)
    socket.on('error', () => {}).on('close', () => all.delete(socket))
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const peer: Address = {
    get open() {
      return all.size
    },
    url: `${protocol}://localhost:${port(server)}`,
    stop: async () => {
      for (const socket of all) socket.destroy()
      server.close()
    },
  }
  peers.push(peer)
  return peer
}

/** Whoever is asked for a handshake of TLS. */
const withoutTLS = (end: End, asked: () => void): Promise<Address> =>
  serve(
    createServer((socket) => {
      socket.once('data', () => {
        asked()
        if (end === 'refused') socket.resetAndDestroy()
        if (end === 'half an answer') socket.write(HALF_HELLO)
        if (end === 'a broken record') socket.write(BROKEN)
      })
    }),
  )

async function proxyTo(target: () => number, isSecure: boolean): Promise<TunnelProxy> {
  const proxy = await TunnelProxy.start(target, isSecure ? { certified: good } : {})
  peers.push(proxy)
  return proxy
}

/** A proxy that is asked by CONNECT. */
async function badProxy(end: End, asked: () => void, isSecure: boolean): Promise<Address> {
  const proxy = await proxyTo(() => 1, isSecure)
  let breakTLS = (): void => {}
  proxy.answer = (socket) => {
    asked()
    if (end === 'refused') socket.write('HTTP/1.1 403 Forbidden\r\n\r\n')
    if (end === 'half an answer') socket.write('HTTP/1.1 200 OK\r\nx-a: ')
    if (end !== 'a broken record') return
    // The handshake with the provider comes through the tunnel.
    socket.once('data', () => breakTLS())
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
  }
  const relay = await relayTo(Number(new URL(proxy.url).port), isSecure ? 'https' : 'http')
  breakTLS = relay.breakTLS
  return relay
}

/** Stands before a server, and can send a broken record of TLS in its name. */
async function relayTo(target: number, protocol: string): Promise<Address & { breakTLS(): void }> {
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client)
    const behind = connect(target, 'localhost')
    behind.on('error', () => {}).on('close', () => client.destroy())
    // A reset ends no pipe.
    client.on('close', () => behind.destroy())
    client.pipe(behind).pipe(client)
  })
  const breakTLS = (): void => {
    for (const client of clients) client.write(BROKEN)
  }
  return Object.assign(await serve(server, protocol), { breakTLS })
}

interface Way {
  /** The address of the provider, and the proxy, if there is one. */
  readonly origin: string
  readonly proxy?: string
}

const WAYS: Record<string, (end: End, asked: () => void) => Promise<Way>> = {
  'the provider': async (end, asked) => ({ origin: (await withoutTLS(end, asked)).url }),
  'an http proxy': async (end, asked) => ({ origin: PROVIDER, proxy: (await badProxy(end, asked, false)).url }),
  'the provider behind an http proxy': (end, asked) => behind(end, asked, false),
  'the handshake of an https proxy': async (end, asked) => ({
    origin: PROVIDER,
    proxy: (await withoutTLS(end, asked)).url,
  }),
  'an https proxy': async (end, asked) => ({ origin: PROVIDER, proxy: (await badProxy(end, asked, true)).url }),
  'the provider behind an https proxy': (end, asked) => behind(end, asked, true),
}
const PROVIDER = 'https://provider.example'

async function behind(end: End, asked: () => void, isSecure: boolean): Promise<Way> {
  const provider = await withoutTLS(end, asked)
  const proxy = await proxyTo(() => Number(new URL(provider.url).port), isSecure)
  return { origin: PROVIDER, proxy: proxy.url }
}

const TIMEOUT = 10_000

function newClient({ origin, proxy = '' }: Way): SocialLoginClient {
  const restore = setEnvironment({ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, HTTPS_PROXY: proxy })
  const options = { clientID: 'id', clientSecret: 's', timeout: TIMEOUT, allowInsecureHTTP: true }
  const client = new SocialLoginClient({ baseURL: `${origin}/api/v1`, ...options })
  restore()
  return client
}

describe.each(Object.keys(WAYS))('a connection that ends at %s', (name) => {
  test.each(ENDS)('%s leaves no socket', async (end) => {
    let asked = 0
    const way = await WAYS[name]?.(end, () => {
      asked += 1
    })
    if (!way) throw new Error('no such way')
    const isWaiting = end === 'silent' || end === 'half an answer'
    // No time passes, unless the end is that of the deadline.
    stopTimers()
    const client = newClient(way)
    const controller = new AbortController()
    if (end === 'closed') {
      client.preconnect()
      await until(() => asked > 0)
      await client.close()
    } else {
      const call = rejectionOf(client.exchangeAuthKey('key', { signal: controller.signal }))
      await until(() => asked > 0)
      if (end === 'aborted') controller.abort()
      if (isWaiting) {
        expect(socketsLeft()).toBeGreaterThan(0)
        jest.advanceTimersByTime(TIMEOUT)
      }
      const code = isWaiting ? 'provider_timeout' : 'provider_unreachable'
      expect(await call).toMatchObject(end === 'aborted' ? { name: 'AbortError' } : { code })
    }
    await until(() => socketsLeft() === 0)
    expect(asked).toBe(1)
    await client.close()
  })
})

test.each([
  ['the provider', 'https://localhost', false],
  ['an https proxy, on the way of plain http', 'http://provider.example', true],
  ['an https proxy, on the way of https', 'https://localhost', true],
])('a broken record of %s ends the request that waits, and leaves no socket', async (_what, origin, hasProxy) => {
  const provider = await RawProvider.start(origin.startsWith('https') ? good : undefined)
  peers.push(provider)
  const proxy = hasProxy ? await proxyTo(() => provider.port, true) : undefined
  const relay = await relayTo(proxy ? Number(new URL(proxy.url).port) : provider.port, 'https')
  const way = proxy ? { origin, proxy: relay.url } : { origin: relay.url }
  const client = newClient(way)
  provider.failNext('authorize', () => relay.breakTLS(), 2)
  // Whoever waits for it gets provider_timeout.
  expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject({ code: 'provider_unreachable' })
  expect(provider.requests).toHaveLength(2)
  await until(() => socketsLeft() === 0)
  await client.close()
})

// Node 20 ends with SIGSEGV where the connection under TLS is closed first.
test.each([
  ['http', false],
  ['https', true],
])('an abort in the turn in which TLS through an %s proxy is open leaves no socket', async (_scheme, isSecure) => {
  const provider = await RawProvider.start(good)
  peers.push(provider)
  const proxy = await proxyTo(() => provider.port, isSecure)
  const controller = new AbortController()
  const connect = connectTo(provider.baseURL, { connectTimeout: 10_000, proxy: new URL(proxy.url) })
  await connect(controller.signal, () => controller.abort()).catch(() => {})
  await until(() => socketsLeft() === 0)
})

test('a tunnel is closed where Node refuses to begin TLS in it', async () => {
  const provider = await RawProvider.start(good)
  peers.push(provider)
  const proxy = await proxyTo(() => provider.port, false)
  const open = connectTo(provider.baseURL, { connectTimeout: 10_000, proxy: new URL(proxy.url) })
  jest.spyOn(tls, 'connect').mockImplementation(() => {
    throw new TypeError('no such version of TLS')
  })
  expect(await rejectionOf(open(new AbortController().signal))).toBeInstanceOf(TypeError)
  expect(plain.length).toBeGreaterThan(0)
  await until(() => proxy.open === 0 && plain.every(({ destroyed }) => destroyed))
})
