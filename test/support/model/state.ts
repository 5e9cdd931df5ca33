import type { Fault } from '../../../lib/testing'
import type { ProviderName } from './app'
import { type Cookies, type ModelBrowser, sessionIDIn } from './browser'
import type { World } from './world'

/** The expected pending login. */
export interface Pending {
  readonly label: string
  readonly strategy: ProviderName
  readonly issuedAt: number
  /** The user signed in at the start. */
  readonly user: string | undefined
  /** The application process that made its exchange. */
  usedIn?: number
  /** False once a fault of the session store makes it unclear whether it can still be used. */
  certain: boolean
  successes: number
}

/** A callback that consumed a login, with its cookies. */
export interface Captured {
  readonly pending: Pending
  readonly cookies: Cookies
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export interface BrowserState {
  readonly browser: ModelBrowser
  /** The signed-in user. */
  user: string | undefined
  pending: Pending | undefined
  captured: Captured | undefined
}

/** A key known to a person or the attacker. */
export interface Key {
  readonly value: string
  readonly provider: ProviderName | 'nobody'
  readonly userID: string
  spent: boolean
}

/** A queued fault of a provider's endpoint. */
export interface PlannedFault {
  readonly endpoint: 'authorize' | 'user/me'
  readonly fault: Fault
  /** The wrong id that the provider returns; the login succeeds with it. */
  readonly liesAbout?: string
  /** Whether an exchange disturbed by it spends the key. */
  readonly spends: boolean
}

/** The state of a run. */
export interface Model {
  readonly browsers: readonly [BrowserState, BrowserState]
  readonly keys: Key[]
  readonly faults: Record<ProviderName, PlannedFault[]>
  /** Exchanges by login and process. */
  readonly exchanges: Map<string, number>
  /** The provider that each token was first seen at. */
  readonly tokens: Map<string, ProviderName>
  readonly clock: { now: number }
  /** How often each outcome has come, over all runs. */
  readonly seen: Map<string, number>
  process: number
  labels: number
}

const LIFETIME = 10 * 60 * 1000
const CLOCK_SKEW = 60 * 1000
const SILENT_APPROVAL = 30_000

export function newModel(world: World, clock: Model['clock'], seen: Model['seen']): Model {
  const state = (): BrowserState => ({
    browser: world.browser(),
    user: undefined,
    pending: undefined,
    captured: undefined,
  })
  return {
    browsers: [state(), state()],
    keys: [],
    faults: { a: [], b: [], h: [] },
    exchanges: new Map(),
    tokens: new Map(),
    clock,
    seen,
    process: 0,
    labels: 0,
  }
}

/**
 * Why a callback to a strategy cannot finish the login, or undefined if it can: an independent statement of the rules.
 */
export function refusalBy(
  pending: Pending | undefined,
  { strategy, user, now, isSilent, keep, process }: RefusalInput & Place,
): string | undefined {
  const withoutRecord = user === undefined ? 'login_not_started' : 'pass'
  if (!pending) return withoutRecord
  if (isUsed(pending, { keep, process }) && pending.strategy === strategy) return withoutRecord
  if (pending.strategy !== strategy) return 'context_mismatch'
  const age = now - pending.issuedAt
  if (age > LIFETIME || age < -CLOCK_SKEW) return 'login_expired'
  if (pending.user !== user) return 'user_changed'
  return isSilent && age > SILENT_APPROVAL ? 'callback_forged' : undefined
}

interface RefusalInput {
  readonly strategy: ProviderName
  readonly user: string | undefined
  readonly now: number
  /** Whether the Referer names the application, as after a silent approval. */
  readonly isSilent: boolean
}

/** The store of pending logins, and the current process. */
export interface Place {
  readonly keep: World['keep']
  readonly process: number
}

/** A sealed cookie that the browser keeps is consumed for one process only, as CookieStore documents. */
export function isUsed(pending: Pending, { keep, process }: Place): boolean {
  return pending.usedIn !== undefined && (keep === 'session' || pending.usedIn === process)
}

/** The actual content of a browser's session. */
export interface SessionFacts {
  /** Undefined if the store has no such session. */
  readonly sid: string | undefined
  readonly user: string | undefined
  /** Everything except the pending login. */
  readonly others: string
}

const OWN_KEY = 'passport-social-login'

export function sessionFacts(world: World, cookies: Cookies): SessionFacts {
  const sid = sessionIDIn(cookies)
  const session = world.sessions.read(sid)
  if (!session) return { sid: undefined, user: undefined, others: '{}' }
  const { [OWN_KEY]: _own, ...others } = session
  const user: unknown = Reflect.get(Object(Reflect.get(Object(session['passport']), 'user')), 'id')
  return { sid, user: typeof user === 'string' ? user : undefined, others: JSON.stringify(others) }
}

/**
 * Removes the faults that the requests of one callback met. A fault of a profile request that was retried is harmless
 * and not returned.
 */
export function takeFaults(model: Model, provider: ProviderName, endpoints: readonly string[]): PlannedFault[] {
  const met: PlannedFault[] = []
  const lastProfile = endpoints.lastIndexOf('user/me')
  for (const [at, endpoint] of endpoints.entries()) {
    const index = model.faults[provider].findIndex((planned) => planned.endpoint === endpoint)
    const taken = index < 0 ? [] : model.faults[provider].splice(index, 1)
    if (endpoint !== 'user/me' || at === lastProfile) met.push(...taken)
  }
  return met
}
