import { closeSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Libsql from 'libsql'
import { requireOwnFiles } from './data-folder'
import type { Database, Query, Row, Value } from './database'

const OPEN_TIMEOUT_MS = 10_000
const LOCK_TIMEOUT_MS = 10_000
const CLOSE_WAIT_MS = 1000
const READS = /^\s*select\b/
const NOW = `cast((julianday('now') - 2440587.5) * 86400000 as integer)`
const CHECK = `insert into storage_checks (id, checked_at) values (1, ${NOW})
  on conflict (id) do update set checked_at = excluded.checked_at
  where abs(excluded.checked_at - storage_checks.checked_at) > 1000`

/** Opens `app.db` in a folder. Several processes of one machine may share it: they wait for each other's locks. */
export function openLibsql(dataDir: string): Database {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, 'app.db')
  // An existing folder may be accessible to other users. SQLite gives its other files the same permissions as this one.
  // `data-folder.ts` has changed those of files that existed before.
  closeSync(openSync(file, 'a', 0o600))
  // Twice, because SQLite may delete a file of another user, or, as root, make it its own.
  requireOwnFiles(dataDir)
  const database = new LibsqlDatabase(file)
  requireOwnFiles(dataDir)
  return database
}

class LibsqlDatabase implements Database {
  readonly dialect = 'sqlite'
  readonly now = NOW
  readonly skipLocked = ''
  // A lock of SQLite is on the whole file.
  readonly requireTables = ''
  readonly #log: string
  readonly #files: readonly string[]
  readonly #opened: ReadonlyArray<string | undefined>
  readonly #connection: Libsql.Database
  readonly #statements = new Map<string, Libsql.Statement<unknown[]>>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(file: string) {
    this.#connection = new Libsql(file, { timeout: OPEN_TIMEOUT_MS })
    this.#connection.exec('pragma journal_mode = wal')
    // Does not flush the disk at each commit, because that blocks every request when the disk is busy. A killed process
    // loses nothing; a power failure may lose the last moments.
    this.#connection.exec('pragma synchronous = normal')
    // The first read creates the other two files, which remain until the last connection to the database closes.
    this.#connection.exec('select 1 from sqlite_schema')
    // They lie beside the file itself, where `file` is a link to it.
    const target = realpathSync(file)
    this.#log = `${target}-wal`
    this.#files = [file, this.#log, `${target}-shm`]
    this.#opened = this.#files.map(identityOf)
    // SQLite would block this thread while it waits for a lock, so `#whenUnlocked` waits instead.
    this.#connection.exec('pragma busy_timeout = 0')
  }

  readonly query: Query = (sql, values = []) => {
    if (!READS.test(sql)) return this.transaction((query) => query(sql, values))
    return this.#whenUnlocked(LOCK_TIMEOUT_MS, async () => this.#run(sql, values))
  }

  // `begin immediate` excludes all other writers, so every transaction is alone anyway. With `alone` the wait has no
  // limit, because a migration in another process may take long.
  transaction<T>(work: (query: Query) => Promise<T>, { alone = false } = {}): Promise<T> {
    const limit = alone ? Number.POSITIVE_INFINITY : LOCK_TIMEOUT_MS
    return this.#whenUnlocked(limit, async () => {
      // With `exec`, because libsql does not reset a prepared statement that finds the file locked. Later writes would then
      // seem to succeed without being committed (https://github.com/tursodatabase/libsql-js/pull/238).
      this.#connection.exec('begin immediate')
      try {
        const result = await work(async (sql, values = []) => this.#run(sql, values))
        this.#connection.exec('commit')
        return result
      } catch (error) {
        if (this.#connection.inTransaction) this.#connection.exec('rollback')
        throw error
      }
    })
  }

  async checkStorage(): Promise<void> {
    await this.query(CHECK)
  }

  async close(): Promise<void> {
    await this.#last
    await this.#moveWritesToFile()
    this.#connection.close()
  }

  /**
   * libsql leaves the last writes in the `-wal` file. A copy of the database file would lack them, and would be overwritten
   * with them when it is put back. If this fails, they are still in that file.
   */
  async #moveWritesToFile(): Promise<void> {
    const deadline = performance.now() + CLOSE_WAIT_MS
    // Tried again while a program reads the file, or another process does the same. SQLite itself would wait with the
    // lock of all writers.
    while (!this.#tryToMoveWrites() && performance.now() < deadline) await sleep(20)
  }

  /** @returns whether there is nothing left to do */
  #tryToMoveWrites(): boolean {
    try {
      // Otherwise, another process may be using files that have taken the place of these.
      const isAlone = this.#files.every((file, index) => [this.#opened[index], undefined].includes(identityOf(file)))
      if (!isAlone) return true
      this.#connection.exec('pragma wal_checkpoint(truncate)')
      return isEmpty(this.#log)
    } catch (error) {
      return !isLocked(error)
    }
  }

  /**
   * Retries while another process holds the lock. Reads need no lock, so they can run between the attempts.
   *
   * libsql keeps a page that the disk could not read in memory as if it were empty, and fails for as long as nobody writes
   * to the file. So the pages in memory are dropped, and the work, which has been rolled back, is tried once more.
   */
  async #whenUnlocked<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + limitMs
    let hasReread = false
    for (;;) {
      try {
        return await this.#inTurn(work)
      } catch (error) {
        if (isMisread(error) && !hasReread) {
          hasReread = true
          await this.#inTurn(async () => this.#connection.exec('pragma shrink_memory'))
          continue
        }
        if (!isLocked(error) || performance.now() > deadline) throw error
        await sleep(2 + Math.random() * 10)
      }
    }
  }

  // There is only one connection, so a statement that is not part of a transaction must wait for the transaction's end.
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => {
      this.#requireFiles()
      return work()
    })
    this.#last = result.catch(() => {})
    return result
  }

  /** SQLite would silently go on writing to a file that has been deleted or replaced. */
  #requireFiles(): void {
    if (this.#files.some((file, index) => identityOf(file) !== this.#opened[index])) throw new MovedFileError()
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

/** Which file has this name at the moment, if any. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

function isEmpty(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}

function isMisread(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code))
}

class MovedFileError extends Error {
  /** SQLite's own code for this error. */
  readonly code = 'SQLITE_READONLY_DBMOVED'

  constructor() {
    super('The database file has been deleted or replaced: stop the application, and see "Storage" in its README')
  }
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null
}
