import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { type Application, FakeProvider } from '../../../lib/testing'
import { Browser, closeBrowsers } from '../browser'
import { type RunningExample, startExample } from '../example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../example/visitor'
import { type PostgresCluster, startPostgres } from '../postgres/postgres'
import { type PostgresProxy, startPostgresProxy } from '../postgres/postgres-proxy'

interface Stoppable {
  stop(signal?: NodeJS.Signals): Promise<unknown>
}

/** A Postgres server that the tests of a block break, a provider, and examples that use both. */
export interface TroubledPostgres {
  readonly cluster: PostgresCluster
  readonly provider: FakeProvider
  /** Creates a database. @returns its URL */
  newDatabase(): Promise<string>
  /** A proxy in front of a database. It is stopped after the test. */
  startProxy(url: string): Promise<PostgresProxy>
  /** Starts an example that uses the database at this URL. It is killed after the test. */
  start(url: string, variables?: Record<string, string>): Promise<RunningExample>
  /** Stops this after the test, in reverse order of starting. */
  stopLater<T extends Stoppable>(running: T): T
  /** A person, by default with a browser of their own. */
  newVisitor(userID: string, browser?: Browser): Visitor
  /** The status of `/healthz`, which must answer within two seconds. */
  health(example: RunningExample): Promise<number>
  untilHealth(example: RunningExample, status: number): Promise<void>
  /** How many keys the provider has been asked to exchange. */
  exchanges(): number
}

/** Starts the server and the provider before the tests of the block, and stops them at its end. */
export function useTroubledPostgres(): TroubledPostgres {
  let cluster: PostgresCluster
  let provider: FakeProvider
  let application: Application
  let databases = 0
  const started: Stoppable[] = []

  beforeAll(async () => {
    cluster = await startPostgres()
    provider = await FakeProvider.start()
    application = registerExample(provider)
  }, 30_000)
  afterEach(async () => {
    for (const each of started.splice(0).reverse()) await each.stop('SIGKILL')
    // A test that fails must not leave it frozen for those that follow.
    cluster.thaw()
  })
  // A busy machine takes longer than five seconds to stop a Postgres.
  afterAll(async () => {
    await cluster.stop()
    await provider.stop()
    await closeBrowsers()
  }, 30_000)

  const postgres: TroubledPostgres = {
    get cluster() {
      return cluster
    },
    get provider() {
      return provider
    },
    newDatabase: () => cluster.createDatabase(`trouble_${databases++}`),
    startProxy: async (url) => postgres.stopLater(await startPostgresProxy(url)),
    start: async (url, variables = {}) =>
      postgres.stopLater(
        await startExample({
          DATABASE_URL: url,
          SESSION_SECRET: 'a secret of sixteen or more',
          ...providerEnvironment(provider, application),
          ...variables,
        }),
      ),
    stopLater: (running) => {
      started.push(running)
      return running
    },
    newVisitor: (userID, browser) => new Visitor(provider, application, userID, {}, browser),
    health: async ({ appURL }) => {
      const begun = performance.now()
      const { status } = await new Browser().request(`${appURL}/healthz`)
      expect(performance.now() - begun).toBeLessThan(2000)
      return status
    },
    untilHealth: async (example, status) => {
      while ((await postgres.health(example)) !== status) await delay(100)
    },
    exchanges: () => provider.requests.filter(({ endpoint }) => endpoint === 'authorize').length,
  }
  return postgres
}

/** Connects as the superuser for as long as the work takes. */
export async function asSuperuser(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await work(client).finally(() => client.end())
}

/** Ends the connection of whoever waits for a lock that this client has, as soon as somebody does. */
export async function cutWhoWaits(blocker: Client): Promise<void> {
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`
  while ((await blocker.query(cut)).rows.length === 0) {
    await delay(10)
    // Within a transaction, Postgres shows what it saw first.
    await blocker.query('select pg_stat_clear_snapshot()')
  }
}
