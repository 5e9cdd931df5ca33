import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, DatabaseUnavailableError, reasonOf } from './database'
import { openLibsql } from './libsql'
import { openPostgres } from './postgres'
import { migrate } from './schema'

// Longer than most restarts, and long enough that process managers do not give up because of quick exits.
const AVAILABLE_WITHIN_MS = 20_000
const RETRY_EVERY_MS = 200
// These codes mean a wrong user or password, or no such database: waiting does not help.
const MISCONFIGURED = /^(28|3D)/

/** Opens Postgres if there is a `databaseURL`, otherwise a libsql file in `dataDir`. */
export function openDatabase(databaseURL: string | undefined, dataDir: string, poolSize = 10): Database {
  return databaseURL === undefined ? openLibsql(dataDir) : openPostgres(databaseURL, poolSize)
}

/** Migrates a database that may be starting at this moment: tries again for twenty seconds. */
export async function migrateWhenAvailable(database: Database): Promise<void> {
  const deadline = performance.now() + AVAILABLE_WITHIN_MS
  for (;;) {
    try {
      return await migrate(database)
    } catch (error) {
      const isAway = error instanceof DatabaseUnavailableError && !MISCONFIGURED.test(reasonOf(error.cause))
      if (!isAway || performance.now() > deadline) throw error
      await sleep(RETRY_EVERY_MS)
    }
  }
}
