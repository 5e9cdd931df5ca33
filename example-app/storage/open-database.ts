import type { Database } from './database'
import { openLibsql } from './libsql'
import { openPostgres } from './postgres'

// Each process finds out anew after that, at the cost of one login.
const REMEMBER_MS = 5000
// Of Postgres, and of SQLite.
const FULL = ['53100', 'SQLITE_FULL']

/** Postgres where there is a `databaseURL`, else a libsql file in `dataDir`. */
export function openDatabase(databaseURL: string | undefined, dataDir: string, poolSize = 10): Database {
  return databaseURL === undefined ? openLibsql(dataDir) : openPostgres(databaseURL, poolSize)
}

/** A database that knows whether its disk was full a moment ago. */
export interface WatchedDatabase extends Database {
  /** @throws an error where a statement failed within the last seconds because the disk was full */
  requireSpace(): void
}

/**
 * Remembers for some seconds that the disk was full. Statements that only change rows go on to succeed then, those of the
 * health check among them: logins would spend their keys before the first statement that needs space fails.
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
