import type { Exception } from './exception'

/** Of `lib/client/`. */
export const CLIENT_EXCEPTIONS: readonly Exception[] = []
