import { hash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { OutcomeCode } from '../errors'
import { isObject, type JSONValue } from '../client/json'
import { resolvePath } from '../client/url'

/**
 * A login in progress: "this browser began a login here, on purpose, at this provider, while this user was signed in".
 * The protocol has no `state`; this record is what ties a callback to the browser that started the login.
 *
 * @example
 * const pending: PendingLogin | undefined = await store.load(req)
 */
export interface PendingLogin {
  /** 128 random bits. */
  readonly id: string
  /** Digest of the strategy's name, the provider and the application id. */
  readonly context: string
  /** Milliseconds since 1970. */
  readonly issuedAt: number
  /** Digest of who was signed in at the start; null for nobody. */
  readonly user: string | null
  /** The `Sec-Fetch-Site` of the start; null where the browser sent none. */
  readonly startSite: string | null
  /** Digest of the secret that the tab of the start has stored. */
  readonly tab?: string
  readonly returnTo?: string
  readonly state?: JSONValue
  /** Set once a callback has used the record up. */
  readonly consumed?: true
}

/**
 * Keeps at most one login in progress for one browser. All methods reject when the browser's place cannot be read or
 * written, which becomes the error `session_unavailable`.
 *
 * @example
 * class RedisStore implements PendingLoginStore {
 *   async save(req, record) { await redis.set(keyOf(req), JSON.stringify(record), { EX: 600 }) }
 *   async consume(req, record) { await this.save(req, { ...record, consumed: true }) }
 *   // … load, remove
 * }
 */
export interface PendingLoginStore {
  /** Keeps the record in place of any other; resolves when it will be there at the next request. */
  save(req: IncomingMessage, record: PendingLogin): Promise<void>
  /** The browser's record, consumed or not. */
  load(req: IncomingMessage): Promise<PendingLogin | undefined>
  /** Marks the record as used; resolves when no later request of this browser can find it unused. */
  consume(req: IncomingMessage, record: PendingLogin): Promise<void>
  /** Forgets the record. */
  remove(req: IncomingMessage): Promise<void>
}

/** What a record is made of. */
export interface PendingLoginInput {
  readonly context: string
  /** Who is signed in, as `signedInUser` names them. */
  readonly user: string | undefined
  readonly startSite: string | undefined
  readonly tabSecret?: string | undefined
  readonly returnTo?: unknown
  readonly state?: unknown
}

/** How long a login may take: as long as Auth.js's and better-auth's. */
export const MAX_AGE_MS = 10 * 60 * 1000

/**
 * How long after its start a callback may name the application's own page as its Referer. A silent approval does, because
 * a redirect keeps the page that was left; so does a link inside the application that leads to a callback over a foreign
 * site. A silent approval waits for nobody, so seconds are enough.
 */
export const SILENT_APPROVAL_MS = 30 * 1000

/** Clocks of several machines differ a little: a record may seem to come from the future by this much. */
export const MAX_CLOCK_SKEW_MS = 60 * 1000
const MAX_TEXT_LENGTH = 1024

/** @throws TypeError when `state` is no JSON of up to 1,024 bytes */
export function createPendingLogin(input: PendingLoginInput): PendingLogin {
  const id = randomBytes(16).toString('base64url')
  const returnTo = readLocalPath(input.returnTo)
  const state = readState(input.state)
  return {
    id,
    context: input.context,
    issuedAt: Date.now(),
    user: userDigest(id, input.user),
    startSite: input.startSite ?? null,
    ...(input.tabSecret !== undefined && { tab: digest(id, input.tabSecret) }),
    ...(returnTo !== undefined && { returnTo }),
    ...(state !== undefined && { state }),
  }
}

/** Reads a record back from a session or a cookie; anything else is none. */
export function readPendingLogin(value: unknown): PendingLogin | undefined {
  if (!isObject(value)) return undefined
  const { id, context, issuedAt, user, startSite, tab, returnTo, state, consumed } = value
  if (typeof id !== 'string' || typeof context !== 'string') return undefined
  // A time that is NaN would never expire.
  if (typeof issuedAt !== 'number' || !Number.isFinite(issuedAt)) return undefined
  if (!isTextOrNull(user) || !isTextOrNull(startSite)) return undefined
  const path = readLocalPath(returnTo)
  return {
    id,
    context,
    issuedAt,
    user,
    startSite,
    ...(typeof tab === 'string' && { tab }),
    ...(path !== undefined && { returnTo: path }),
    ...(isJSON(state) && { state }),
    ...(consumed === true && { consumed }),
  }
}

/** What a callback shows of itself, to be compared with its record. */
export interface CallbackEvidence {
  readonly context: string
  /** Who is signed in, as `signedInUser` names them. */
  readonly user: string | undefined
  readonly site: string | undefined
  /** Whose page the `Referer` names. */
  readonly referer: 'provider' | 'app' | 'absent'
  readonly state: string | undefined
  readonly stateParameter: StateParameter
  readonly tabSecret: string | undefined
}

/**
 * Whether a `state` is sent to the provider, and what its absence at the callback means.
 *
 * @example
 * const stateParameter: StateParameter = 'observe' // and look at info.assurance.stateEchoed for a while
 */
export type StateParameter = 'off' | 'observe' | 'require'

/** Why a record may not finish the login in hand, or undefined if it may. */
export function refusalOf(record: PendingLogin, evidence: CallbackEvidence): Refusal | undefined {
  if (record.context !== evidence.context) return 'context_mismatch'
  const age = Date.now() - record.issuedAt
  if (age > MAX_AGE_MS || age < -MAX_CLOCK_SKEW_MS) return 'login_expired'
  if (record.user !== userDigest(record.id, evidence.user)) return 'user_changed'
  // A callback that was typed or mailed belongs only to a start that was.
  if (evidence.site === 'none' && record.startSite !== 'none') return 'callback_forged'
  const { tabSecret } = evidence
  // The page of the tab is the application's own, and comes back with what the callback before it brought.
  if (evidence.referer === 'app' && tabSecret === undefined && age > SILENT_APPROVAL_MS) return 'callback_forged'
  if (!echoes(record, evidence)) return 'state_mismatch'
  if (tabSecret !== undefined && record.tab !== digest(record.id, tabSecret)) return 'tab_mismatch'
  return undefined
}

/** The refusals that end the login; after the others the genuine callback may still come. */
export const FINAL_REFUSALS: ReadonlySet<Refusal> = new Set(['login_expired', 'user_changed'])

/** Why a record may not finish a login. */
export type Refusal = Extract<
  OutcomeCode,
  'context_mismatch' | 'login_expired' | 'user_changed' | 'callback_forged' | 'state_mismatch' | 'tab_mismatch'
>

/** The `state` that goes to the provider: not the record's id, which the provider need not know. */
export function stateOf(record: PendingLogin): string {
  return digest(record.id, 'state')
}

// A missing echo proves nothing, because a forger leaves it out; a wrong one proves a forgery.
function echoes(record: PendingLogin, { state, stateParameter }: CallbackEvidence): boolean {
  if (stateParameter === 'off') return true
  if (state === undefined) return stateParameter === 'observe'
  return state === stateOf(record)
}

/** Salted with the record's id: what lies in a session or a cookie does not tell who the user is. */
function userDigest(id: string, user: string | undefined): string | null {
  return user === undefined ? null : digest(id, user)
}

/** A digest of several texts that no other list of texts has. */
export function digest(...texts: string[]): string {
  return hash('sha256', JSON.stringify(texts), 'base64url')
}

/**
 * A path within this application, normalised, or undefined for anything that could lead elsewhere: normalising turns
 * `/.//evil.example` into `//evil.example`, so the result is checked once more.
 */
export function readLocalPath(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_TEXT_LENGTH) return undefined
  const base = 'http://localhost'
  const url = value.startsWith('/') ? resolvePath(value, base) : undefined
  if (!url) return undefined
  const path = url.pathname + url.search + url.hash
  // Its length once more, too: the record is read again at the callback, and normalising makes `é` six characters.
  return url.origin === base && !path.startsWith('//') && path.length <= MAX_TEXT_LENGTH ? path : undefined
}

function readState(value: unknown): JSONValue | undefined {
  if (value === undefined) return undefined
  const text = tryStringify(value)
  if (text === undefined || Buffer.byteLength(text) > MAX_TEXT_LENGTH) {
    throw new TypeError('state must be JSON of at most 1,024 bytes')
  }
  return JSON.parse(text)
}

/** Circular objects and bigints are no JSON; the runtime's own message would name the application's properties. */
function tryStringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

function isJSON(value: unknown): value is JSONValue {
  return value !== undefined
}
