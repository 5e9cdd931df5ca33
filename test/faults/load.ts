import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { FakeProvider } from '../../lib/testing'
import { startApp } from '../support/app'
import { Browser } from '../support/browser'
import { inParallel } from '../support/parallel'
import { RawProvider } from '../support/raw-provider'
import { FaultHarness } from './fault-harness'

/** Times in milliseconds. */
interface Figures {
  readonly p50: number
  readonly p99: number
  readonly perSecond: number
}

function figuresOf(times: readonly number[], elapsed: number): Figures {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
  return { p50: at(0.5), p99: at(0.99), perSecond: Math.round((times.length * 1000) / elapsed) }
}

export interface Logins extends Figures {
  readonly failed: number
  readonly mixed: number
}

/** Runs `count` logins of different people, `lanes` at a time. */
export async function manyLogins(count: number, lanes: number): Promise<Logins> {
  await using provider = await FakeProvider.start({ users: Array.from({ length: count }, () => ({})) })
  await using app = await startApp(provider)
  const users = provider.users
  const times: number[] = []
  let failed = 0
  let mixed = 0
  const begin = performance.now()
  await inParallel(count, lanes, async (index) => {
    const userID = users[index]?.user_id ?? ''
    const start = performance.now()
    const answer = await app.logIn(new Browser(), userID)
    times.push(performance.now() - start)
    if (answer.status !== 200) failed += 1
    else if (JSON.parse(answer.body).user.id !== userID) mixed += 1
  })
  const elapsed = performance.now() - begin
  return { failed, mixed, ...figuresOf(times, elapsed) }
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
  const { p99 } = figuresOf(unrelated, 1)
  return { statuses, mostExchanges, connections, withoutRetryAfter, nextLogin, nextLoginTook, unrelated: p99, grown }
}

/** Runs `count` starts without a callback, with the login in the cookie. @returns the growth of the heap in bytes */
export async function abandonedStarts(count: number, lanes: number): Promise<Figures & { grown: number }> {
  await using provider = await FakeProvider.start()
  await using app = await startApp(provider, { keep: 'cookie' })
  const begin = async (): Promise<void> => {
    if ((await new Browser().follow(app.loginURL)).status !== 302) throw new Error('a start failed')
  }
  await inParallel(500, lanes, begin)
  const heap = heapUsed()
  const times: number[] = []
  const started = performance.now()
  await inParallel(count, lanes, async () => {
    const start = performance.now()
    await begin()
    times.push(performance.now() - start)
  })
  const figures = figuresOf(times, performance.now() - started)
  times.length = 0
  const grown = heapUsed() - heap
  return { ...figures, grown }
}

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

/** Bytes in use after a full collection. */
export function heapUsed(): number {
  if (typeof collectGarbage === 'function') for (let time = 0; time < 3; time += 1) collectGarbage()
  return process.memoryUsage().heapUsed
}
