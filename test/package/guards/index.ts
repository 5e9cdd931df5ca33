import { ADAPTER_MUTANTS } from './adapters'
import { CLIENT_MUTANTS } from './client'
import { derivedFrom } from './derived'
import { DOCTOR_MUTANTS } from './doctor'
import { HTTP_MUTANTS } from './http'
import { LIMIT_MUTANTS } from './limits'
import { LOGIN_MUTANTS } from './login'
import type { GuardMutant } from './mutant'

const LISTED: readonly GuardMutant[] = [
  ...HTTP_MUTANTS,
  ...CLIENT_MUTANTS,
  ...LOGIN_MUTANTS,
  ...ADAPTER_MUTANTS,
  ...DOCTOR_MUTANTS,
  ...LIMIT_MUTANTS,
]

/** One mutant for each guard: those that are listed, and those that are derived from the code. */
export const GUARD_MUTANTS: readonly GuardMutant[] = [...LISTED, ...derivedFrom(LISTED)]
