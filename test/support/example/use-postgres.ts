import { setTimeout as delay } from 'node:timers/promises'
import { Browser } from '../browser'
import { type PostgresCluster, useCluster } from '../postgres/postgres'
import { PostgresProxy } from '../postgres/postgres-proxy'
import type { RunningExample } from './example-app'
import type { Examples } from './use-examples'

/** For tests of outages: a Postgres server that they break, and examples that use its databases. */
export interface BreakablePostgres {
  readonly cluster: PostgresCluster
  /** Creates a database. @returns its URL */
  newDatabase(): Promise<string>
  /** A proxy in front of a database. It is stopped after the test. */
  startProxy(url: string): Promise<PostgresProxy>
  /** Starts an example that uses the database at this URL. It is killed after the test. */
  startOn(url: string, variables?: Readonly<Record<string, string>>): Promise<RunningExample>
}

/** Starts the server before the tests of the block, and stops it at its end. */
export function usePostgres(examples: Examples): BreakablePostgres {
  const cluster = useCluster()
  let databases = 0

  // A test that fails must not leave it frozen or halted for those that follow.
  afterEach(async () => {
    cluster().thaw()
    await cluster().resume()
  })

  return {
    get cluster() {
      return cluster()
    },
    newDatabase: () => cluster().createDatabase(`database_${databases++}`),
    startProxy: async (url) => examples.stopLater(await PostgresProxy.inFrontOf(url)),
    startOn: (url, variables) =>
      examples.start({ DATABASE_URL: url, SESSION_SECRET: 'a secret of sixteen or more', ...variables }),
  }
}

/** The status of `/healthz`, which must answer within two seconds. */
export async function healthOf({ appURL }: RunningExample): Promise<number> {
  const begun = performance.now()
  const { status } = await new Browser().request(`${appURL}/healthz`)
  expect(performance.now() - begun).toBeLessThan(2000)
  return status
}

export async function untilHealth(example: RunningExample, status: number): Promise<void> {
  while ((await healthOf(example)) !== status) await delay(50)
}
