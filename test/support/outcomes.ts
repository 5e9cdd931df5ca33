import { OUTCOMES, type OutcomeCode, type Phase, SocialLoginError } from '../../lib/errors'
import { expectNoneShown } from './leak-check'

/** Planted as secrets: none may appear in an error. */
export const secret = 'secret-canary-7cf1'
export const key = 'key-canary-93ab'
export const token = 'token-canary-51de'
export const marker = 'body-canary-e0c4'

/** What a function throws. */
export function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

/** Asserts a {@link SocialLoginError} of the table, in all its parts, without a planted secret. */
export function expectOutcome(
  error: unknown,
  code: OutcomeCode,
  phase: Phase,
  { retryable }: { readonly retryable: boolean } = OUTCOMES[code],
): SocialLoginError {
  if (!(error instanceof SocialLoginError)) throw new Error('not a SocialLoginError', { cause: error })
  const { status, message } = OUTCOMES[code]
  expect({ code: error.code, phase: error.phase }).toEqual({ code, phase })
  expect(error).toMatchObject({ status, retryable, name: 'SocialLoginError' })
  expect(error.message.startsWith(message)).toBe(true)
  expect(error).not.toHaveProperty('cause')
  expectNoneShown(error, [secret, key, token, marker])
  return error
}
