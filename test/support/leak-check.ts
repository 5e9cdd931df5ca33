import { inspect } from 'node:util'

/** Everything that a log, a crash report or a response could show of a value. */
export function everythingShownOf(value: unknown): string {
  const error = value instanceof Error ? [value.message, value.stack, String(value)] : []
  const shown = inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: false })
  return [...error, shown, JSON.stringify(value)].join('\n')
}

/** Fails when a planted secret, in any common spelling, shows in a value. */
export function expectNoneShown(value: unknown, secrets: readonly string[]): void {
  const shown = everythingShownOf(value)
  for (const secret of secrets) {
    for (const spelling of spellings(secret)) expect(shown).not.toContain(spelling)
  }
}

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ]
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
