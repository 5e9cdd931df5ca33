import type { CallbackContext } from '../../lib/login/pending-login/check'
import {
  createPendingLogin,
  type PendingLogin,
  type PendingLoginInput,
} from '../../lib/login/pending-login/pending-login'
import { defaults } from './options'

const START = { strategyDigest: 'strategy', user: undefined, startSite: 'same-origin' }

/** A record as a start on a page of the application creates it, by somebody who is not signed in. */
export function newPendingLogin(input: Partial<PendingLoginInput> = {}): PendingLogin {
  return createPendingLogin({ ...START, ...input })
}

/** What is known of a callback that the provider has caused, in the browser of {@link newPendingLogin}. */
export function newCallback(context: Partial<CallbackContext> = {}): CallbackContext {
  const { user, strategyDigest } = START
  const settings = { ...defaults, strategyDigest }
  return { settings, user, fetchSite: 'cross-site', referer: 'absent', tabSecret: undefined, ...context }
}
