import type { Exception } from './exception'

/** Of `lib/login/`. */
export const LOGIN_EXCEPTIONS: readonly Exception[] = []
