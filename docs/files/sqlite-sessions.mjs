import session from 'express-session'
import Database from 'libsql'
import { inTransaction } from './accounts.mjs'

const HOUR = 60 * 60 * 1000
const TWO_WEEKS = 14 * 24 * HOUR

/**
 * Sessions in SQLite. They last two weeks from their last change, or an hour if no one is signed in, as for a login that is
 * never finished. An ended session stays as a row without data until then, so that a slow request cannot save it again.
 */
export class SessionStore extends session.Store {
  constructor(file) {
    super()
    const db = new Database(file)
    db.exec('pragma busy_timeout = 3000')
    db.exec('create table if not exists sessions (id text primary key, user_id text, data text, expires_at integer)')
    db.exec('create index if not exists sessions_end on sessions (expires_at)')
    const read = db.prepare('select data from sessions where id = ? and expires_at > ?')
    const clean = db.prepare('delete from sessions where expires_at <= ?')
    const write = db.prepare(`insert into sessions (id, user_id, data, expires_at) values (?, ?, ?, ?)
      on conflict do update set user_id = excluded.user_id, data = excluded.data, expires_at = excluded.expires_at
      where sessions.data is not null`)
    const end = db.prepare('update sessions set user_id = null, data = null where id = ?')
    const endOthers = db.prepare('update sessions set user_id = null, data = null where user_id = ? and id <> ?')
    this.get = (id, callback) => answer(callback, () => JSON.parse(read.get(id, Date.now())?.data ?? 'null'))
    this.set = (id, data, callback) => {
      const userID = data.passport?.user ?? null
      const expiresAt = Date.now() + (userID === null ? HOUR : TWO_WEEKS)
      const save = () => {
        clean.run(Date.now())
        write.run(id, userID, JSON.stringify(data), expiresAt)
      }
      answer(callback, () => inTransaction(db, save))
    }
    this.destroy = (id, callback) => answer(callback, () => inTransaction(db, () => end.run(id)))
    this.endOthers = (userID, id) => inTransaction(db, () => endOthers.run(userID, id))
  }
}
function answer(callback, work) {
  let result
  try {
    result = work()
  } catch (error) {
    return callback?.(error)
  }
  callback?.(null, result)
}
