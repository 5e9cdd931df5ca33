import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { FakeProvider } from '../../lib/testing'
import { startApp } from '../support/app'
import { Browser } from '../support/browser'
import { inParallel } from '../support/parallel'
import { RawProvider } from '../support/raw-provider'
import { FaultHarness } from './fault-harness'

/** The 99th percentile, rounded. */
function p99(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b)
  return Math.round(sorted[Math.floor((sorted.length - 1) * 0.99)] ?? 0)
}

export interface Stall {
  readonly statuses: Readonly<Record<number, number>>
  readonly mostExchanges: number
  readonly connections: number
  readonly withoutRetryAfter: number
  readonly nextLogin: number
  /** Milliseconds from the provider's recovery to the end of the next login. */
  readonly nextLoginTook: number
  /** p99 in milliseconds of a route that needs no provider. */
  readonly unrelated: number
  readonly grown: number
}

/** Concurrent callbacks while the provider stalls, with slots for `cap` of them; then it recovers. */
export async function stall(callbacks: number, cap: number, timeout: number): Promise<Stall> {
  const raw = await RawProvider.start()
  const harness = await FaultHarness.start(raw, 'session', raw.baseURL, { maxConcurrentLogins: cap, timeout })
  const browsers = await Promise.all(Array.from({ length: callbacks }, () => harness.begin()))
  const heap = heapUsed()
  raw.failNext('authorize', () => {}, callbacks)
  const accepted = raw.accepted
  let isOver = false
  const unrelated: number[] = []
  const visits = (async () => {
    while (!isOver) {
      const start = performance.now()
      await new Browser().request(`${harness.app.origin}/me`)
      unrelated.push(performance.now() - start)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  const answers = await Promise.all(browsers.map((browser) => harness.comeBack(browser)))
  isOver = true
  await visits
  const mostExchanges = raw.requests.length
  const connections = raw.accepted - accepted
  const recovered = performance.now()
  const nextLogin = await harness.goodLogin()
  const nextLoginTook = Math.round(performance.now() - recovered)
  const statuses: Record<number, number> = {}
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1
  const withoutRetryAfter = answers.filter(({ status, headers }) => status === 503 && !headers['retry-after']).length
  const grown = heapUsed() - heap
  await harness.stop()
  const figures = { statuses, mostExchanges, connections, withoutRetryAfter, nextLogin, nextLoginTook, grown }
  return { ...figures, unrelated: p99(unrelated) }
}

/** Runs `count` starts without a callback, with the login in the cookie. @returns the growth of the heap in bytes */
export async function abandonedStarts(count: number, lanes: number): Promise<{ grown: number }> {
  await using provider = await FakeProvider.start()
  await using app = await startApp(provider, { keep: 'cookie' })
  const begin = async (): Promise<void> => {
    if ((await new Browser().follow(app.loginURL)).status !== 302) throw new Error('a start failed')
  }
  await inParallel(500, lanes, begin)
  const heap = heapUsed()
  await inParallel(count, lanes, begin)
  return { grown: heapUsed() - heap }
}

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

/** Bytes in use after a full collection. */
export function heapUsed(): number {
  if (typeof collectGarbage === 'function') for (let time = 0; time < 3; time += 1) collectGarbage()
  return process.memoryUsage().heapUsed
}
