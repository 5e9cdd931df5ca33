import { DatabaseError, type PoolConfig } from 'pg'
import type { Database, Query } from './database'
import { isCrowded, isReadOnly, KnownPool, leadsNowhere, RenewablePool } from './postgres-pool'
import { SharedOutage } from './shared-outage'

const MIGRATION_LOCK = 20_261_121
// Shorter than the limit of a health check.
const MIGRATION_LOCK_WAIT_MS = 1000
// Afterwards, the process was suspended or cut off, and holds up the others.
const MIGRATION_IDLE_MS = 60_000
const CLOSE_MS = 3000
const ADMITTED_WITHIN_MS = 4000
// Constant within a statement, so that Postgres can use an index for comparisons with it.
const NOW = 'cast(extract(epoch from statement_timestamp()) * 1000 as bigint)'
// Takes the locks of a login, and needs the same rights and keys, which a restore creates last. Changes nothing.
const KEYS = {
  users: 'id',
  federated_credentials: 'provider, subject',
  sessions: 'id',
  callback_slots: 'address, slot',
}
const REQUIRE_TABLES = `with ${Object.entries(KEYS)
  .map(([table, key]) => {
    const nothing = `insert into ${table} (${key}) select ${key} from ${table} where false`
    return `use_${table} as (${nothing} on conflict (${key}) do update set id = excluded.id)`
  })
  .join(', ')}`
// All processes share one row, which is written at most once a second.
const CHECK = `${REQUIRE_TABLES} insert into storage_checks (id, checked_at) values (1, ${NOW})
  on conflict (id) do update set checked_at = excluded.checked_at
  where abs(excluded.checked_at - storage_checks.checked_at) > 1000`

/** Creates the pools. They connect on first use. */
export function openPostgres(connectionString: string, poolSize: number): Database {
  const patient: PoolConfig = {
    connectionString,
    max: 1,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'passport-social-login-example',
  }
  const pool = new RenewablePool(
    {
      ...patient,
      max: poolSize,
      // The server cancels slow statements first. If not even that answer arrives, the connection is dead.
      statement_timeout: 6000,
      query_timeout: 8000,
      // Limits how long a process that was suspended in a transaction can block the others.
      idle_in_transaction_session_timeout: 10_000,
    },
    ADMITTED_WITHIN_MS,
  )
  // A separate connection, so that a pool that is busy with logins does not count as unhealthy. Its limits are short,
  // because a check that waits on a dead connection keeps the next one from seeing that the database is back.
  const checks = new RenewablePool({
    ...patient,
    connectionTimeoutMillis: 2500,
    statement_timeout: 1500,
    query_timeout: 2000,
  })
  const outage = new SharedOutage()
  const use: RenewablePool['use'] = async (work) => {
    try {
      return await outage.outlast(() => pool.use(work))
    } catch (error) {
      // The connection of the checks may be older than what the server refuses to new ones.
      if (isForbidden(error)) checks.renew()
      throw error
    }
  }
  return {
    dialect: 'postgres',
    now: NOW,
    skipLocked: 'for update skip locked',
    requireTables: REQUIRE_TABLES,
    query: (sql, values) => use(({ query }) => query(sql, values)),
    transaction(work, { alone = false } = {}) {
      if (alone) return inTransactionAlone(patient, work)
      return use((connection) => connection.transaction(work))
    },
    async checkStorage() {
      try {
        await checks
          .use(({ query }) => query(CHECK))
          .catch((error: unknown) => {
            if (!isCrowded(error)) throw error
            // The connections that the pool has may still serve logins.
            return pool.use(({ query }) => query(CHECK))
          })
        // Without any, logins need a new connection, which the server may refuse, or which may be of no use.
        if (pool.connections === 0) await pool.use(({ query }) => query(CHECK))
      } catch (error) {
        // Renews the pool before a request fails for the same reason.
        if (leadsNowhere(error)) pool.renew()
        throw error
      }
    },
    async close() {
      await Promise.all([pool.end(CLOSE_MS), checks.end(CLOSE_MS)])
    },
  }
}

/** Uses a separate connection whose statements have no timeout, because a migration in another process may take long. */
async function inTransactionAlone<T>(config: PoolConfig, work: (query: Query) => Promise<T>): Promise<T> {
  const known = new KnownPool({ ...config, idle_in_transaction_session_timeout: MIGRATION_IDLE_MS })
  try {
    const connection = await known.connect()
    try {
      return await connection.transaction(async (query) => {
        await query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
        // While a migration waits for the lock of a table, because of a backup for example, all logins wait behind it.
        await query(`set local lock_timeout = ${MIGRATION_LOCK_WAIT_MS}`)
        return work(query)
      })
    } finally {
      connection.release()
    }
  } finally {
    await known.end(CLOSE_MS)
  }
}

/** Whether the server refuses a statement that another connection may still run: for lack of a table or a right, or to write. */
function isForbidden(error: unknown): boolean {
  return isReadOnly(error) || (error instanceof DatabaseError && /^42/.test(error.code ?? ''))
}
