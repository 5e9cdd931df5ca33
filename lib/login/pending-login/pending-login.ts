import { hash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isObject, type JSONValue, tryStringify } from '../../client/response/json'
import type { OutcomeCode } from '../../errors'
import type { CallbackRequest } from '../request/request'
import { parseReturnPath } from './return-path'

/**
 * A login in progress. The protocol has no `state`; this record ties a callback to the browser that started the login.
 *
 * @example
 * const pending: PendingLogin | undefined = await store.load(req)
 */
export interface PendingLogin {
  /** 128 random bits. */
  readonly id: string
  /** Digest of the strategy's name, the provider, the application id and the callback URL. */
  readonly strategyDigest: string
  /** Milliseconds since 1970. */
  readonly issuedAt: number
  /** Digest of the user who was signed in at the start; null if nobody was. */
  readonly user: string | null
  /** The `Sec-Fetch-Site` of the start; null where the browser sent none. */
  readonly startSite: string | null
  /** Set if the path of the start is the end of the callback's, so that the two cannot be told apart behind a proxy. */
  readonly startIsCallbackSuffix?: true
  /** Digest of the secret stored in the tab of the start. */
  readonly tab?: string
  /** Path and query of the start, for the link of a page that says why the login failed; absent after a POST, or if too long. */
  readonly startPath?: string
  readonly returnTo?: string
  readonly state?: JSONValue
  /** Set once a store has marked the record for a callback (see `consume`): it finishes no other login. */
  readonly consumed?: true
  /** Digest of the key with which it was consumed, which tells a reload from the callback of another login. */
  readonly usedKey?: string
  /** When it was consumed, in milliseconds since 1970. */
  readonly usedAt?: number
}

/**
 * Keeps at most one login in progress for one browser. Where a method throws or rejects, the login has the error
 * `session_unavailable`. `checkPendingLoginStore` of passport-social-login/testing tests a store of your own.
 *
 * @example
 * import type { IncomingMessage } from 'node:http'
 *
 * class OwnStore implements PendingLoginStore {
 *   async save(req: IncomingMessage, record: PendingLogin) {
 *     await logins.insert(startBrowserCookie(req), record)
 *   }
 *   async load(req: IncomingMessage) {
 *     return logins.find(browserCookie(req))
 *   }
 *   async consume(req: IncomingMessage, record: PendingLogin) {
 *     return (await logins.markConsumed(browserCookie(req), record.id)).changedRows === 1
 *   }
 * }
 */
export interface PendingLoginStore<Request = IncomingMessage> {
  /** Replaces the browser's record; resolves once the next request will find it. */
  save(req: Request, record: PendingLogin): Promise<void> | void
  /** The browser's record, consumed or not. */
  load(req: Request): Promise<PendingLogin | undefined> | PendingLogin | undefined
  /**
   * Marks this record as consumed; resolves once no later request of this browser can find it unconsumed. Compare the `id`
   * of the record, because the browser may have begun another login meanwhile. Keep its `usedKey` and `usedAt`, also when the
   * session is renewed: without them, a second login in another tab looks like a reload, and the start to which a login with
   * `tabBinding` leads at once like a click.
   *
   * Resolve to whether this call was the first for the record, if the storage can tell so atomically: `false` refuses the
   * callback as `login_not_started`. If it resolves to nothing, two processes that get a callback at once may both use the
   * record: of one key the provider refuses the second exchange, with two keys verify is called twice.
   */
  consume(req: Request, record: PendingLogin): Promise<boolean | void> | boolean | void
  /**
   * A sentence for the message of `login_not_started`, after `load` has found nothing: what the request shows of the cause, and
   * what to do. Fixed text, without anything from the request.
   */
  explain?(req: Request): string | undefined
}

/**
 * What an application may know about a login that its user has begun and not finished.
 *
 * @example
 * const pending: PendingLoginSummary | undefined = await strategy.pendingLogin(req)
 */
export interface PendingLoginSummary {
  readonly startedAt: Date
  /** After this moment no callback can finish the login. */
  readonly expiresAt: Date
  /** The local path given to the start. */
  readonly returnTo?: string
}

