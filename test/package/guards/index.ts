import { ADAPTER_MUTANTS } from './adapters'
import { CLIENT_MUTANTS } from './client'
import { DOCTOR_MUTANTS } from './doctor'
import { HTTP_MUTANTS } from './http'
import { LOGIN_MUTANTS } from './login'
import type { GuardMutant } from './mutant'

export const GUARD_MUTANTS: readonly GuardMutant[] = [
  ...HTTP_MUTANTS,
  ...CLIENT_MUTANTS,
  ...LOGIN_MUTANTS,
  ...ADAPTER_MUTANTS,
  ...DOCTOR_MUTANTS,
]
