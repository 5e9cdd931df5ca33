import { inBatches } from './batches'
import { type Database, type Query, text, type Value } from './database'

const LIFETIME_MS = 24 * 60 * 60 * 1000

/** Forgets the people who said "Not me", or nothing. */
export async function deleteUnconfirmed(database: Database): Promise<void> {
  const limit = `${database.now} - ${LIFETIME_MS}`
  await inBatches(async (size) => {
    const some = `select id from users where unconfirmed_since < ${limit} limit ${size} ${database.skipLocked}`
    return database.transaction((query) => endUnconfirmed(query, `id in (${some})`, []))
  })
  await inBatches(async (size) => {
    const some = `select id from federated_credentials
      where user_id is null and used_at < ${limit} limit ${size} ${database.skipLocked}`
    const sql = `delete from federated_credentials where id in (${some}) and user_id is null returning id`
    return (await database.query(sql)).length
  })
}

/**
 * Ends those accounts that nobody has confirmed. Their rows are locked before their logins are freed, so that nobody can
 * confirm one in between.
 *
 * @returns how many were ended
 */
export async function endUnconfirmed(query: Query, condition: string, values: readonly Value[]): Promise<number> {
  const lock = `update users set created_at = created_at where ${condition} and unconfirmed_since is not null returning id`
  const ids = (await query(lock, values)).map((row) => text(row, 'id'))
  if (ids.length === 0) return 0
  const list = ids.map((_id, index) => `$${index + 1}`).join(', ')
  await query(`update federated_credentials set user_id = null where user_id in (${list})`, ids)
  await query(`delete from users where id in (${list})`, ids)
  return ids.length
}
