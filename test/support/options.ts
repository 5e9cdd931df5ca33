import { SHARED_OPTIONS } from '../../lib/login/providers/options'
import { Strategy } from '../../lib/passport/strategy'
import { parseOptions } from '../../lib/values'

/** Options of a client. */
export const required = {
  baseURL: 'https://social.example/api/v1',
  clientID: 'app-id',
  clientSecret: 'secret-canary',
}
/** Options of a strategy. */
export const good = { ...required, callbackURL: 'https://app.example/auth/callback' }
/** The settings of a login whose options are not given. */
export const defaults = parseOptions(SHARED_OPTIONS, {})
export const canary = 'value-canary'
export const verify = (): void => {}

/** Calls the constructor as plain JavaScript can, without type checks. */
export function construct(options: unknown, ...rest: unknown[]): unknown {
  return Reflect.construct(Strategy, [options, ...(rest.length > 0 ? rest : [verify])])
}

export function failureOf(work: () => unknown): Error {
  try {
    work()
  } catch (error) {
    if (error instanceof TypeError) return error
    throw error
  }
  throw new Error('accepted')
}
