import { hash, randomBytes } from 'node:crypto'
import { isObject, type JSONValue, tryStringify } from '../../client/response/json'
import { SocialLoginError } from '../../errors'
import { MAX_START_PATH_LENGTH, MAX_STATE_BYTES } from '../../limits'
import { refusePromise } from '../../promises'
import { parseReturnPath } from './return-path'

/**
 * A login in progress. The protocol has no `state`; this record ties a callback to the browser that started the login.
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
  /** Digest of the user who was signed in at the start; null if no one was. */
  readonly user: string | null
  /** The `Sec-Fetch-Site` of the start; null where the browser sent none. */
  readonly startSite: string | null
  /** Set if the path of the start is the end of the callback's, so that the two cannot be told apart behind a proxy. */
  readonly startIsAtCallback?: true
  /** Digest of the secret stored in the tab of the start. */
  readonly tab?: string
  /** Path and query of the start, for the link of a page about the failure; absent after a POST, or if too long. */
  readonly startPath?: string
  readonly returnTo?: string
  readonly state?: JSONValue
  /** Set once a store has marked the record for a callback (see `consume`): it finishes no other login. */
  readonly consumed?: true
}

/**
 * What an application may know about a login that its user has begun and not finished.
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

export interface PendingLoginInput {
  readonly strategyDigest: string
  readonly user: string | undefined
  readonly startSite: string | undefined
  readonly isAtCallback?: boolean
  readonly tabSecret?: string | undefined
  readonly startPath?: string | undefined
  readonly returnTo?: unknown
  readonly state?: unknown
}

/**
 * A `returnTo` that would leave the application is dropped, because it may come from a query.
 * @throws TypeError when `state`, which comes from the application, is not JSON, or exceeds `MAX_STATE_BYTES`
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
    ...(input.isAtCallback && { startIsAtCallback: true }),
    ...(input.tabSecret !== undefined && { tab: digest(id, input.tabSecret) }),
    ...(isStartPath(input.startPath) && { startPath: input.startPath }),
    ...(returnTo !== undefined && { returnTo }),
    ...(state !== undefined && { state }),
  }
}

export function parsePendingLogin(value: unknown): PendingLogin | undefined {
  if (!isObject(value)) return undefined
  const { id, strategyDigest, issuedAt, user, startSite, startIsAtCallback, tab, returnTo, state } = value
  const { startPath, consumed } = value
  if (typeof id !== 'string' || typeof strategyDigest !== 'string') return undefined
  // A time that is NaN would never expire.
  if (typeof issuedAt !== 'number' || !Number.isFinite(issuedAt)) return undefined
  if (!isTextOrNull(user) || !isTextOrNull(startSite)) return undefined
  const path = parseReturnPath(returnTo)
  // A spread for each member would take longer than all else here.
  const record: { -readonly [Key in keyof PendingLogin]: PendingLogin[Key] } = {
    id,
    strategyDigest,
    issuedAt,
    user,
    startSite,
  }
  if (startIsAtCallback === true) record.startIsAtCallback = startIsAtCallback
  if (typeof tab === 'string') record.tab = tab
  // It is checked by `withStartPath`, because only a login that fails needs it.
  if (typeof startPath === 'string') record.startPath = startPath
  if (path !== undefined) record.returnTo = path
  if (isPresent(state)) record.state = state
  if (consumed === true) record.consumed = consumed
  return record
}

/** The error with the path of the start, for a link that leads back to it. Other errors than ours stay as they are. */
export function withStartPath(error: unknown, record: PendingLogin): unknown {
  if (!(error instanceof SocialLoginError)) return error
  // What another user had in mind is not shown to this one.
  if (error.code === 'user_changed' && record.user !== null) return error
  // Not enumerable, because its query may hold what an application keeps out of its logs.
  const startPath = { value: startPathOf(record), enumerable: false, configurable: false, writable: false }
  // Fails if the error has the path of another login, because verify may throw one error for several, or is frozen.
  return Reflect.defineProperty(error, 'startPath', startPath) ? error : Object.create(error, { startPath })
}

/** Undefined if what a store holds leads to another host. */
function startPathOf({ startPath }: PendingLogin): string | undefined {
  return isStartPath(startPath) ? startPath : undefined
}

/** Salted with the record's id, so that a session or a cookie does not reveal the user. */
export function userDigest(id: string, user: string | undefined): string | null {
  return user === undefined ? null : digest(id, user)
}

/** Hashes a list of texts: as JSON, `['ab']` and `['a', 'b']` differ. */
export function digest(...texts: string[]): string {
  return hash('sha256', JSON.stringify(texts), 'base64url')
}

function parseState(value: unknown): JSONValue | undefined {
  if (value === undefined) return undefined
  const refusal = `state must be JSON of at most ${MAX_STATE_BYTES.toLocaleString('en')} bytes (await a promise)`
  refusePromise(value, refusal)
  const text = tryStringify(value)
  if (text === undefined || Buffer.byteLength(text) > MAX_STATE_BYTES) throw new TypeError(refusal)
  return JSON.parse(text)
}

function isStartPath(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_START_PATH_LENGTH && parseReturnPath(value) === value
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

function isPresent(value: unknown): value is JSONValue {
  return value !== undefined
}
