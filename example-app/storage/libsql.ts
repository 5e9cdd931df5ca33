import { closeSync, fchmodSync, fstatSync, mkdirSync, openSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Libsql from 'libsql'
import type { Database, Query, Row, Value } from './database'

const OPEN_TIMEOUT_MS = 10_000
const LOCK_TIMEOUT_MS = 10_000
const NOW = `cast((julianday('now') - 2440587.5) * 86400000 as integer)`
const CHECK = `insert into storage_checks (id, checked_at) values (1, ${NOW})
  on conflict (id) do update set checked_at = excluded.checked_at
  where abs(excluded.checked_at - storage_checks.checked_at) > 1000`

/** Opens `app.db` in a folder. Several processes of one machine may share it: each waits for the lock of the others. */
export function openLibsql(dataDir: string): Database {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, 'app.db')
  // A folder that was there already may be open to others. SQLite gives its further files the rights of this one.
  const descriptor = openSync(file, 'a', 0o600)
  const opened = fstatSync(descriptor)
  // One that was there already, from a backup for instance, may be open to others.
  if (opened.uid === process.getuid?.()) fchmodSync(descriptor, 0o600)
  closeSync(descriptor)
  return new LibsqlDatabase(file, opened)
}

class LibsqlDatabase implements Database {
  readonly dialect = 'sqlite'
  readonly now = NOW
  readonly skipLocked = ''
  readonly #file: string
  readonly #opened: Stats
  readonly #connection: Libsql.Database
  readonly #statements = new Map<string, Libsql.Statement<unknown[]>>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(file: string, opened: Stats) {
    this.#file = file
    this.#opened = opened
    this.#connection = new Libsql(file, { timeout: OPEN_TIMEOUT_MS })
    this.#connection.exec('pragma journal_mode = wal')
    // Without a disk flush for each commit, which stops everybody on a busy disk: a killed process loses nothing by it,
    // a machine that loses its power at most the last moments.
    this.#connection.exec('pragma synchronous = normal')
    // SQLite would wait for a lock with this thread, and nobody would be answered meanwhile.
    this.#connection.exec('pragma busy_timeout = 0')
  }

  readonly query: Query = (sql, values = []) => this.#whenUnlocked(LOCK_TIMEOUT_MS, async () => this.#run(sql, values))

  // `begin immediate` takes the lock that keeps every other writer out, so each transaction is alone anyway. With
  // `alone` there is no limit to the wait: another process may take its time with a migration.
  transaction<T>(work: (query: Query) => Promise<T>, { alone = false } = {}): Promise<T> {
    const limit = alone ? Number.POSITIVE_INFINITY : LOCK_TIMEOUT_MS
    return this.#whenUnlocked(limit, async () => {
      this.#run('begin immediate', [])
      try {
        const result = await work(async (sql, values = []) => this.#run(sql, values))
        this.#run('commit', [])
        return result
      } catch (error) {
        if (this.#connection.inTransaction) this.#run('rollback', [])
        throw error
      }
    })
  }

  async checkStorage(): Promise<void> {
    await this.query(CHECK)
  }

  async close(): Promise<void> {
    await this.#last
    this.#connection.close()
  }

  /** Tries again for as long as another process has the lock. Meanwhile others have their turn: who reads needs no lock. */
  async #whenUnlocked<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + limitMs
    for (;;) {
      try {
        return await this.#inTurn(work)
      } catch (error) {
        if (!isLocked(error) || performance.now() > deadline) throw error
        await sleep(2 + Math.random() * 10)
      }
    }
  }

  // There is one connection: what is not part of a transaction must not slip into it.
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => {
      this.#requireFile()
      return work()
    })
    this.#last = result.catch(() => {})
    return result
  }

  /** SQLite goes on writing into a file that has been deleted or replaced, and says nothing. */
  #requireFile(): void {
    const found = statSync(this.#file, { throwIfNoEntry: false })
    if (found?.ino !== this.#opened.ino || found.dev !== this.#opened.dev) throw new MovedFileError()
  }

  #run(sql: string, values: readonly Value[]): Row[] {
    const statement = this.#prepare(sql)
    if (statement.reader) return statement.all(...values).filter(isRow)
    statement.run(...values)
    return []
  }

  #prepare(sql: string): Libsql.Statement<unknown[]> {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#connection.prepare(sql.replace(/\$(\d)/g, '?$1'))
    this.#statements.set(sql, statement)
    return statement
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}

class MovedFileError extends Error {
  /** As SQLite calls it. */
  readonly code = 'SQLITE_READONLY_DBMOVED'

  constructor() {
    super('The database file has been deleted or replaced: restart the application')
  }
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null
}
