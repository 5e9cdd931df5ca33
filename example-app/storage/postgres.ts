import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, Pool, type PoolConfig } from 'pg'
import type { Database, Query } from './database'

const MIGRATION_LOCK = 20_261_121
// Shorter than the limit of a health check.
const MIGRATION_LOCK_WAIT_MS = 1000
// Afterwards, the process was suspended or cut off, and holds up the others.
const MIGRATION_IDLE_MS = 60_000
const CLOSE_MS = 3000
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
    const nothing = `insert into ${table} select * from ${table} where false`
    return `use_${table} as (${nothing} on conflict (${key}) do update set id = excluded.id)`
  })
  .join(', ')}`
// All processes share one row, which is written at most once a second.
const CHECK = `${REQUIRE_TABLES} insert into storage_checks (id, checked_at) values (1, ${NOW})
  on conflict (id) do update set checked_at = excluded.checked_at
  where abs(excluded.checked_at - storage_checks.checked_at) > 1000`
const READ_ONLY = '25006'
const TOO_MANY_CONNECTIONS = '53300'
const ADMITTED_WITHIN_MS = 4000
const ADMISSION_RETRY_MS = 50
const RENEW_EVERY_MS = 1000
const RETIRE_WITHIN_MS = 10_000

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
  const pool = new RenewablePool({
    ...patient,
    max: poolSize,
    // The server cancels slow statements first. If not even that answer arrives, the connection is dead.
    statement_timeout: 6000,
    query_timeout: 8000,
    // Limits how long a process that was suspended in a transaction can block the others.
    idle_in_transaction_session_timeout: 10_000,
  })
  // A separate connection, so that a pool that is busy with logins does not count as unhealthy. Its limits are short,
  // because a check that waits on a dead connection keeps the next one from seeing that the database is back.
  const checks = new RenewablePool({
    ...patient,
    connectionTimeoutMillis: 2500,
    statement_timeout: 1500,
    query_timeout: 2000,
  })
  const use = async <T>(work: (current: Pool) => Promise<T>): Promise<T> => {
    try {
      return await whenAdmitted(() => pool.use(work))
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
    query: (sql, values = []) => use(async (current) => (await current.query(sql, [...values])).rows),
    transaction(work, { alone = false } = {}) {
      if (alone) return inTransactionAlone(patient, work)
      return use((current) => inTransaction(current, work))
    },
    async checkStorage() {
      try {
        await checks
          .use((current) => current.query(CHECK))
          .catch((error: unknown) => {
            if (!isCrowded(error)) throw error
            // The connections that the pool has may still serve logins.
            return whenAdmitted(() => pool.use((current) => current.query(CHECK)))
          })
        // Without any, logins need a new connection, which the server may refuse, or which may be of no use.
        await pool.use(async (current) => current.totalCount > 0 || current.query(CHECK))
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
    return await inTransaction(known.pool, async (query) => {
      await query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
      // While a migration waits for the lock of a table, because of a backup for example, all logins wait behind it.
      await query(`set local lock_timeout = ${MIGRATION_LOCK_WAIT_MS}`)
      return work(query)
    })
  } finally {
    await known.end(CLOSE_MS)
  }
}

async function inTransaction<T>(pool: Pool, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  // A connection in an unknown state must not return to the pool, and cannot run a rollback.
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

/** A pool that knows its sockets, so that it can be closed even if the server does not answer. */
class KnownPool {
  readonly pool: Pool
  readonly #sockets = new Set<Socket>()
  #ended: Promise<void> | undefined

  constructor(config: PoolConfig) {
    this.pool = new Pool({ ...config, stream: () => this.#open() })
    // Emitted when the server closes an idle connection; the pool opens a new one. Without a listener, Node would exit.
    this.pool.on('error', () => {})
    // The same for a connection in use: its current statement fails and reports the error.
    this.pool.on('connect', (client) => client.on('error', () => {}))
  }

  /** Waits up to `limitMs` for running statements, then destroys all sockets: a frozen server never closes them. */
  async end(limitMs: number): Promise<void> {
    const limit = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, limitMs)
    this.#ended ??= this.pool.end()
    await this.#ended
    await Promise.all([...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))))
    clearTimeout(limit)
  }

  #open(): Socket {
    const socket = new Socket()
    this.#sockets.add(socket)
    return socket.once('close', () => this.#sockets.delete(socket))
  }
}

/**
 * Replaces its pool by a new one when a connection stops responding, or when the server has become read-only, as the old
 * primary does after a failover. All other connections lead to the same server, and each would cost a request a timeout.
 */
class RenewablePool {
  readonly #config: PoolConfig
  readonly #retired = new Set<KnownPool>()
  #current: KnownPool
  #renewedAt = Number.NEGATIVE_INFINITY

  constructor(config: PoolConfig) {
    this.#config = config
    this.#current = new KnownPool(config)
  }

  /** Runs work on the pool, and renews the pool if the work fails because of the connection. */
  async use<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
    const used = this.#current
    try {
      return await work(used.pool)
    } catch (error) {
      if (leadsNowhere(error) && used === this.#current) this.renew()
      throw error
    }
  }

  async end(limitMs: number): Promise<void> {
    await Promise.all([this.#current, ...this.#retired].map((known) => known.end(limitMs)))
  }

  /** At most once a second: while the server is read-only, new connections are read-only, too. */
  renew(): void {
    const now = performance.now()
    if (now - this.#renewedAt < RENEW_EVERY_MS) return
    this.#renewedAt = now
    const failed = this.#current
    this.#current = new KnownPool(this.#config)
    this.#retired.add(failed)
    void retire(failed).finally(() => this.#retired.delete(failed))
  }
}

/** Waits for the requests that are queued for a connection, because ending the pool would leave them waiting forever. */
async function retire(known: KnownPool): Promise<void> {
  const deadline = performance.now() + RETIRE_WITHIN_MS
  while (known.pool.waitingCount > 0 && performance.now() < deadline) await sleep(50, undefined, { ref: false })
  await known.end(RETIRE_WITHIN_MS)
}

/**
 * Repeats work for which the server admitted no further connection: one of the pool's own may soon be free. Safe, because
 * nothing of the work has been done.
 */
async function whenAdmitted<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + ADMITTED_WITHIN_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isCrowded(error) || performance.now() > deadline) throw error
      await sleep(ADMISSION_RETRY_MS)
    }
  }
}

function isCrowded(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === TOO_MANY_CONNECTIONS
}

/** Whether the server refuses a statement that another connection may still run: for lack of a table or a right, or to write. */
function isForbidden(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === READ_ONLY || /^42/.test(error.code ?? ''))
}

/** Whether a connection must not be used again: the server did not answer the statement, or refuses to write. */
function isSpent(error: unknown): boolean {
  return !(error instanceof DatabaseError) || error.code === READ_ONLY
}

/** Whether the other connections of the pool must be expected to fail in the same way. */
function leadsNowhere(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === READ_ONLY
  // The driver's error for `query_timeout` has no code.
  return error instanceof Error && error.message === 'Query read timeout'
}
