import { createHash } from 'node:crypto'
import type { Request } from 'express'
import { type Session, type SessionData, Store } from 'express-session'
import { type Login, toLogin } from './accounts'
import { type Database, inBatches, number, type Row, text } from './database'

/** How long a sign-in lasts. Neither visits nor changes prolong it, so that a stolen cookie expires, too. */
export const SESSION_LIFETIME_MS = 14 * 24 * 60 * 60 * 1000
// Limited because each sign-in adds a session: with one login, a person could fill the database, and ending all of them
// in one statement would block the process.
const MAX_SESSIONS = 100
// Longer than any request can take.
const ENDED_LIFETIME_MS = 60 * 60 * 1000

declare module 'express-session' {
  interface SessionData {
    /** Set by Passport: the id from `serializeUser`. */
    passport?: { readonly user?: string }
    /** The login that this browser signed in with. Undefined in sessions from before this field existed. */
    loginID?: string
    /** A login that the person has not yet confirmed as theirs. */
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
  /** By the clock of the database, in milliseconds since 1970. */
  readonly expiresAt: number
}

/** The account data that is read together with a session. */
interface SessionOwner {
  /** The logins of the signed-in account, the most recently used first. Empty when the account has been deleted. */
  readonly logins: readonly Login[]
  /** The time of reading, by the clock of the database. */
  readonly readAt: number
}

/**
 * A session store for express-session. An ended session remains for an hour as a row without data: otherwise a slow
 * request of the same browser could save the session again and thereby sign the person in again. Saving a session
 * postpones its expiry only while nobody is signed in.
 *
 * The statement that reads a session also reads the signed-in account, because the database may be far away.
 */
export class DatabaseSessions extends Store {
  readonly #database: Database
  readonly #ownerOfSession = new WeakMap<SessionData, SessionOwner>()
  readonly #ownerOfRequest = new WeakMap<Request, SessionOwner>()
  /** The sessions that have a row, with the content that was last saved in this request, if any. */
  readonly #kept = new WeakMap<SessionData, string | undefined>()
  readonly #withoutRow = new Set<string>()

  constructor(database: Database) {
    super()
    this.#database = database
  }

  override get(sid: string, callback: (error: unknown, session?: SessionData | null) => void): void {
    const { now } = this.#database
    const sql = `select sessions.data, ${now} as read_at, federated_credentials.*
      from sessions left join federated_credentials on federated_credentials.user_id = sessions.user_id
      where sessions.id = $1 and sessions.data is not null and sessions.expires_at > ${now}
      order by federated_credentials.used_at desc, federated_credentials.id`
    const found = this.#database.query(sql, [idOf(sid)]).then((rows) => this.#read(rows))
    // Wrapped, because express-session takes the code ENOENT for a session that does not exist, and a Postgres that is
    // down has that code if it is reached by a Unix socket.
    found.then(
      (session) => callback(null, session ?? null),
      (error: unknown) => callback(new Error('The session cannot be read', { cause: error })),
    )
  }

  /** The account data of a request's session. Undefined when the browser sent no valid session cookie. */
  ownerOf(req: Request): SessionOwner | undefined {
    return this.#ownerOfRequest.get(req)
  }

  override createSession(req: Request, data: SessionData): Session & SessionData {
    const owner = this.#ownerOfSession.get(data)
    if (owner) this.#ownerOfRequest.set(req, owner)
    const session = super.createSession(req, data)
    this.#kept.set(session, undefined)
    return session
  }

