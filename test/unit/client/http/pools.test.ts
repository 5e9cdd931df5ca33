import type { ServerResponse } from 'node:http'
import { Deadline } from '../../../../lib/client/deadline'
import { ProviderPools } from '../../../../lib/client/http/pools'
import { sendRequest } from '../../../../lib/client/http/transport'
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

/** A provider that answers at once, or not by itself. */
async function startProvider(answersAtOnce = true): Promise<Provider> {
  const waiting: ServerResponse[] = []
  const listening = await listen((_req, res) => void (answersAtOnce ? res.end('{}') : waiting.push(res)))
  servers.push(listening)
  return Object.assign(countConnections(listening.server), { origin: listening.origin, waiting })
}

function newPools(maxPools: number): ProviderPools {
  return new ProviderPools({ maxPools, timeout: TIMEOUT_MS, dispatcher: undefined, allowPrivateAddresses: true })
}

async function send(pools: ProviderPools, { origin }: Provider): Promise<number> {
  const deadline = new Deadline(TIMEOUT_MS)
  const request = { origin, method: 'GET', path: '/', headers: {}, body: null, idempotent: false } as const
  const { status } = await sendRequest(pools.transportTo(origin, 10), request, 'profile', { deadline })
  deadline.clear()
  return status
}

test('of more pools than maxPools, the one that has been idle for the longest is closed', async () => {
  const [first, second, third] = [await startProvider(), await startProvider(), await startProvider()]
  const pools = newPools(2)
  for (const provider of [first, second, first, third]) await send(pools, provider)
  await until(() => second.open === 0)
  expect([first.open, third.open]).toEqual([1, 1])
  await send(pools, second)
  await until(() => first.open === 0)
  expect([second.open, third.open, second.accepted]).toEqual([1, 1, 2])
  await pools.close()
})

test('a pool with a request under way is not closed, however many others are opened', async () => {
  const slow = await startProvider(false)
  const others = [await startProvider(), await startProvider(), await startProvider()]
  const pools = newPools(1)
  const sent = send(pools, slow)
  await until(() => slow.waiting.length === 1)
  for (const other of others) await send(pools, other)
  await until(() => others.every(({ open }) => open === 0))
  expect([slow.open, slow.accepted]).toEqual([1, 1])
  slow.waiting[0]?.end('{}')
  expect(await sent).toBe(200)
  await settled(() => slow.open)
  expect(slow.open).toBe(1)
  await pools.close()
})

test('when more requests than maxPools have ended, maxPools are kept', async () => {
  const providers = [await startProvider(false), await startProvider(false), await startProvider(false)]
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

test('a request of a login that ends after close, and one that overlaps with its pool, leave no connection open', async () => {
  const provider = await startProvider(false)
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
