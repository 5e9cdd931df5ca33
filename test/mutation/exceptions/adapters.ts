import type { Exception } from './exception'

/** Of `lib/passport/` and `lib/web/`. */
export const ADAPTERS_EXCEPTIONS: readonly Exception[] = []
