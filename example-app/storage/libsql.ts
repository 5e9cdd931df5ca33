import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Libsql from 'libsql'
import {
  type Database,
  DatabaseUnavailableError,
  type Query,
  type Row,
  reasonOf,
  type Value,
  WRITE_NOTHING,
} from './database'

const OPEN_TIMEOUT_MS = 10_000
const LOCK_TIMEOUT_MS = 10_000
const READS = /^\s*select\b/i
const NOW = `cast((julianday('now') - 2440587.5) * 86400000 as integer)`
// These mean wrong SQL or violated constraints. Every other error of SQLite is one of the file, its disk or its locks.
const OWN_FAULT = /^SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|MISUSE)/

/** Opens `app.db` in a folder. Several processes of one machine may share it: they wait for each other's locks. */
export function openLibsql(dataDir: string): Database {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return new LibsqlDatabase(join(dataDir, 'app.db'))
}

class LibsqlDatabase implements Database {
  readonly now = NOW
  // A lock of SQLite is on the whole file.
  readonly skipLocked = ''
  readonly #connection: Libsql.Database
  #last: Promise<unknown> = Promise.resolve()

  constructor(file: string) {
    this.#connection = new Libsql(file, { timeout: OPEN_TIMEOUT_MS })
    this.#connection.exec('pragma journal_mode = wal')
    // This does not flush the disk at each commit, because that blocks every request when the disk is busy. A killed
    // process loses nothing; a power failure may lose the last moments.
    this.#connection.exec('pragma synchronous = normal')
    // SQLite would block this thread while it waits for a lock, so `#whenUnlocked` waits instead.
    this.#connection.exec('pragma busy_timeout = 0')
  }

  // Every write begins its own transaction: see `#begin`.
  readonly query: Query = (sql, values = []) => {
    if (!READS.test(sql)) return this.transaction((query) => query(sql, values))
    return this.#whenUnlocked(LOCK_TIMEOUT_MS, async () => this.#run(sql, values))
  }

  transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#whenUnlocked(LOCK_TIMEOUT_MS, () => this.#inTransaction(work))
  }

  // A transaction excludes all other writers, so this only waits longer.
  migration<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#whenUnlocked(Number.POSITIVE_INFINITY, () => this.#inTransaction(work))
  }

  async check(): Promise<void> {
    await this.query(WRITE_NOTHING)
  }

  async close(): Promise<void> {
    await this.#last
    try {
      // libsql leaves the last writes in the `-wal` file, and a copy of the database file would lack them.
      this.#connection.exec('pragma wal_checkpoint(truncate)')
    } catch {
      // Another program is using the file. The writes are safe: the next process reads them from the `-wal` file.
    }
    this.#connection.close()
  }

  async #inTransaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    // This uses `exec`, because libsql does not reset a prepared statement that finds the file locked. Later writes
    // would then seem to succeed without being committed (https://github.com/tursodatabase/libsql-js/pull/238).
    this.#connection.exec('begin immediate')
    try {
      const result = await work(async (sql, values = []) => this.#run(sql, values))
      this.#connection.exec('commit')
      return result
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec('rollback')
      throw error
    }
  }

  /** Retries while another process holds the lock. Reads need no lock, so they can run between the attempts. */
  async #whenUnlocked<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + limitMs
    for (;;) {
      try {
        return await this.#inTurn(work)
      } catch (error) {
        if (!isLocked(error) || performance.now() > deadline) {
          throw isFaultOfFile(error) ? new DatabaseUnavailableError(error) : error
        }
        await sleep(2 + Math.random() * 10)
      }
    }
  }

  // There is only one connection, so a statement that is not part of a transaction must wait for the transaction's end.
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }

  #run(sql: string, values: readonly Value[]): Row[] {
    const statement = this.#connection.prepare(sql.replace(/\$(\d)/g, '?$1'))
    if (statement.reader) return statement.all(...values).filter(isRow)
    statement.run(...values)
    return []
  }
}

function isLocked(error: unknown): boolean {
  return reasonOf(error).startsWith('SQLITE_BUSY')
}

function isFaultOfFile(error: unknown): boolean {
  return reasonOf(error).startsWith('SQLITE_') && !OWN_FAULT.test(reasonOf(error))
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null
}
