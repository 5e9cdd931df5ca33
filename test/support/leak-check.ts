import { findSecrets } from './canaries'

/** Fails when a planted secret, in any common spelling, shows in what a log or a response could show of a value. */
export function expectNoneShown(value: unknown, secrets: readonly string[]): void {
  expect(findSecrets(secrets, { value })).toEqual([])
}

/** What a promise rejects with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const failure: { reason?: unknown; missing: boolean } = await promise.then(
    () => ({ missing: true }),
    (reason: unknown) => ({ reason, missing: false }),
  )
  if (failure.missing) throw new Error('the promise was fulfilled, although it should have been rejected')
  return failure.reason
}
