import { closeBrowsers } from '../support/browser'
import { inParallel } from '../support/parallel'
import { RawProvider } from '../support/raw-provider'
import { isSoak } from '../support/runs'
import { FaultHarness } from './fault-harness'
import { abandonedStarts, heapUsed, manyLogins, stall } from './load'

// Times are only asserted on an otherwise idle machine: QUIET_MACHINE=1. The counts are those of `npm run test:long`, or
// small ones.
const isQuiet = process.env['QUIET_MACHINE'] === '1'
const MB = 1_000_000
const HOUR = 3_600_000

function report(line: string, figures: object): void {
  if (isSoak) process.stdout.write(`${line}: ${JSON.stringify(figures)}\n`)
}

/** How many sockets and servers are open. */
function openHandles(): number {
  return process.getActiveResourcesInfo().filter((name) => /^(TCP|TLS)/.test(name)).length
}

afterAll(closeBrowsers)

const [LOGINS, BROWSERS] = isSoak ? [20_000, 500] : [400, 200]

test(`L1: of ${LOGINS} logins of different people, 50 at a time, every one succeeds, each in its own browser`, async () => {
  const figures = await manyLogins(LOGINS, 50)
  report('L1', figures)
  expect(figures).toMatchObject({ failed: 0, mixed: 0 })
  if (isQuiet) expect([figures.perSecond >= 150, figures.p99 <= 1000]).toStrictEqual([true, true])
}, 900_000)

test(`L2: of ${BROWSERS} browsers at the same instant, every one succeeds`, async () => {
  for (let time = 0; time < (isSoak ? 5 : 1); time += 1) {
    const figures = await manyLogins(BROWSERS, BROWSERS)
    report('L2', figures)
    expect(figures).toMatchObject({ failed: 0, mixed: 0 })
    if (isQuiet) expect(figures.p99).toBeLessThanOrEqual(5000)
  }
}, 300_000)

test('L3: callbacks while the provider hangs cost one exchange for each slot; the others are refused at once, and the next login is good', async () => {
  const [callbacks, slots, timeout] = isSoak ? [2000, 64, 5000] : [200, 16, 1000]
  const figures = await stall(callbacks, slots, timeout)
  report('L3', figures)
  const { statuses, mostExchanges } = figures
  expect((statuses[503] ?? 0) + (statuses[504] ?? 0)).toBe(callbacks)
  expect(statuses[504]).toBe(mostExchanges)
  expect(mostExchanges).toBeGreaterThanOrEqual(isSoak ? slots : 1)
  expect([figures.withoutRetryAfter, figures.nextLogin]).toStrictEqual([0, 200])
  expect(figures.connections).toBeLessThanOrEqual(3 * mostExchanges)
  expect(figures.grown).toBeLessThanOrEqual(100 * MB)
  if (isQuiet) expect([figures.nextLoginTook <= 1000, figures.unrelated <= 100]).toStrictEqual([true, true])
}, 300_000)

test(
  'L5: logins for SOAK_MINUTES (30), 50 a second, leave the heap as it was, and nothing open',
  async () => {
    const openBefore = openHandles()
    const harness = await FaultHarness.start(await RawProvider.start())
    const seconds = isSoak ? Number(process.env['SOAK_MINUTES'] ?? 30) * 60 : 1
    const size = isSoak ? 1000 : 50
    const batch = async (): Promise<number> => {
      await inParallel(size, 25, async () => {
        expect((await harness.comeBack(await harness.begin())).status).toBe(200)
      })
      harness.forget()
      harness.app.profiles.length = 0
      return heapUsed()
    }
    for (let time = 0; time < 3; time += 1) await batch()
    const first = await batch()
    const begin = performance.now()
    let logins = 0
    let last = first
    for (; performance.now() - begin < seconds * 1000; logins += size) {
      last = await batch()
      const wait = begin + (logins + size) * 20 - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    }
    report('L5', { logins, grown: last - first })
    // Below 10,000 logins the noise of the garbage collector is larger.
    expect(last - first).toBeLessThanOrEqual(Math.max(4, logins / 10_000) * MB)
    await harness.stop()
    const givenUp = performance.now() + 5000
    while (openHandles() > openBefore && performance.now() < givenUp)
      await new Promise((resolve) => setImmediate(resolve))
    expect(openHandles()).toBeLessThanOrEqual(openBefore)
  },
  HOUR,
)

test('L6: starts without a callback leave nothing in the process', async () => {
  const figures = isSoak ? await abandonedStarts(100_000, 50) : await abandonedStarts(2000, 20)
  report('L6', figures)
  expect(figures.grown).toBeLessThanOrEqual(8 * MB)
}, 900_000)
