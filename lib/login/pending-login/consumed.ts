import { AFTER_TAB_LOGIN_MS } from '../../limits'
import { digest, type LoginRemainder, type PendingLogin, type Writable } from './pending-login'

/** The record as it is given to `consume`. */
export function withUsedKey(record: PendingLogin, authKey: string): PendingLogin {
  // `Object.assign` is used because V8 takes ten times as long for a spread here.
  return Object.assign({}, record, { usedKey: digest(record.id, authKey), usedAt: Date.now() })
}

/** Whether the record was consumed with another key than this one, as far as its store can tell. */
export function isUsedByAnotherKey({ id, usedKey }: PendingLogin, authKey: string): boolean {
  return usedKey !== undefined && usedKey !== digest(id, authKey)
}

/**
 * What a start that may follow a login at once must carry, to show that a person has confirmed it; undefined if this
 * one does not follow a login. Under `tabBinding`, our own form sends the callback, so browsers call its redirects
 * same-origin, even one to a start that a foreign link chose as `returnTo`. No link can know the value, because it is
 * made from the record's id.
 */
export function confirmationAfter({ id, tab, usedAt }: PendingLogin): string | undefined {
  if (tab === undefined || usedAt === undefined || Date.now() - usedAt > AFTER_TAB_LOGIN_MS) return undefined
  return digest(id, 'confirmed')
}

/**
 * What a store keeps of a consumed record after the login, to recognise a reload, also one that has lost its key: little,
 * because a session is serialised several times for one request. `parsePendingLogin` fills in the rest.
 */
export function remainderOf(record: PendingLogin): LoginRemainder {
  const { id, strategyDigest, startIsCallbackSuffix, tab, startPath, usedKey, usedAt } = record
  const remainder: Writable<LoginRemainder> = { id, strategyDigest, consumed: true }
  if (startIsCallbackSuffix) remainder.startIsCallbackSuffix = startIsCallbackSuffix
  if (usedKey !== undefined) remainder.usedKey = usedKey
  if (startPath !== undefined) remainder.startPath = startPath
  // The time is of use for the tab alone: see `confirmationAfter`.
  if (tab !== undefined && usedAt !== undefined) Object.assign(remainder, { tab, usedAt })
  return remainder
}
