import type { Exception } from './exception'

/** Of `lib/login/`. */
export const LOGIN_EXCEPTIONS: readonly Exception[] = [
  {
    kind: 'equivalent',
    why: 'What is copied has just been made, and nobody else has it.',
    mutants: [
      'copy | login/callback | joinLogin | { ...(0, info_1.createLoginInfo)(record, request), duplicate: true } -> Object.assign((0, info_1.createLoginInfo)(record, request), { duplicate: true })',
    ],
  },
]
