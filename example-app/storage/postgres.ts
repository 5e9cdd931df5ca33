import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, Pool, type PoolConfig } from 'pg'
import type { Database, Query } from './database'

const MIGRATION_LOCK = 20_261_121
const CLOSE_MS = 3000
// Stable within a statement, so that it can be compared with an index.
const NOW = 'cast(extract(epoch from statement_timestamp()) * 1000 as bigint)'
// The processes that check share one row, and write it once a second between them.
const CHECK = `insert into storage_checks (id, checked_at) values (1, ${NOW})
  on conflict (id) do update set checked_at = excluded.checked_at
  where abs(excluded.checked_at - storage_checks.checked_at) > 1000`
const READ_ONLY = '25006'
const RENEW_EVERY_MS = 1000
const RETIRE_WITHIN_MS = 10_000

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

/** A pool whose sockets are known, so that it can be closed although the server does not answer. */
class KnownPool {
  readonly pool: Pool
  readonly #sockets = new Set<Socket>()
  #ended: Promise<void> | undefined

  constructor(config: PoolConfig) {
    this.pool = new Pool({ ...config, stream: () => this.#open() })
    // The server closed a connection that nobody was using: the pool opens another one. Without a listener, Node exits.
    this.pool.on('error', () => {})
    // The same for a connection that is in use: whoever uses it learns it from the statement that fails.
    this.pool.on('connect', (client) => client.on('error', () => {}))
  }

  /** Lets statements under way end, for so long. A server that is frozen does not even take leave of idle connections. */
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
 * A pool that is given up for a new one when its connections lead nowhere: one of them has fallen silent, or says that
 * the server has become read-only, as the old primary does after a failover. The others lead to the same place, and
 * each would cost somebody a timeout.
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

  /** Uses the pool. What fails for the connection's sake renews it. */
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

  /** Not more often than once a second: as long as the server is read-only, each new connection is, too. */
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

/** A pool that has been ended serves nobody who still waits for a connection of it. */
async function retire(known: KnownPool): Promise<void> {
  const deadline = performance.now() + RETIRE_WITHIN_MS
  while (known.pool.waitingCount > 0 && performance.now() < deadline) await sleep(50, undefined, { ref: false })
  await known.end(RETIRE_WITHIN_MS)
}

/** Whether a connection must not be used again: the server said nothing of the statement, or refuses to write. */
function isSpent(error: unknown): boolean {
  return !(error instanceof DatabaseError) || error.code === READ_ONLY
}

/** Whether other connections, opened at the same time, will be no better than the one that failed. */
function leadsNowhere(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === READ_ONLY
  // The driver gives its `query_timeout` no code.
  return error instanceof Error && error.message === 'Query read timeout'
}
