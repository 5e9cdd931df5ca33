import {
  createPendingLogin,
  type PendingLogin,
  type PendingLoginInput,
} from '../../lib/login/pending-login/pending-login'

/** A record as a start on a page of the application creates it, by somebody who is not signed in. */
export function newPendingLogin(input: Partial<PendingLoginInput> = {}): PendingLogin {
  return createPendingLogin({ strategyDigest: 'strategy', user: undefined, startSite: 'same-origin', ...input })
}
