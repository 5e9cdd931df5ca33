import type { Exception } from './exception'

/** Of `lib/client/`. */
export const CLIENT_EXCEPTIONS: readonly Exception[] = [
  {
    kind: 'equivalent',
    why: 'An outcome that is no object is the reason of an abort, and the client gives that whatever is thrown instead.',
    mutants: [
      'operand | client/http/retry | isRetryable | outcome instanceof errors_1.SocialLoginError && RETRYABLE.has(outcome.code) -> (RETRYABLE.has(outcome.code))',
    ],
  },
]
