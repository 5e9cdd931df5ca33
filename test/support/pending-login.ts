import type { RecordContext } from '../../lib/login/pending-login/check'
import {
  createPendingLogin,
  type PendingLogin,
  type PendingLoginInput,
} from '../../lib/login/pending-login/pending-login'
import type { CallbackRequest } from '../../lib/login/request/request'

const START: Pick<PendingLoginInput, 'strategyDigest' | 'user' | 'startSite'> = {
  strategyDigest: 'strategy',
  user: undefined,
  startSite: 'same-origin',
}

/** A record as a start on a page of the application creates it, by a visitor who is not signed in. */
export function newPendingLogin(input: Partial<PendingLoginInput> = {}): PendingLogin {
  return createPendingLogin({ ...START, ...input })
}

/** A callback that the provider has caused. */
export function newCallback(more: Partial<CallbackRequest> = {}): CallbackRequest {
  const asked = { type: 'callback', authKey: 'key', tabSecret: undefined } as const
  const described = { kind: 'navigation', fetchSite: 'cross-site', source: 'absent', referer: 'absent' } as const
  return { ...asked, ...described, mayBeFromProvider: true, isOriginOfHost: false, ...more }
}

/** What else is known in the browser of {@link newPendingLogin}. */
export function newContext({ strategyDigest, user }: Partial<typeof START> = {}): RecordContext {
  return { settings: { strategyDigest: strategyDigest ?? START.strategyDigest }, user }
}
