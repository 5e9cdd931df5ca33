import { execFileSync } from 'node:child_process'
import dns from 'node:dns'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Deadline } from '../../../../lib/client/deadline'
import { ProviderPools } from '../../../../lib/client/http/pools'
import { sendRequest } from '../../../../lib/client/http/retry'
import type { TransportsOptions } from '../../../../lib/client/http/transport'
import { type Connections, countConnections } from '../../../support/connections'
import { rejectionOf } from '../../../support/leak-check'
import { type Listening, listen } from '../../../support/listen'
import { thrownBy } from '../../../support/outcomes'
import { setEnvironment, TunnelProxy } from '../../../support/tunnel-proxy'
import { settled, until } from '../../../support/turns'

interface Provider extends Connections {
  readonly origin: string
  /** Requests that were received, and are answered by the test. */
  readonly waiting: ServerResponse[]
}

const TIMEOUT_MS = 10_000

let servers: Listening[]

beforeEach(() => {
  servers = []
})
afterEach(() => Promise.all(servers.map(({ stop }) => stop())))

async function startProvider(): Promise<Provider> {
  const waiting: ServerResponse[] = []
  const listening = await listen((_req, res) => void waiting.push(res))
  servers.push(listening)
  return Object.assign(countConnections(listening.server), { origin: listening.origin, waiting })
}

// Which pools are closed, and which are not: test/login/many-providers.connections.test.ts.
function newPools(maxPools: number): ProviderPools {
  return new ProviderPools({ maxPools, timeout: TIMEOUT_MS, dispatcher: undefined, allowPrivateAddresses: true })
}

async function send(pools: ProviderPools, { origin }: Provider): Promise<number> {
  const deadline = new Deadline(TIMEOUT_MS)
  const request = { origin, method: 'GET', path: '/', headers: {}, body: null, idempotent: false } as const
  const sent = sendRequest(pools.transportTo(origin), request, 'profile', { deadline })
  return (await sent.finally(() => deadline.clear())).status
}

test('when more requests than maxPools have ended, maxPools are kept', async () => {
  const providers = [await startProvider(), await startProvider(), await startProvider()]
  const pools = newPools(1)
  const sent = providers.map((provider) => send(pools, provider))
  await until(() => providers.every(({ waiting }) => waiting.length === 1))
  for (const { waiting } of providers) waiting[0]?.end('{}')
  expect(await Promise.all(sent)).toStrictEqual([200, 200, 200])
  await until(() => providers.filter(({ open }) => open > 0).length <= 1)
  await settled(() => providers.filter(({ open }) => open > 0).length)
  expect(providers.filter(({ open }) => open > 0)).toHaveLength(1)
  await pools.close()
})

test('of too many pools one is closed that is idle, not one in use that is older', async () => {
  const [busy, idle, latest] = [await startProvider(), await startProvider(), await startProvider()]
  const pools = newPools(2)
  const running = send(pools, busy)
  await until(() => busy.waiting.length === 1)
  for (const provider of [idle, latest]) {
    const sent = send(pools, provider)
    await until(() => provider.waiting.length === 1)
    provider.waiting[0]?.end('{}')
    await sent
  }
  await until(() => idle.open === 0)
  busy.waiting[0]?.end('{}')
  expect(await running).toBe(200)
  await settled(() => busy.open)
  expect([busy.open, latest.open]).toStrictEqual([1, 1])
  await pools.close()
})

test('of idle pools the one is closed whose last request ended first, whenever that began', async () => {
  const [first, second, latest] = [await startProvider(), await startProvider(), await startProvider()]
  const pools = newPools(2)
  const [early, late] = [send(pools, first), send(pools, second)]
  await until(() => first.waiting.length === 1 && second.waiting.length === 1)
  second.waiting[0]?.end('{}')
  await late
  first.waiting[0]?.end('{}')
  await early
  const sent = send(pools, latest)
  await until(() => latest.waiting.length === 1)
  latest.waiting[0]?.end('{}')
  await sent
  await until(() => second.open === 0)
  expect([first.open, latest.open]).toStrictEqual([1, 1])
  await pools.close()
})

test('where there is room for no other pool, a start still opens a connection for a provider that has one', async () => {
  const [known, other] = [await startProvider(), await startProvider()]
  const pools = newPools(1)
  const sent = send(pools, known)
  await until(() => known.waiting.length === 1)
  for (const { origin } of [other, known]) pools.transportTo(origin).preconnect?.()
  await until(() => known.open === 2)
  expect(other.open).toBe(0)
  known.waiting[0]?.end('{}')
  await sent
  await pools.close()
})

test('a request of a login that ends after close, and one that overlaps with its pool, leave no connection open', async () => {
  const provider = await startProvider()
  const pools = newPools(2)
  const before = send(pools, provider)
  await until(() => provider.waiting.length === 1)
  const closing = pools.close()
  const after = send(pools, provider)
  await until(() => provider.waiting.length === 2)
  provider.waiting[0]?.end('{}')
  expect(await before).toBe(200)
  await closing
  provider.waiting[1]?.end('{}')
  expect(await after).toBe(200)
  await until(() => provider.open === 0)
  const later = send(pools, provider)
  await until(() => provider.waiting.length === 3)
  provider.waiting[2]?.end('{}')
  expect(await later).toBe(200)
  await until(() => provider.open === 0)
})

