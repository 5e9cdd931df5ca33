import type { Report } from './report'

const STOP_WITHIN_S = 15
const HEALTH_WITHIN_MS = 2000
// A check each second on both sides of a change, and a second that is neither.
const HEALTH_WRONG_AT_MOST_S = 5
// What is under way when a database fails, and what begins until that is noticed.
const KEYS_IN_VAIN_AT_MOST = 16
const TRIAL_TIMEOUT_MS = 300_000

/** A trial as a test that gets its own name. One that is not possible on this machine is skipped, and listed so. */
export function outageTest(name: string, run: (name: string) => Promise<void>, isPossible = true): void {
  const possibly = isPossible ? test : test.skip
  possibly(name, () => run(name), TRIAL_TIMEOUT_MS)
}

/** What holds in every trial, whatever breaks. */
export function expectNobodyHarmed(report: Report): void {
  const { mixedUp, lost, doubled, crashes } = report
  expect({ mixedUp, lost, doubled, crashes }).toEqual({ mixedUp: 0, lost: 0, doubled: 0, crashes: 0 })
  expect(report.healthMs).toBeLessThanOrEqual(HEALTH_WITHIN_MS)
  expect(Math.max(0, ...report.endedS)).toBeLessThanOrEqual(STOP_WITHIN_S)
}

/** What an outage of the storage must not do: pass for health, and eat keys for as long as it lasts. */
export function expectNoticed({ healthWrongS, spentInVain }: Report): void {
  expect(healthWrongS).toBeLessThanOrEqual(HEALTH_WRONG_AT_MOST_S)
  expect(spentInVain).toBeLessThanOrEqual(KEYS_IN_VAIN_AT_MOST)
}
