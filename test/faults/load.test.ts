import { closeBrowsers } from '../support/browser'
import { abandonedStarts, manyLogins, stall } from './load'

// Short versions of load.soak.ts; nothing here depends on the speed of the machine.

afterAll(closeBrowsers)

test('200 browsers at once, twice: every login succeeds, each in its own browser', async () => {
  for (let time = 0; time < 2; time += 1) {
    expect(await manyLogins(200, 200)).toMatchObject({ failed: 0, mixed: 0 })
  }
}, 60_000)

test('200 callbacks while the provider stalls cost 16 exchanges; the others are refused at once, and the next login is good', async () => {
  const { statuses, mostExchanges, connections, withoutRetryAfter, nextLogin } = await stall(200, 16, 1000)
  expect(statuses[504]).toBeGreaterThanOrEqual(1)
  expect((statuses[503] ?? 0) + (statuses[504] ?? 0)).toBe(200)
  expect([statuses[504], withoutRetryAfter, nextLogin]).toEqual([mostExchanges, 0, 200])
  expect(connections).toBeLessThanOrEqual(3 * 16)
}, 60_000)

test('2,000 starts without a callback leave nothing in the process', async () => {
  const { grown } = await abandonedStarts(2000, 20)
  expect(grown).toBeLessThan(8_000_000)
}, 60_000)
