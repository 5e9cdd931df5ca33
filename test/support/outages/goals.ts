import type { Report } from './report'

const STOP_WITHIN_S = 15
const HEALTH_WITHIN_MS = 2000
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
