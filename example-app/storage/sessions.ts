import { createHash } from 'node:crypto'
import type { Request } from 'express'
import { type Session, type SessionData, Store } from 'express-session'
import { type Database, inBatches, type Query, text } from './database'

/** How long a sign-in lasts. Neither visits nor changes prolong it, so that a stolen cookie expires, too. */
export const SESSION_LIFETIME_MS = 14 * 24 * 60 * 60 * 1000
// Without a limit, a user could fill the database with one login.
const MAX_SESSIONS = 100
// This is longer than any request can take.
const ENDED_LIFETIME_MS = 60 * 60 * 1000

declare module 'express-session' {
  interface SessionData {
    /** Set by Passport: the id from `serializeUser`. */
    passport?: { readonly user?: string }
    /** The login that this browser signed in with. */
    loginID?: string
    /** A login that the user has not yet confirmed as theirs. */
    unconfirmed?: UnconfirmedLogin
  }
}

/** The question on the confirm page. */
export interface UnconfirmedLogin {
  /** Random. The form sends it along, so that an older question in another tab cannot answer this one. */
  readonly id: string
  readonly loginID: string
  /** Whether the login signs in, or is added to the signed-in account. */
  readonly purpose: 'sign-in' | 'link'
  readonly returnTo: string
  /** In milliseconds since 1970, by the clock of the database. */
  readonly expiresAt: number
}

/**
 * A session store for express-session. An ended session remains for an hour as a row without data: otherwise a slow
 * request of the same browser could save the session again and thereby sign the user in again. Saving a session
 * postpones its expiry only while no one is signed in.
 */
export class DatabaseSessions extends Store {
  /** Set by express-session. */
  declare generate: (req: Request) => void
  readonly #database: Database
  /** What is stored of the session of a request, or empty if that was read for it. */
  readonly #stored = new WeakMap<object, string>()

  constructor(database: Database) {
    super()
    this.#database = database
  }

  override get(sid: string, callback: (error: unknown, session?: SessionData | null) => void): void {
    const sql = `select data from sessions where id = $1 and data is not null and expires_at > ${this.#database.now}`
    this.#database
      .query(sql, [idOf(sid)])
      .then(([row]) => row && sessionIn(text(row, 'data')))
      .then((session) => callback(null, session ?? null), callback)
  }

  override createSession(req: Request, data: SessionData): Session & SessionData {
    const session = super.createSession(req, data)
    this.#stored.set(session, '')
    return session
  }

  /** A browser that came without a session has none to end. */
  override regenerate(req: Request, callback: (error?: unknown) => void): void {
    if (this.#stored.has(req.session)) return super.regenerate(req, callback)
    this.generate(req)
    callback()
  }

  override set(sid: string, session: SessionData, callback?: (error?: unknown) => void): void {
    // express-session saves a new session once more at the end of the response that created it.
    const content = JSON.stringify({ ...session, cookie: undefined })
    if (this.#stored.get(session) === content) return void callback?.()
    const end = `${this.#database.now} + $4`
    const sql = `insert into sessions (id, user_id, data, expires_at) values ($1, $2, $3, ${end})
      on conflict (id) do update set user_id = $2, data = $3,
        expires_at = case when sessions.user_id is null then ${end} else sessions.expires_at end
      where sessions.data is not null`
    const lifetime = Math.round(session.cookie.originalMaxAge ?? SESSION_LIFETIME_MS)
    const values = [idOf(sid), session.passport?.user ?? null, JSON.stringify(session), lifetime]
    const stored = this.#database.query(sql, values).then(() => void this.#stored.set(session, content))
    stored.then(() => callback?.(), callback)
  }

  override destroy(sid: string, callback?: (error?: unknown) => void): void {
    this.#end('id = $1', [idOf(sid)]).then(() => callback?.(), callback)
  }

  /** Signs an account out in every browser. */
  async endAllOf(userID: string): Promise<void> {
    await this.#end('user_id = $1', [userID])
  }

  /** Ends the oldest sessions of accounts that have too many, and deletes those that ended or expired an hour ago. */
  async clean(): Promise<void> {
    const { now, skipLocked } = this.#database
    const ranked = `select id, row_number() over (partition by user_id order by expires_at desc, id) as rank
      from sessions where user_id is not null`
    await this.#end(`id in (select id from (${ranked}) as ranked where rank > ${MAX_SESSIONS})`)
    await inBatches(async (size) => {
      const old = `select id from sessions where expires_at < ${now} - ${ENDED_LIFETIME_MS} limit ${size} ${skipLocked}`
      return (await this.#database.query(`delete from sessions where id in (${old}) returning id`)).length
    })
  }

  #end(condition: string, values?: Parameters<Query>[1]): ReturnType<Query> {
    const end = `${this.#database.now} + ${ENDED_LIFETIME_MS}`
    const sql = `update sessions set user_id = null, data = null, expires_at = ${end} where ${condition}`
    return this.#database.query(sql, values)
  }
}

/** Undefined for what this version cannot read. As an error, it would keep the browser out until its cookie expires. */
function sessionIn(data: string): SessionData | undefined {
  try {
    const session = JSON.parse(data)
    return session?.cookie instanceof Object ? session : undefined
  } catch {
    return undefined
  }
}

/** The id is hashed, so that someone who can read the database does not learn usable session ids. */
function idOf(sid: string): string {
  return createHash('sha256').update(sid).digest('base64url')
}