/** Input for a new record. */
export interface PendingLoginInput {
  readonly strategyDigest: string
  /** A string unique to the signed-in user. */
  readonly user: string | undefined
  readonly startSite: string | undefined
  readonly isCallbackSuffix?: boolean
  readonly tabSecret?: string | undefined
  readonly startPath?: string | undefined
  readonly returnTo?: unknown
  readonly state?: unknown
}

/** How long a login may take. */
export const MAX_AGE_MS = 10 * 60 * 1000

/**
 * How long after the start a callback may have the application's own page as its Referer: a provider that approves silently
 * redirects at once, and the browser still sends the page where the login began. A link in the application looks the same.
 */
export const SILENT_APPROVAL_MS = 30 * 1000

/** Clock skew between servers: `issuedAt` may be this far in the future. */
export const MAX_CLOCK_SKEW_MS = 60 * 1000
// Longer than redirects within an application take, shorter than a person who has signed in looks around.
export const AFTER_TAB_LOGIN_MS = 10 * 1000
const MAX_STATE_BYTES = 1024
// Longer ones would not fit into a cookie beside the longest returnTo and state.
const MAX_START_PATH_LENGTH = 256

/**
 * A `returnTo` that would leave the application is dropped, because it may come from a query.
 *
 * @throws TypeError when `state`, which comes from the application, is not JSON of up to 1,024 bytes
 */
export function createPendingLogin(input: PendingLoginInput): PendingLogin {
  const id = randomBytes(16).toString('base64url')
  const returnTo = parseReturnPath(input.returnTo)
  const state = parseState(input.state)
  return {
    id,
    strategyDigest: input.strategyDigest,
    issuedAt: Date.now(),
    user: userDigest(id, input.user),
    startSite: input.startSite ?? null,
    ...(input.isCallbackSuffix && { startIsCallbackSuffix: true }),
    ...(input.tabSecret !== undefined && { tab: digest(id, input.tabSecret) }),
    ...(isStartPath(input.startPath) && { startPath: input.startPath }),
    ...(returnTo !== undefined && { returnTo }),
    ...(state !== undefined && { state }),
  }
}

/** The record that a session or a cookie holds; undefined if it is not a valid one. */
export function parsePendingLogin(value: unknown): PendingLogin | undefined {
  if (!isObject(value)) return undefined
  const { id, strategyDigest, issuedAt, user, startSite, startIsCallbackSuffix, tab, returnTo, state } = value
  const { startPath, consumed, usedKey, usedAt } = value
  if (typeof id !== 'string' || typeof strategyDigest !== 'string') return undefined
  // A time that is NaN would never expire.
  if (typeof issuedAt !== 'number' || !Number.isFinite(issuedAt)) return undefined
  if (!isTextOrNull(user) || !isTextOrNull(startSite)) return undefined
  const path = parseReturnPath(returnTo)
  return {
    id,
    strategyDigest,
    issuedAt,
    user,
    startSite,
    ...(startIsCallbackSuffix === true && { startIsCallbackSuffix }),
    ...(typeof tab === 'string' && { tab }),
    ...(isStartPath(startPath) && { startPath }),
    ...(path !== undefined && { returnTo: path }),
    ...(isPresent(state) && { state }),
    ...(consumed === true && { consumed }),
    ...(typeof usedKey === 'string' && { usedKey }),
    ...(typeof usedAt === 'number' && { usedAt }),
  }
}

/** The record as it is given to `consume`. */
export function withUsedKey(record: PendingLogin, authKey: string): PendingLogin {
  return { ...record, usedKey: digest(record.id, authKey), usedAt: Date.now() }
}

/** Whether the record was consumed with another key than this one, as far as its store can tell. */
export function isUsedByAnotherKey({ id, usedKey }: PendingLogin, authKey: string): boolean {
  return usedKey !== undefined && usedKey !== digest(id, authKey)
}

