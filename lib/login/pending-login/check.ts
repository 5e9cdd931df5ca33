import type { OutcomeCode } from '../../errors'
import { MAX_AGE_MS, MAX_CLOCK_SKEW_MS, SILENT_APPROVAL_MS } from '../../limits'
import type { CallbackRequest } from '../request/request'
import { digest, type PendingLogin, type PendingLoginSummary, userDigest } from './pending-login'

export interface RecordContext {
  readonly settings: { readonly strategyDigest: string }
  readonly user: string | undefined
}

export type CallbackContext = RecordContext & Pick<CallbackRequest, 'fetchSite' | 'referer' | 'tabSecret'>

export type Refusal = Extract<
  OutcomeCode,
  'context_mismatch' | 'login_expired' | 'user_changed' | 'callback_forged' | 'tab_mismatch'
>

/** Why no callback of this strategy and this user may finish the login of the record; undefined if one may. */
export function checkRecord(record: PendingLogin, { settings, user }: RecordContext): Refusal | undefined {
  if (record.strategyDigest !== settings.strategyDigest) return 'context_mismatch'
  const now = Date.now()
  if (now > expiryOf(record) || now < record.issuedAt - MAX_CLOCK_SKEW_MS) return 'login_expired'
  return record.user === userDigest(record.id, user) ? undefined : 'user_changed'
}

/** The record without what only its own login may know; undefined if no callback may finish that. */
export function summaryOf(record: PendingLogin, context: RecordContext): PendingLoginSummary | undefined {
  if (checkRecord(record, context)) return undefined
  const { issuedAt, returnTo } = record
  return {
    startedAt: new Date(issuedAt),
    expiresAt: new Date(expiryOf(record)),
    ...(returnTo !== undefined && { returnTo }),
  }
}

/** The last millisecond in which a callback may finish the login, by the clock of the server of its start. */
function expiryOf({ issuedAt }: PendingLogin): number {
  return issuedAt + MAX_AGE_MS
}

export function checkCallback(record: PendingLogin, callback: CallbackContext): Refusal | undefined {
  const refusal = checkRecord(record, callback)
  if (refusal) return refusal
  // `Sec-Fetch-Site: none` is sent for a callback that was typed or mailed, which is accepted only if the start was,
  // too. WebKit also sends it after a reload, Back or Forward, but then with the Referer of the first time.
  const isTyped = callback.fetchSite === 'none' && callback.referer === 'absent'
  if (isTyped && record.startSite !== 'none') return 'callback_forged'
  const { tabSecret } = callback
  // With a tab secret, this is the form of our own page: the Referer was checked on the GET before it.
  const isSilent = Date.now() - record.issuedAt <= SILENT_APPROVAL_MS
  if (callback.referer === 'app' && tabSecret === undefined && !isSilent) return 'callback_forged'
  if (tabSecret !== undefined && record.tab !== digest(record.id, tabSecret)) return 'tab_mismatch'
  return undefined
}
