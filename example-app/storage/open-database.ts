import type { Database } from './database'
import { openLibsql } from './libsql'
import { openPostgres } from './postgres'

// Afterwards, one login per process may fail before the full disk is noticed again.
const REMEMBER_MS = 5000
// The error codes of Postgres and of SQLite.
const FULL = ['53100', 'SQLITE_FULL']

/** Opens Postgres if there is a `databaseURL`, otherwise a libsql file in `dataDir`. */
export function openDatabase(databaseURL: string | undefined, dataDir: string, poolSize = 10): Database {
  return databaseURL === undefined ? openLibsql(dataDir) : openPostgres(databaseURL, poolSize)
}

/** A database that remembers for some seconds that its disk was full. */
export interface WatchedDatabase extends Database {
  /** @throws an error where a statement failed within the last seconds because the disk was full */
  requireSpace(): void
}

/**
 * Lets logins fail early when the disk is full. Updates of existing rows still succeed on a full disk, the health check
 * included, so without this a login would spend its key before the first insert fails.
 */
export function watchFullDisk(database: Database): WatchedDatabase {
  let fullUntil = Number.NEGATIVE_INFINITY
  const noting = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (isFullDisk(error)) fullUntil = performance.now() + REMEMBER_MS
      throw error
    }
  }
  const requireSpace = (): void => {
    if (performance.now() < fullUntil) throw new FullDiskError()
  }
  return {
    dialect: database.dialect,
    now: database.now,
    skipLocked: database.skipLocked,
    requireTables: database.requireTables,
    query: (sql, values) => noting(database.query(sql, values)),
    transaction: (work, options) => noting(database.transaction(work, options)),
    requireSpace,
    async checkStorage() {
      requireSpace()
      await database.checkStorage()
    },
    close: () => database.close(),
  }
}

class FullDiskError extends Error {
  readonly code = '53100'

  constructor() {
    super('The disk of the database was full some seconds ago')
  }
}

function isFullDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && FULL.includes(String(error.code))
}
