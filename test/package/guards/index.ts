import { ADAPTER_MUTANTS } from './adapters'
import { CLIENT_MUTANTS } from './client'
import { derivedFrom } from './derived'
import { DOCTOR_MUTANTS } from './doctor'
import { HTTP_MUTANTS } from './http'
import { LIMIT_MUTANTS } from './limits'
import { LOGIN_MUTANTS } from './login'
import type { GuardMutant } from './mutant'
import { OPTION_MUTANTS } from './options'

const LISTED = [...HTTP_MUTANTS, ...CLIENT_MUTANTS, ...LOGIN_MUTANTS, ...ADAPTER_MUTANTS, ...DOCTOR_MUTANTS]

/** One mutant or more for each guard: those that are listed, and those that are derived from the code. */
export const GUARD_MUTANTS: readonly GuardMutant[] = [
  ...LISTED,
  ...LIMIT_MUTANTS,
  ...OPTION_MUTANTS,
  ...derivedFrom(LISTED),
]
