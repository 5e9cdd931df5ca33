import { createHash } from 'node:crypto'
import { type SessionData, Store } from 'express-session'
import { type Database, type Row, text } from './database'

/** How long a sign-in lasts: neither visits nor changes prolong it, so that a copied cookie ends, too. */
export const SESSION_LIFETIME_MS = 14 * 24 * 60 * 60 * 1000

// Longer than any request takes.
const GRAVE_LIFETIME_MS = 60 * 60 * 1000

/**
 * express-session's sessions in our database. An ended session stays for an hour as a row without data: a slower
 * request of the same browser would otherwise save it back to life, and the person would be signed in again. Saving
 * prolongs the sessions of visitors only, while a login is under way.
 */
export class DatabaseSessions extends Store {
  readonly #database: Database

  constructor(database: Database) {
    super()
    this.#database = database
  }

  override get(sid: string, callback: (error: unknown, session?: SessionData | null) => void): void {
    const sql = 'select data from sessions where id = $1 and data is not null and expires_at > $2'
    const found = this.#database.query(sql, [idOf(sid), Date.now()])
    found.then(([row]) => row && parse(row)).then((session) => callback(null, session ?? null), callback)
  }

  override set(sid: string, session: SessionData, callback: (error?: unknown) => void = () => {}): void {
    const sql = `insert into sessions (id, user_id, data, expires_at) values ($1, $2, $3, $4)
      on conflict (id) do update set user_id = $2, data = $3,
        expires_at = case when sessions.user_id is null then $4 else sessions.expires_at end
      where sessions.data is not null`
    const values = [idOf(sid), session.passport?.user ?? null, JSON.stringify(session), expiryOf(session)]
    this.#run(sql, values, callback)
  }

  override destroy(sid: string, callback: (error?: unknown) => void = () => {}): void {
    const sql = 'update sessions set user_id = null, data = null, expires_at = $2 where id = $1'
    this.#run(sql, [idOf(sid), Date.now() + GRAVE_LIFETIME_MS], callback)
  }

  /** Signs an account out in every browser. */
  async endAllOf(userID: string): Promise<void> {
    const sql = 'update sessions set user_id = null, data = null, expires_at = $2 where user_id = $1'
    await this.#database.query(sql, [userID, Date.now() + GRAVE_LIFETIME_MS])
  }

  async deleteExpired(): Promise<void> {
    // Not at once: a slow request that saves a session whose row is gone would give it a new end.
    await this.#database.query('delete from sessions where expires_at < $1', [Date.now() - GRAVE_LIFETIME_MS])
  }

  #run(sql: string, values: (string | number | null)[], callback: (error?: unknown) => void): void {
    this.#database.query(sql, values).then(() => callback(), callback)
  }
}

/** Who reads the database learns no session id that a browser could send. */
function idOf(sid: string): string {
  return createHash('sha256').update(sid).digest('base64url')
}

function parse(row: Row): SessionData {
  return JSON.parse(text(row, 'data'))
}

function expiryOf({ cookie }: SessionData): number {
  return cookie.expires ? new Date(cookie.expires).getTime() : Date.now() + SESSION_LIFETIME_MS
}
