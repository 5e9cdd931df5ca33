import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientBase, DatabaseError, Pool, type PoolConfig } from 'pg'
import { type Database, DatabaseUnavailableError, type Query, WRITE_NOTHING } from './database'

// Long enough for most restarts and failovers, and short enough for a user to wait for the page.
const RETRY_FOR_MS = 4000
const RETRY_EVERY_MS = 100
const CLOSE_WITHIN_MS = 3000
const MIGRATION_LOCK = 20_261_121
// The time is constant within a statement, so that Postgres can use an index for comparisons with it.
const NOW = 'cast(extract(epoch from statement_timestamp()) * 1000 as bigint)'
// The codes of an outage: connection (08), login (28, 3D), conflict with another transaction (40), resources (53),
// intervention (57), system (58); a server that is read-only, as before and after a failover (25006), or a database
// that is being restored (55000).
const OUTAGE = /^((08|28|3D|40|53|57|58)[\dA-Z]{3}|25006|55000)$/

/** Creates the pools. They connect on first use. */
export function openPostgres(connectionString: string, poolSize: number): Database {
  const config: PoolConfig = {
    connectionString,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    application_name: 'passport-social-login-example',
  }
  const pool = createPool({
    ...config,
    max: poolSize,
    // The server cancels slow statements first. If not even that answer arrives, the connection is dead.
    statement_timeout: 3000,
    query_timeout: 3500,
    // Limits how long a process that was suspended in a transaction can block the others.
    idle_in_transaction_session_timeout: 10_000,
  })
  // The check has its own connection, so that a pool that is busy with logins does not count as unhealthy.
  const checks = createPool({ ...config, max: 1, connectionTimeoutMillis: 1500, query_timeout: 1500 })
  const outage = new BriefOutage()
  return {
    now: NOW,
    skipLocked: 'for update skip locked',
    query: (sql, values) => outage.outlast(() => queryOn(pool)(sql, values)),
    transaction: (work) => outage.outlast(() => inTransaction(pool, work)),
    migration: (work) => migrationOn(config, work),
    check: async () => void (await queryOn(checks)(WRITE_NOTHING)),
    close: async () => void (await Promise.race([Promise.all([pool.end(), checks.end()]), sleep(CLOSE_WITHIN_MS)])),
  }
}

function createPool(config: PoolConfig): Pool {
  const pool = new Pool(config)
  // The error is emitted when the server closes an idle connection; the pool opens a new one. Without a listener, Node
  // would exit.
  pool.on('error', () => {})
  // The same for a connection in use: its current statement fails and reports the error.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Repeats work while the database is away, so that a restart costs no login. In a longer outage, work fails fast. */
class BriefOutage {
  /** When the first work failed since any has succeeded. */
  #began: number | undefined

  async outlast<T>(work: () => Promise<T>): Promise<T> {
    let failed: number | undefined
    for (;;) {
      try {
        const result = await work()
        this.#began = undefined
        return result
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError)) throw error
        const now = performance.now()
        this.#began ??= now
        // The failures of this work count, too: other work may succeed while this one waits for a lock.
        failed ??= now
        if (now - Math.min(failed, this.#began) > RETRY_FOR_MS) throw error
        await sleep(RETRY_EVERY_MS)
      }
    }
  }
}

function queryOn(connection: Pick<ClientBase, 'query'>): Query {
  return async (sql, values = []) => {
    try {
      return (await connection.query(sql, [...values])).rows
    } catch (error) {
      throw unlessOwnFault(error)
    }
  }
}

async function inTransaction<T>(pool: Pool, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await connected(pool.connect())
  try {
    const result = await committed(queryOn(client), work)
    client.release()
    return result
  } catch (error) {
    // This closes the connection, with which Postgres rolls the transaction back, in any state.
    client.release(true)
    throw error
  }
}

function connected<T>(connecting: Promise<T>): Promise<T> {
  return connecting.catch((error: unknown) => {
    throw unlessOwnFault(error)
  })
}

async function committed<T>(query: Query, work: (query: Query) => Promise<T>): Promise<T> {
  await query('begin')
  const result = await work(query)
  await query('commit')
  return result
}

/** Uses a separate connection without a timeout, because a migration in another process may take long. */
async function migrationOn<T>(config: PoolConfig, work: (query: Query) => Promise<T>): Promise<T> {
  const client = new Client({ ...config, idle_in_transaction_session_timeout: 60_000 })
  client.on('error', () => {})
  try {
    await connected(client.connect())
    return await committed(queryOn(client), async (query) => {
      await query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
      return work(query)
    })
  } finally {
    void client.end().catch(() => {})
  }
}

/** An error that the server reports about a statement itself stays as it is: it is a mistake of this application. */
function unlessOwnFault(error: unknown): unknown {
  if (error instanceof DatabaseUnavailableError) return error
  if (error instanceof DatabaseError && !OUTAGE.test(error.code ?? '')) return error
  return new DatabaseUnavailableError(error)
}
