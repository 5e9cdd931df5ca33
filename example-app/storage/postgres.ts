import { Pool, type PoolClient } from 'pg'
import type { Database, Query } from './database'

const MIGRATION_LOCK = 20_261_121

/** Opens a pool. It connects when it is first used. */
export function openPostgres(connectionString: string): Database {
  const pool = new Pool({
    connectionString,
    max: 10,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 10_000,
    application_name: 'passport-social-login-example',
  })
  // The server closed a connection that nobody was using: the pool opens another one. Without a listener, Node exits.
  pool.on('error', () => {})
  // The same for a connection that is in use: whoever uses it learns it from the statement that fails.
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    query: async (sql, values = []) => (await pool.query(sql, [...values])).rows,
    transaction: (work, { alone = false } = {}) => inTransaction(pool, work, alone),
    close: () => pool.end(),
  }
}

async function inTransaction<T>(pool: Pool, work: (query: Query) => Promise<T>, alone: boolean): Promise<T> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    await client.query('begin')
    if (alone) await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    const result = await work(async (sql, values = []) => (await client.query(sql, [...values])).rows)
    await client.query('commit')
    return result
  } catch (error) {
    failure = await rollBack(client)
    throw error
  } finally {
    client.release(failure)
  }
}

/** What went wrong, if anything: a connection in an unknown state must not go back into the pool. */
async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch {
    return new Error('The connection is lost')
  }
}