/**
 * What the link of a confirm page must carry for a start that may follow a login at once; undefined if this one does not. Our own form
 * sends the callback of a tab, so that browsers call its redirects same-origin, up to a start that a foreign link chose as
 * `returnTo`. No link can know it, because it is made of the record's id.
 */
export function confirmationAfter({ id, tab, usedAt }: PendingLogin): string | undefined {
  if (tab === undefined || usedAt === undefined || Date.now() - usedAt > AFTER_TAB_LOGIN_MS) return undefined
  return digest(id, 'confirmed')
}

/** What a store keeps of a consumed record after the login: enough to recognise a reload. */
export function remainderOf({ returnTo: _, state: _state, ...record }: PendingLogin): PendingLogin {
  return { ...record, consumed: true }
}

/** The record without what only its own login may know. */
export function summaryOf({ issuedAt, returnTo }: PendingLogin): PendingLoginSummary {
  const [startedAt, expiresAt] = [new Date(issuedAt), new Date(issuedAt + MAX_AGE_MS)]
  return { startedAt, expiresAt, ...(returnTo !== undefined && { returnTo }) }
}

/** What `checkRecord` compares with the record. */
export interface RecordContext {
  readonly strategyDigest: string
  /** A string unique to the signed-in user. */
  readonly user: string | undefined
}

/** What `checkCallback` compares with the record. */
export type CallbackContext = RecordContext & Pick<CallbackRequest, 'fetchSite' | 'referer' | 'tabSecret'>

/** Why a record may not finish a login. */
export type Refusal = Extract<
  OutcomeCode,
  'context_mismatch' | 'login_expired' | 'user_changed' | 'callback_forged' | 'tab_mismatch'
>

/** Why no callback of this strategy and this user may finish the login of the record; undefined if one may. */
export function checkRecord(record: PendingLogin, { strategyDigest, user }: RecordContext): Refusal | undefined {
  if (record.strategyDigest !== strategyDigest) return 'context_mismatch'
  const age = Date.now() - record.issuedAt
  if (age > MAX_AGE_MS || age < -MAX_CLOCK_SKEW_MS) return 'login_expired'
  return record.user === userDigest(record.id, user) ? undefined : 'user_changed'
}

/** Why this callback may not finish the login of the record; undefined if it may. */
export function checkCallback(record: PendingLogin, callback: CallbackContext): Refusal | undefined {
  const refusal = checkRecord(record, callback)
  if (refusal) return refusal
  // `none` is a callback from the address bar or a mail. It is accepted only if the start was opened like that, too. WebKit says
  // `none` also after a reload, Back or Forward, but then sends the Referer of the first time.
  const isTyped = callback.fetchSite === 'none' && callback.referer === 'absent'
  if (isTyped && record.startSite !== 'none') return 'callback_forged'
  const { tabSecret } = callback
  // With a tab secret, this is the form of our own page for the tab: the Referer was checked on the GET before it.
  const isSilent = Date.now() - record.issuedAt <= SILENT_APPROVAL_MS
  if (callback.referer === 'app' && tabSecret === undefined && !isSilent) return 'callback_forged'
  if (tabSecret !== undefined && record.tab !== digest(record.id, tabSecret)) return 'tab_mismatch'
  return undefined
}

/** Salted with the record's id, so that a session or a cookie does not reveal the user. */
function userDigest(id: string, user: string | undefined): string | null {
  return user === undefined ? null : digest(id, user)
}

/** Hashes a list of texts: as JSON, `['ab']` and `['a', 'b']` differ. */
export function digest(...texts: string[]): string {
  return hash('sha256', JSON.stringify(texts), 'base64url')
}

function parseState(value: unknown): JSONValue | undefined {
  if (value === undefined) return undefined
  const text = tryStringify(value)
  if (text === undefined || Buffer.byteLength(text) > MAX_STATE_BYTES) {
    throw new TypeError('state must be JSON of at most 1,024 bytes')
  }
  return JSON.parse(text)
}

/** It becomes a link of our own page, so it must not lead to another host. */
function isStartPath(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_START_PATH_LENGTH && parseReturnPath(value) === value
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

function isPresent(value: unknown): value is JSONValue {
  return value !== undefined
}