  /**
   * Called at a sign-in. A session that was never saved has no row to end. Where the row cannot be ended, the request keeps
   * its session, so that a repeated sign-in tries again. express-session's own method would leave the row signed in.
   */
  override regenerate(req: Request, callback: (error?: unknown) => void): void {
    if (!this.#kept.has(req.session)) this.#withoutRow.add(req.sessionID)
    this.destroy(req.sessionID, (error) => {
      if (!error) req.sessionStore.generate(req)
      callback(error)
    })
  }

  override set(sid: string, session: SessionData, callback: (error?: unknown) => void = () => {}): void {
    const content = contentOf(session)
    // At a sign-in, Passport saves the session, and express-session saves it again at the end of the request.
    if (this.#kept.get(session) === content) return callback()
    const end = `${this.#database.now} + $4`
    const sql = `insert into sessions (id, user_id, data, expires_at) values ($1, $2, $3, ${end})
      on conflict (id) do update set user_id = $2, data = $3,
        expires_at = case when sessions.user_id is null then ${end} else sessions.expires_at end
      where sessions.data is not null
      returning (select count(*) from sessions as own where own.user_id = $2) as count`
    const userID = session.passport?.user ?? null
    const values = [idOf(sid), userID, JSON.stringify(session), lifetimeOf(session)]
    const stored = this.#database.query(sql, values).then(([row = {}]) => {
      this.#kept.set(session, content)
      // Postgres counts without the new session. In the background, because the person waits for the sign-in; if it fails,
      // the next sign-in does it.
      if (userID !== null && number(row, 'count') >= MAX_SESSIONS) this.#endOldestOf(userID).catch(() => {})
    })
    stored.then(() => callback(), callback)
  }

  override destroy(sid: string, callback: (error?: unknown) => void = () => {}): void {
    if (this.#withoutRow.delete(sid)) return callback()
    this.#run(`${this.#end()} where id = $1`, [idOf(sid)], callback)
  }

  /** Signs an account out in every browser. */
  async endAllOf(userID: string): Promise<void> {
    await this.#database.query(`${this.#end()} where user_id = $1`, [userID])
  }

  async #endOldestOf(userID: string): Promise<void> {
    const oldest = `select id from sessions where user_id = $1
      order by expires_at desc, id limit ${MAX_SESSIONS} offset ${MAX_SESSIONS} ${this.#database.skipLocked}`
    await this.#database.query(`${this.#end()} where id in (${oldest})`, [userID])
  }

  async deleteExpired(): Promise<void> {
    // Delayed, because a slow request that saves a session after its row was deleted would create it again.
    await inBatches(async (size) => {
      const { now, skipLocked } = this.#database
      const limit = `${now} - ${ENDED_LIFETIME_MS}`
      const some = `select id from sessions where expires_at < ${limit} limit ${size} ${skipLocked}`
      return (await this.#database.query(`delete from sessions where id in (${some}) returning id`)).length
    })
  }

  #end(): string {
    return `update sessions set user_id = null, data = null, expires_at = ${this.#database.now} + ${ENDED_LIFETIME_MS}`
  }

  #read(rows: readonly Row[]): SessionData | undefined {
    const [row] = rows
    if (!row) return undefined
    const session = sessionIn(text(row, 'data'))
    if (!session) return undefined
    const logins = rows.filter(({ id }) => id !== null).map(toLogin)
    this.#ownerOfSession.set(session, { logins, readAt: number(row, 'read_at') })
    return session
  }

  #run(sql: string, values: (string | number | null)[], callback: (error?: unknown) => void): void {
    this.#database.query(sql, values).then(() => callback(), callback)
  }
}

/** Undefined for what this version cannot read. As an error, it would keep the browser out until its cookie expires. */
function sessionIn(data: string): SessionData | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return isSession(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isSession(value: unknown): value is SessionData {
  return typeof value === 'object' && value !== null && 'cookie' in value && value.cookie instanceof Object
}

/** Hashed, so that somebody who can read the database does not learn usable session ids. */
function idOf(sid: string): string {
  return createHash('sha256').update(sid).digest('base64url')
}

/** Excludes the cookie, whose expiry changes with each request. */
function contentOf(session: SessionData): string {
  return JSON.stringify({ ...session, cookie: undefined })
}

function lifetimeOf({ cookie }: SessionData): number {
  return Math.round(cookie.originalMaxAge ?? SESSION_LIFETIME_MS)
}
