import { randomUUID } from 'node:crypto'
import Database from 'libsql'

// The provider and its id for the user, as two columns of text: together they are unique.
const TABLES = `
  create table if not exists users (id text primary key, name text not null);
  create table if not exists logins (
    provider text not null, subject text not null, user_id text not null references users, primary key (provider, subject))`

/**
 * Each write is in a transaction. `immediate`: what the work reads is still true when it writes, because no other process can
 * write in between. (After a prepared statement of libsql has found the file locked, later ones outside of a transaction
 * are not committed.)
 */
export function inTransaction(db, work) {
  db.exec('begin immediate')
  try {
    const result = work()
    db.exec('commit')
    return result
  } catch (error) {
    try {
      db.exec('rollback')
    } catch {} // SQLite has done so by itself, as for a full disk
    throw error
  }
}

/** @param file such as `app.db` */
export function openAccounts(file) {
  const db = new Database(file)
  db.exec('pragma busy_timeout = 3000') // milliseconds, to wait for another process that writes
  db.exec('pragma foreign_keys = on')
  db.exec(TABLES)

  const userByID = db.prepare('select id, name from users where id = ?')
  const userByLogin = db.prepare(
    'select id, name from users join logins on user_id = id where provider = ? and subject = ?',
  )
  const loginsByUser = db.prepare('select provider, subject from logins where user_id = ? order by rowid')
  const insertUser = db.prepare('insert into users (id, name) values (?, ?)')
  const insertLogin = db.prepare(
    'insert into logins (provider, subject, user_id) values (?, ?, ?) on conflict do nothing',
  )
  const deleteLoginUnlessLast = db.prepare(`delete from logins where provider = ? and subject = ? and user_id = ?
    and (select count(*) from logins where user_id = ?) > 1`)

  // libsql adds a member of its own to each row.
  const userOf = (row) => row && { id: row.id, name: row.name }

  async function find(id) {
    return userOf(userByID.get(id))
  }

  async function findOrCreate({ provider, id: subject, displayName }) {
    const known = userOf(userByLogin.get(provider, subject))
    if (known) return known
    return inTransaction(db, () => {
      const created = userOf(userByLogin.get(provider, subject)) // by another request, in the meantime
      if (created) return created
      const user = { id: randomUUID(), name: displayName }
      insertUser.run(user.id, user.name)
      insertLogin.run(provider, subject, user.id)
      return user
    })
  }

  /** For a user who is signed in, and has confirmed it. Resolves with false if the login belongs to another user. */
  async function addLogin(userID, { provider, subject }) {
    return inTransaction(db, () => {
      insertLogin.run(provider, subject, userID)
      return userByLogin.get(provider, subject).id === userID
    })
  }

  /** What an account page can list: the provider and the id of each login. */
  async function loginsOf(userID) {
    return loginsByUser.all(userID).map(({ provider, subject }) => ({ provider, subject }))
  }

  /** Resolves with false for the last login of an account, which stays. Other browsers stay signed in. */
  async function removeLogin(userID, { provider, subject }) {
    return inTransaction(db, () => deleteLoginUnlessLast.run(provider, subject, userID, userID).changes === 1)
  }

  async function deleteUser(id) {
    inTransaction(db, () => {
      db.prepare('delete from logins where user_id = ?').run(id)
      db.prepare('delete from users where id = ?').run(id)
    })
  }

  return { find, findOrCreate, loginsOf, addLogin, removeLogin, deleteUser, close: () => db.close() }
}
