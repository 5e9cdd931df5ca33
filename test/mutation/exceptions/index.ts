import { ADAPTERS_EXCEPTIONS } from './adapters'
import { CLIENT_EXCEPTIONS } from './client'
import type { Exception } from './exception'
import { LOGIN_EXCEPTIONS } from './login'
import { OTHERS_EXCEPTIONS } from './others'

export const EXCEPTIONS: readonly Exception[] = [
  ...CLIENT_EXCEPTIONS,
  ...LOGIN_EXCEPTIONS,
  ...ADAPTERS_EXCEPTIONS,
  ...OTHERS_EXCEPTIONS,
]
