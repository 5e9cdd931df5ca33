import type { ServerResponse } from 'node:http'
import { Deadline } from '../../../../lib/client/deadline'
import { ProviderPools } from '../../../../lib/client/http/pools'
import { sendRequest } from '../../../../lib/client/http/retry'
import { type Connections, countConnections } from '../../../support/connections'
import { type Listening, listen } from '../../../support/listen'
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
  const { status } = await sendRequest(pools.transportTo(origin), request, 'profile', { deadline })
  deadline.clear()
  return status
}

test('when more requests than maxPools have ended, maxPools are kept', async () => {
  const providers = [await startProvider(), await startProvider(), await startProvider()]
  const pools = newPools(1)
  const sent = providers.map((provider) => send(pools, provider))
  await until(() => providers.every(({ waiting }) => waiting.length === 1))
  for (const { waiting } of providers) waiting[0]?.end('{}')
  expect(await Promise.all(sent)).toEqual([200, 200, 200])
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
  expect([busy.open, latest.open]).toEqual([1, 1])
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
