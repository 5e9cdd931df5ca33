import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from './app'
import { createCommunities, type FakeProviders, startFakeProviders } from './auth/communities'
import { type Config, ConfigError, readConfig } from './config'
import { keptSecret } from './session-secret'
import { Accounts } from './storage/accounts'
import { type Database, DatabaseUnavailableError, reasonOf } from './storage/database'
import { migrateWhenAvailable, openDatabase } from './storage/open-database'
import { NewerSchemaError } from './storage/schema'
import { DatabaseSessions } from './storage/sessions'
import { createLogger } from './web/logger'
import { pathsOnly } from './web/request-target'
import { closingConnections, listen, onStopSignal } from './web/server'

const REQUESTS_END_WITHIN_MS = 10_000
const SAY_WAITING_AFTER_MS = 2000
const CLEANING_INTERVAL_MS = 10 * 60 * 1000

const logger = createLogger()
let stopServing = async (): Promise<void> => {}

async function main(): Promise<void> {
  // This comes first, so that a signal during a slow start also stops the process. Interrupting a migration is safe: it
  // runs in one transaction.
  onStopSignal(stop, logger)
  // Only the user of this process may read the files of the database.
  process.umask(0o077)
  const config = readConfig(process.env)
  const fakes = await startFakeProviders(config)
  const url = await serve(config, fakes)
  console.log(`Example application: ${url}`)
  if (fakes) console.log(`Fake provider: ${fakes[0].origin}\nSecond fake provider: ${fakes[1].origin}`)
}

async function stop(): Promise<void> {
  try {
    await stopServing()
    process.exit(0)
  } catch (error) {
    logger.fatal(
      { reason: error instanceof Error ? error.message : reasonOf(error) },
      'stopped before everything had ended',
    )
    process.exit(1)
  }
}

/** Opens and migrates the database, then starts serving. @returns the URL of the application */
async function serve(config: Config, fakes: FakeProviders | undefined): Promise<string> {
  const sessionSecrets = secretsOf(config)
  const database = await openMigrated(config)
  const listening = await listen(config.HOST, config.PORT)
  let isStopping = false
  const app = createApp({
    communities: createCommunities(config, fakes, listening.port),
    database,
    sessionSecrets,
    trustProxy: config.TRUST_PROXY,
    logger,
    isStopping: () => isStopping,
  })
  listening.serve(closingConnections(pathsOnly(app), () => isStopping))
  const cleaning = cleanRegularly(database)
  stopServing = async () => {
    isStopping = true
    await sleep(config.DRAIN_SECONDS * 1000)
    clearInterval(cleaning)
    const late = sleep(REQUESTS_END_WITHIN_MS).then(() => 'late')
    const isLate = (await Promise.race([listening.close(), late])) === 'late'
    await database.close()
    if (isLate) throw new Error('some requests have not ended')
  }
  return listening.url
}

/** On a single machine, a secret that is not configured is generated and kept. */
function secretsOf({ SESSION_SECRET: [first, ...others] = [], DATA_DIR }: Config): [string, ...string[]] {
  return first === undefined ? [keptSecret(DATA_DIR)] : [first, ...others]
}

async function openMigrated({ DATABASE_URL, DATABASE_POOL_SIZE, DATA_DIR }: Config): Promise<Database> {
  const waiting = setTimeout(
    () => logger.warn('waiting for the database, which is away, busy, or being migrated by another process'),
    SAY_WAITING_AFTER_MS,
  )
  try {
    const database = openDatabase(DATABASE_URL, DATA_DIR, DATABASE_POOL_SIZE)
    await migrateWhenAvailable(database)
    return database
  } catch (error) {
    const name = DATABASE_URL === undefined ? 'DATA_DIR' : 'DATABASE_URL'
    // A driver's message may contain an address with a password, so only its code is shown.
    const cause = error instanceof DatabaseUnavailableError ? error.cause : error
    const reason = cause instanceof NewerSchemaError ? cause.message : reasonOf(cause)
    throw new ConfigError([`${name} names a database that cannot be opened: ${reason}`])
  } finally {
    clearTimeout(waiting)
  }
}

function cleanRegularly(database: Database): NodeJS.Timeout {
  const [sessions, accounts] = [new DatabaseSessions(database), new Accounts(database)]
  return setInterval(() => {
    Promise.all([sessions.clean(), accounts.deleteUnconfirmed()]).catch((error: unknown) =>
      logger.error({ err: error }, 'expired rows could not be deleted: the next attempt is in ten minutes'),
    )
  }, CLEANING_INTERVAL_MS)
}

main().catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error)
  // What has already been started would keep the process alive although it does not serve.
  process.exit(1)
})
