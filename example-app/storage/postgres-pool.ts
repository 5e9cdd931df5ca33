import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, Pool, type PoolClient, type PoolConfig } from 'pg'
import { repeatWhile } from './brief-outage'
import type { Query, Row, Value } from './database'

const READ_ONLY = '25006'
const TOO_MANY_CONNECTIONS = '53300'
const RENEW_EVERY_MS = 1000
const RETIRE_WITHIN_MS = 10_000
// A connection that somebody has closed, or that nobody knows any more.
const LOST = /^(ECONNRESET|EPIPE)$/
// The driver's errors that have no code: for `query_timeout`, and for a connection that was closed.
const LOST_MESSAGES = /^(Query read timeout|Connection terminated unexpectedly)/

/** A connection of a pool. */
class Connection {
  readonly #client: PoolClient
  /** Whether it must not return to the pool. */
  #isSpent = false

  constructor(client: PoolClient) {
    this.#client = client
  }

  /** Runs a statement. When that fails, settings of the connection may be why, which a new one would not have. */
  readonly query: Query = async (sql, values) => {
    try {
      return await this.#run(sql, values)
    } catch (error) {
      this.#isSpent = true
      throw error
    }
  }

  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    // A connection in an unknown state cannot run a rollback.
    const query: Query = async (sql, values) => {
      try {
        return await this.#run(sql, values)
      } catch (error) {
        this.#isSpent ||= isUnusable(error)
        throw error
      }
    }
    try {
      await query('begin')
      const result = await work(query)
      await query('commit')
      return result
    } catch (error) {
      if (!this.#isSpent) await this.query('rollback').catch(() => {})
      throw error
    }
  }

  release(): void {
    this.#client.release(this.#isSpent)
  }

  async #run(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return (await this.#client.query(sql, [...values])).rows
  }
}

/** A pool that knows its sockets, so that it can be closed even if the server does not answer. */
export class KnownPool {
  readonly #pool: Pool
  readonly #sockets = new Set<Socket>()
  #ended: Promise<void> | undefined

  constructor(config: PoolConfig) {
    this.#pool = new Pool({ ...config, stream: () => this.#open() })
    // Emitted when the server closes an idle connection; the pool opens a new one. Without a listener, Node would exit.
    this.#pool.on('error', () => {})
    // The same for a connection in use: its current statement fails and reports the error.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  get connections(): number {
    return this.#pool.totalCount
  }

  async connect(): Promise<Connection> {
    return new Connection(await this.#pool.connect())
  }

  /** Waits up to `limitMs` for running statements, then destroys all sockets: a frozen server never closes them. */
  async end(limitMs: number): Promise<void> {
    const limit = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, limitMs)
    this.#ended ??= this.#pool.end()
    await this.#ended
    await Promise.all([...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))))
    clearTimeout(limit)
  }

  /** Waits for the requests that are queued for a connection, because ending the pool would leave them waiting forever. */
  async retire(): Promise<void> {
    const deadline = performance.now() + RETIRE_WITHIN_MS
    while (this.#pool.waitingCount > 0 && performance.now() < deadline) await sleep(50, undefined, { ref: false })
    await this.end(RETIRE_WITHIN_MS)
  }

  #open(): Socket {
    const socket = new Socket()
    this.#sockets.add(socket)
    return socket.once('close', () => this.#sockets.delete(socket))
  }
}

/**
 * Replaces its pool by a new one when a connection stops responding or is lost, or when the server has become read-only, as
 * the old primary does after a failover. All other connections lead to the same server, and each would cost a request.
 */
export class RenewablePool {
  readonly #config: PoolConfig
  readonly #admittedWithinMs: number
  readonly #retired = new Set<KnownPool>()
  #current: KnownPool
  #renewedAt = Number.NEGATIVE_INFINITY

  /** @param admittedWithinMs how long to wait for a connection while the server admits no further one */
  constructor(config: PoolConfig, admittedWithinMs = 0) {
    this.#config = config
    this.#admittedWithinMs = admittedWithinMs
    this.#current = new KnownPool(config)
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#current.connections
  }

  /** Runs work on a connection, and renews the pool if the work fails because of it. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const [connection, pool] = await this.#connect()
    try {
      return await work(connection)
    } catch (error) {
      if (leadsNowhere(error) && pool === this.#current) this.renew()
      throw error
    } finally {
      connection.release()
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
    void failed.retire().finally(() => this.#retired.delete(failed))
  }

  /** Repeated while the server admits no further connection: one of the pool's own may soon be free. */
  #connect(): Promise<[Connection, KnownPool]> {
    const deadline = performance.now() + this.#admittedWithinMs
    const mayRepeat = (error: unknown): boolean => isCrowded(error) && performance.now() < deadline
    return repeatWhile(mayRepeat, async () => {
      const pool = this.#current
      return [await pool.connect(), pool]
    })
  }
}

/** Whether the server admits no further connection. */
export function isCrowded(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === TOO_MANY_CONNECTIONS
}

/** Whether the server refuses to write. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === READ_ONLY
}

/** Whether the other connections of the pool must be expected to fail in the same way. */
export function leadsNowhere(error: unknown): boolean {
  if (error instanceof DatabaseError) return isReadOnly(error)
  if (!(error instanceof Error)) return false
  return LOST_MESSAGES.test(error.message) || ('code' in error && LOST.test(String(error.code)))
}

/** Whether a connection must not be used again: the server did not answer the statement, or refuses to write. */
function isUnusable(error: unknown): boolean {
  return !(error instanceof DatabaseError) || isReadOnly(error)
}
