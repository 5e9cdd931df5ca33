import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from './app'
import { createCommunities, type FakeProviders, startFakeProviders } from './auth/community-setup'
import { type Config, ConfigError, readConfig, reasonOf } from './config'
import { deleteUnconfirmed } from './storage/accounts'
import { throughBriefOutage } from './storage/brief-outage'
import { CallbackSlots } from './storage/callback-slots'
import type { Database } from './storage/database'
import { migrate, NewerSchemaError } from './storage/migrations'
import { openDatabase, type WatchedDatabase, watchFullDisk } from './storage/open-database'
import { DatabaseSessions } from './storage/sessions'
import { createLogger, type Logger } from './web/logger'
import { withoutChunks } from './web/request-body'
import { pathsOnly } from './web/request-target'
import { Draining, listen, onStopSignal } from './web/server'

const REQUESTS_END_WITHIN_MS = 10_000
// Longer than a Postgres takes to close that does not answer.
const DATABASE_CLOSES_WITHIN_MS = 3300
// Longer than most restarts and failovers, and long enough that process managers do not give up because of quick exits.
const DATABASE_WITHIN_MS = 20_000
const SAY_WAITING_AFTER_MS = 2000
const CLEANING_INTERVAL_MS = 10 * 60 * 1000

interface RunningServer {
  readonly url: string
  /**
   * Reports at /healthz that the process is stopping, finishes the requests in progress, and closes.
   *
   * @throws Error that says what did not finish in time
   */
  stop(): Promise<void>
}

const logger = createLogger()
let running: { readonly server: RunningServer; readonly fakes: FakeProviders | undefined } | undefined

async function main(): Promise<void> {
  // First, so that a signal during a slow start also stops the process. Interrupting a migration is safe: it runs in one
  // transaction.
  onStopSignal(stop, logger)
  const config = readConfig(process.env)
  const fakes = await startFakeProviders(config)
  const server = await startServer(config, fakes, logger)
  running = { server, fakes }
  console.log(`Example application: ${server.url}`)
  if (fakes) console.log(`Fake provider: ${fakes[0].origin}\nSecond fake provider: ${fakes[1].origin}`)
}

async function stop(): Promise<void> {
  try {
    await running?.server.stop()
    for (const fake of running?.fakes ?? []) await fake.stop()
    process.exit(0)
  } catch (error) {
    const reason = error instanceof Error ? error.message : reasonOf(error)
    logger.fatal({ reason }, 'stopped before everything had ended')
    process.exit(1)
  }
}

/** Opens and migrates the database, then starts serving. */
async function startServer(config: Config, fakes: FakeProviders | undefined, logger: Logger): Promise<RunningServer> {
  const database = await openMigrated(config, logger)
  const listening = await listen(config.host, config.port)
  const draining = new Draining()
  const communities = createCommunities(config, fakes, listening.port)
  const { sessionSecrets, trustProxy } = config
  const app = createApp({
    communities,
    database,
    sessionSecrets,
    trustProxy,
    logger,
    isStopping: () => draining.hasBegun,
  })
  listening.serve(draining.watch(withoutChunks(pathsOnly(app))))
  const cleaning = cleanRegularly(database, logger)
  return {
    url: listening.url,
    async stop() {
      draining.begin()
      await sleep(config.drainMs)
      clearInterval(cleaning)
      try {
        await orFail(
          listening.close(),
          REQUESTS_END_WITHIN_MS,
          () => `connections are still open, and ${draining.requestsUnderWay} requests under way`,
        )
      } finally {
        // Even then, because the last writes to a libsql file would be left in its `-wal`.
        await orFail(database.close(), DATABASE_CLOSES_WITHIN_MS, () => 'the database does not close')
      }
    },
  }
}

/** Rejects with a description when the work does not finish in time. */
function orFail(work: Promise<void>, limitMs: number, describe: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(describe())), limitMs)
    work.then(resolve, reject)
  })
}

async function openMigrated(
  { databaseURL, databasePoolSize, dataDir }: Config,
  logger: Logger,
): Promise<WatchedDatabase> {
  const waiting = setTimeout(
    () => logger.warn('waiting for the database, which is away, busy, or being migrated by another process'),
    SAY_WAITING_AFTER_MS,
  )
  try {
    const database = watchFullDisk(openDatabase(databaseURL, dataDir, databasePoolSize))
    await throughBriefOutage(() => migrate(database), DATABASE_WITHIN_MS)
    return database
  } catch (error) {
    const [name, cure] =
      databaseURL === undefined
        ? ['DATA_DIR', 'is the app.db in it a database of this application, and is there space left on its disk?']
        : [
            'DATABASE_URL',
            'is it running, can this machine reach it, and are the user, password, name and files of certificates right?',
          ]
    throw new ConfigError([
      error instanceof NewerSchemaError
        ? `${name} names a database that cannot be opened: ${error.message}.`
        : `${name} names a database that cannot be opened (${reasonOf(error)}): ${cure}`,
    ])
  } finally {
    clearTimeout(waiting)
  }
}

function cleanRegularly(database: Database, logger: Logger): NodeJS.Timeout {
  const sessions = new DatabaseSessions(database)
  const slots = new CallbackSlots(database)
  const clean = async (): Promise<void> => {
    await sessions.deleteExpired()
    await deleteUnconfirmed(database)
    await slots.deleteExpired()
  }
  return setInterval(() => {
    clean().catch((error: unknown) =>
      logger.error({ err: error }, 'expired rows could not be deleted: the next attempt is in ten minutes'),
    )
  }, CLEANING_INTERVAL_MS)
}

main().catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error)
  // Whatever has been started already would keep the process alive although it does not serve.
  process.exit(1)
})
