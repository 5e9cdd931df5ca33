import type { OutcomeCode } from '../../errors'
import { MAX_AGE_MS, MAX_CLOCK_SKEW_MS, SILENT_APPROVAL_MS } from '../../limits'
import type { CallbackRequest } from '../request/request'
import { digest, type PendingLogin, type PendingLoginSummary, userDigest } from './pending-login'

export interface RecordContext {
  readonly settings: { readonly strategyDigest: string }
  readonly user: string | undefined
}

export type CallbackRefusal = Extract<
  OutcomeCode,
  'context_mismatch' | 'login_expired' | 'user_changed' | 'callback_forged' | 'tab_mismatch'
>

/** The record without what only its own login may know; undefined if no callback may finish that. */
export function summaryOf(record: PendingLogin, context: RecordContext): PendingLoginSummary | undefined {
  if (checkOwner(record, context) || isExpired(record)) return undefined
  const { issuedAt, returnTo } = record
  return {
    startedAt: new Date(issuedAt),
    expiresAt: new Date(expiryOf(record)),
    ...(returnTo !== undefined && { returnTo }),
  }
}

function checkOwner(record: PendingLogin, { settings, user }: RecordContext): CallbackRefusal | undefined {
  if (record.strategyDigest !== settings.strategyDigest) return 'context_mismatch'
  return record.user === userDigest(record.id, user) ? undefined : 'user_changed'
}

function isExpired(record: PendingLogin): boolean {
  const now = Date.now()
  return now > expiryOf(record) || now < record.issuedAt - MAX_CLOCK_SKEW_MS
}

/** The last millisecond in which a callback may finish the login, by the clock of the server of its start. */
function expiryOf({ issuedAt }: PendingLogin): number {
  return issuedAt + MAX_AGE_MS
}

/** Why the callback may not finish the login of the record; undefined if it may. */
export function checkCallback(
  record: PendingLogin,
  callback: CallbackRequest,
  context: RecordContext,
): CallbackRefusal | undefined {
  const refusal = checkOwner(record, context)
  if (refusal) return refusal
  if (isForged(callback, record)) return 'callback_forged'
  const { tabSecret } = callback
  if (tabSecret !== undefined && record.tab !== digest(record.id, tabSecret)) return 'tab_mismatch'
  // Last, so that a callback that is only too late is known to belong to the login (see `isOwnCallback`).
  return isExpired(record) ? 'login_expired' : undefined
}

/** Whether a callback with this refusal belongs to the login of the record, whose `returnTo` its failure may have. */
export function isOwnCallback(refusal: CallbackRefusal | undefined): boolean {
  return refusal === undefined || refusal === 'login_expired'
}

/**
 * Whether a callback did not come from the provider: by what its headers show, and by the login's record, once that is
 * loaded. Browsers without Fetch Metadata, and proxies that remove it, leave only the Referer to decide.
 */
export function isForged(callback: CallbackRequest, record?: PendingLogin): boolean {
  const { kind, fetchSite, source, referer, mayBeFromProvider, tabSecret } = callback
  if (kind !== 'navigation' || referer === 'foreign') return true
  // A tab's secret comes with the form of our own page, before which the callback itself was checked. WebKit calls that form
  // cross-site if it is sent again.
  const isFromTab = tabSecret !== undefined
  if (isFromTab ? fetchSite !== 'same-origin' && source !== 'app' : !mayBeFromProvider) return true
  if (!record) return false
  // `none` is sent for a callback that was typed or mailed, which is accepted only if the start was, too. WebKit also
  // sends it after a reload, Back or Forward, but then with the Referer of the first time.
  if (fetchSite === 'none' && referer === 'absent' && record.startSite !== 'none') return true
  // After a silent approval the Referer is the application's own.
  return referer === 'app' && !isFromTab && Date.now() - record.issuedAt > SILENT_APPROVAL_MS
}
