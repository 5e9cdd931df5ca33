import type { Report } from './report'

const STOP_WITHIN_S = 15
const HEALTH_WITHIN_MS = 2000
// One check per second on both sides of a change, and a second of transition.
const HEALTH_WRONG_AT_MOST_S = 5
// Logins in flight when a database fails, and those that start before the failure is noticed.
const KEYS_IN_VAIN_AT_MOST = 16
const TRIAL_TIMEOUT_MS = 300_000

/** A trial as a test that receives its name. Reported as skipped if this machine cannot run it. */
export function outageTest(name: string, run: (name: string) => Promise<void>, isPossible = true): void {
  const possibly = isPossible ? test : test.skip
  possibly(name, () => run(name), TRIAL_TIMEOUT_MS)
}

/** Expectations of every trial. */
export function expectNobodyHarmed(report: Report): void {
  const { mixedUp, lost, doubled, crashes } = report
  expect({ mixedUp, lost, doubled, crashes }).toEqual({ mixedUp: 0, lost: 0, doubled: 0, crashes: 0 })
  expect(report.healthMs).toBeLessThanOrEqual(HEALTH_WITHIN_MS)
  expect(Math.max(0, ...report.endedS)).toBeLessThanOrEqual(STOP_WITHIN_S)
}

/** Expectations of a storage outage: `/healthz` reports it, and it does not waste keys throughout. */
export function expectNoticed({ healthWrongS, spentInVain }: Report): void {
  expect(healthWrongS).toBeLessThanOrEqual(HEALTH_WRONG_AT_MOST_S)
  expect(spentInVain).toBeLessThanOrEqual(KEYS_IN_VAIN_AT_MOST)
}
