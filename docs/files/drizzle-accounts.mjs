import { randomUUID } from 'node:crypto'
import { createClient } from '@libsql/client'
import { and, eq, exists, ne, or, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/libsql'
import { alias, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

const users = sqliteTable('users', { id: text().primaryKey(), name: text().notNull() })

// The provider and its id for the user, as two columns of text: together they are unique.
const logins = sqliteTable(
  'logins',
  { provider: text().notNull(), subject: text().notNull(), userID: text('user_id').notNull() },
  (table) => [primaryKey({ columns: [table.provider, table.subject] })],
)

const TABLES = [
  'create table if not exists users (id text primary key, name text not null)',
  `create table if not exists logins (
    provider text not null, subject text not null, user_id text not null references users, primary key (provider, subject))`,
]

/** @param file such as `app.db` */
export async function openAccounts(file) {
  // Another process that writes is waited for.
  const client = createClient({ url: `file:${file}`, timeout: 3000 })
  await client.batch(TABLES, 'write')
  const db = drizzle(client)
  const isLogin = ({ provider, subject }) => and(eq(logins.provider, provider), eq(logins.subject, subject))

  async function find(id) {
    const [user] = await db.select().from(users).where(eq(users.id, id))
    return user
  }

  async function findByLogin(login) {
    const [row] = await db.select({ id: logins.userID }).from(logins).where(isLogin(login))
    return row && find(row.id)
  }

  async function findOrCreate({ provider, id: subject, displayName }) {
    const known = await findByLogin({ provider, subject })
    if (known) return known
    const user = { id: randomUUID(), name: displayName }
    try {
      // A batch is one transaction: both rows, or neither.
      await db.batch([db.insert(users).values(user), db.insert(logins).values({ provider, subject, userID: user.id })])
      return user
    } catch (error) {
      // Another request has made the account in the meantime.
      const created = await findByLogin({ provider, subject })
      if (created) return created
      throw error
    }
  }

  /** Resolves with false for the last login of an account, which stays. */
  async function removeLogin(userID, login) {
    const other = alias(logins, 'other')
    const isOther = or(ne(other.provider, login.provider), ne(other.subject, login.subject))
    const others = db
      .select()
      .from(other)
      .where(and(eq(other.userID, userID), isOther))
    // One statement; SQLite has one writer at a time, so the second of two simultaneous removals sees the first.
    const removed = await db.delete(logins).where(and(isLogin(login), eq(logins.userID, userID), exists(others)))
    return removed.rowsAffected === 1
  }

  async function deleteUser(id) {
    await db.batch([db.delete(logins).where(eq(logins.userID, id)), db.delete(users).where(eq(users.id, id))])
  }

  /** For a user who is signed in, and has confirmed it. Resolves with false if the login belongs to another user. */
  async function addLogin(userID, login) {
    await db
      .insert(logins)
      .values({ ...login, userID })
      .onConflictDoNothing()
    return (await findByLogin(login))?.id === userID
  }

  /** What an account page can list: the provider and the id of each login. */
  function loginsOf(userID) {
    const { provider, subject } = logins
    return db.select({ provider, subject }).from(logins).where(eq(logins.userID, userID)).orderBy(sql`rowid`)
  }

  return { find, findOrCreate, loginsOf, addLogin, removeLogin, deleteUser, close: () => client.close() }
}
