import type { Pool, PoolConfig } from 'pg'
import type { Database, Query } from './database'
import { isSpent, KnownPool, leadsNowhere, RenewablePool } from './postgres-pool'

const MIGRATION_LOCK = 20_261_121
const CLOSE_MS = 3000
// Stable within a statement, so that it can be compared with an index.
const NOW = 'cast(extract(epoch from statement_timestamp()) * 1000 as bigint)'
// The processes that check share one row, and write it once a second between them.
const CHECK = `insert into storage_checks (id, checked_at) values (1, ${NOW})
  on conflict (id) do update set checked_at = excluded.checked_at
  where abs(excluded.checked_at - storage_checks.checked_at) > 1000`

/** Opens a pool. It connects when it is first used. */
export function openPostgres(connectionString: string, poolSize: number): Database {
  const patient: PoolConfig = {
    connectionString,
    max: 1,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'passport-social-login-example',
  }
  const pool = new RenewablePool({
    ...patient,
    max: poolSize,
    // The server gives up what takes too long. When not even that is heard of, the connection is dead.
    statement_timeout: 6000,
    query_timeout: 8000,
    // A process that was stopped in a transaction holds up the others this long.
    idle_in_transaction_session_timeout: 10_000,
  })
  // A connection of its own: a process that is busy with logins is in good health.
  const checks = new RenewablePool({ ...patient, statement_timeout: 3000, query_timeout: 4000 })
  return {
    dialect: 'postgres',
    now: NOW,
    skipLocked: 'for update skip locked',
    query: (sql, values = []) => pool.use(async (current) => (await current.query(sql, [...values])).rows),
    transaction(work, { alone = false } = {}) {
      return alone ? inTransactionAlone(patient, work) : pool.use((current) => inTransaction(current, work))
    },
    async checkStorage() {
      try {
        await checks.use((current) => current.query(CHECK))
      } catch (error) {
        // Before a person meets it.
        if (leadsNowhere(error)) pool.renew()
        throw error
      }
    },
    async close() {
      await Promise.all([pool.end(CLOSE_MS), checks.end(CLOSE_MS)])
    },
  }
}

/** On a connection of its own without timeouts: another process may take its time with a migration. */
async function inTransactionAlone<T>(config: PoolConfig, work: (query: Query) => Promise<T>): Promise<T> {
  const known = new KnownPool(config)
  try {
    return await inTransaction(known.pool, async (query) => {
      await query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
      return work(query)
    })
  } finally {
    await known.end(CLOSE_MS)
  }
}

async function inTransaction<T>(pool: Pool, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  // A connection in an unknown state must not go back into the pool, and has nothing to say to a rollback.
  let spent: Error | undefined
  const query: Query = async (sql, values = []) => {
    try {
      return (await client.query(sql, [...values])).rows
    } catch (error) {
      if (isSpent(error)) spent = new Error('The connection is lost')
      throw error
    }
  }
  try {
    await query('begin')
    const result = await work(query)
    await query('commit')
    return result
  } catch (error) {
    if (!spent) await query('rollback').catch((lost: Error) => (spent = lost))
    throw error
  } finally {
    client.release(spent)
  }
}
