import type { Exception } from './exception'

/** Of all other files. */
export const OTHERS_EXCEPTIONS: readonly Exception[] = []
