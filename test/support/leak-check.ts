import { findSecrets } from './canaries'

/** Fails if a planted secret, in any common encoding, appears in what a log or a response could show of a value. */
export function expectNoneShown(value: unknown, secrets: readonly string[]): void {
  expect(findSecrets(secrets, { value })).toStrictEqual([])
}

/** The rejection of a promise. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const failure: { reason?: unknown; missing: boolean } = await promise.then(
    () => ({ missing: true }),
    (reason: unknown) => ({ reason, missing: false }),
  )
  if (failure.missing) throw new Error('the promise was fulfilled, although it should have been rejected')
  return failure.reason
}