describe('where the environment names a proxy', () => {
  const dispatcher = { request: () => Promise.reject(new Error('asked')) }
  const options = { maxPools: 2, timeout: TIMEOUT_MS, dispatcher: undefined, allowPrivateAddresses: false }
  const proxyOf = () => new URL('http://proxy.example')

  test.each<[string, Partial<TransportsOptions>]>([
    ['the proxy of the environment', {}],
    ['a proxy that is given', { proxyOf }],
    ['a proxy that is given beside a dispatcher', { proxyOf, dispatcher }],
  ])('private addresses cannot be refused behind %s', (_title, given) => {
    const restore = setEnvironment({ NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://proxy.example' })
    const error = thrownBy(() => new ProviderPools({ ...options, ...given }))
    restore()
    const message =
      'NODE_USE_ENV_PROXY is set, and a proxy looks names up by itself, so that private addresses cannot be refused: make it refuse them, and set allowPrivateAddresses'
    expect(error).toEqual(new TypeError(message))
  })

  test.each<[string, Partial<TransportsOptions>]>([
    ['a dispatcher, which may have a proxy of its own', { dispatcher }],
    ['connections past the proxy', { proxyOf: false }],
  ])('they are refused with %s', (_title, given) => {
    const restore = setEnvironment({ NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://proxy.example' })
    const pools = new ProviderPools({ ...options, ...given })
    restore()
    expect(() => pools.transportTo('https://93.184.216.34')).not.toThrow()
    for (const origin of ['https://10.0.0.1', 'https://127.0.0.1', 'http://[::1]:8080'])
      expect(() => pools.transportTo(origin)).toThrow(
        new TypeError('baseURL must not be a private address (see allowPrivateAddresses)'),
      )
  })

  test('a private address may be allowed, and is then asked by the dispatcher, if there is one', async () => {
    const pools = new ProviderPools({ ...options, dispatcher, allowPrivateAddresses: true })
    expect(() => pools.transportTo('https://10.0.0.1')).not.toThrow()
    const asked = jest.spyOn(dispatcher, 'request')
    await rejectionOf(send(pools, { ...(await startProvider()), origin: 'http://127.0.0.1:1' }))
    expect(asked).toHaveBeenCalledTimes(1)
    await pools.close()
  })

  test.each<[string, Partial<TransportsOptions>, number]>([
    ['go through it', {}, 1],
    ['go past it if they are to', { proxyOf: false }, 0],
  ])('requests %s', async (_title, given, tunnels) => {
    const provider = await startProvider()
    const { port } = new URL(provider.origin)
    const proxy = await TunnelProxy.start(() => Number(port))
    const restore = setEnvironment({ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url })
    const pools = new ProviderPools({ ...options, allowPrivateAddresses: true, ...given })
    restore()
    // A proxy is not asked for this machine, but for one of its names.
    const lookup = jest.spyOn(dns, 'lookup').mockImplementation((...args: unknown[]) => {
      const answer = args.at(-1)
      if (typeof answer === 'function') answer(null, [{ address: '127.0.0.1', family: 4 }])
    })
    const sent = send(pools, { ...provider, origin: `http://provider.example:${port}` })
    await until(() => provider.waiting.length === 1)
    provider.waiting[0]?.end('{}')
    expect([await sent, proxy.asked.length]).toStrictEqual([200, tunnels])
    await pools.close()
    await proxy.stop()
    lookup.mockRestore()
  })
})

describe('a process in which undici cannot read HTTP', () => {
  const MESSAGE =
    'This process has no WebAssembly, by which undici reads HTTP, or gets no memory for it: run Node without --jitless, and without a limit of the address space (ulimit -v, as on shared hosting), or give a dispatcher'
  const NO_MEMORY = 'WebAssembly.Memory = class { constructor() { throw new RangeError() } };'

  /** @returns what comes of a client without a dispatcher, and of one with it */
  function outcomesIn(flags: readonly string[], before = ''): string[] {
    const program = `${before}
      const { SocialLoginClient } = require(${JSON.stringify(join(__dirname, '../../../../lib'))})
      const required = { baseURL: 'https://social.example/v1', clientID: 'id', clientSecret: 'secret' }
      for (const options of [{}, { dispatcher: { request() {} } }])
        try {
          new SocialLoginClient({ ...required, ...options })
          console.log('made')
        } catch (error) {
          console.log(String(error))
        }`
    return execFileSync(process.execPath, [...flags, '-e', program], { encoding: 'utf8', stdio: 'pipe' })
      .trim()
      .split('\n')
  }

  test.each([
    ['is told so, where it is forbidden', ['--jitless'], ''],
    ['is told so, where there is no memory for it', [], NO_MEMORY],
  ])('%s, and needs a dispatcher', (_title, flags, before) => {
    expect(outcomesIn(flags, before)).toStrictEqual([`Error: ${MESSAGE}`, 'made'])
  })
})
