import { openDatabase } from '../../../example-app/storage/open-database'
import { describeWithPostgres, useCluster } from '../postgres/postgres'
import { temporaryFolder } from './example-app'

/** A database for a test: the environment that names it, and its rows. */
export interface TestStorage {
  readonly environment: Readonly<Record<string, string>>
  rows(sql: string): Promise<Array<Readonly<Record<string, unknown>>>>
}

/** Gives an empty database at each call. */
export type FreshStorage = () => Promise<TestStorage>

/** Runs the same tests on a libsql file and on Postgres. */
export function onBothStorages(name: string, tests: (fresh: FreshStorage) => void): void {
  onLibsql(name, tests)
  onPostgres(name, tests)
}

export function onLibsql(name: string, tests: (fresh: FreshStorage) => void): void {
  describe(`${name}, on libsql`, () => {
    const folder = temporaryFolder()
    let count = 0
    afterAll(() => folder.remove())
    tests(async () => storageOf(undefined, `${folder.path}/${count++}`))
  })
}

export function onPostgres(name: string, tests: (fresh: FreshStorage) => void): void {
  describeWithPostgres(`${name}, on Postgres`, () => {
    const cluster = useCluster()
    let count = 0
    tests(async () => storageOf(await cluster().createDatabase(`example_${count++}`), '/nonexistent'))
  })
}

function storageOf(databaseURL: string | undefined, dataDir: string): TestStorage {
  const secret = { SESSION_SECRET: 'a secret of sixteen or more' }
  return {
    environment:
      databaseURL === undefined ? { ...secret, DATA_DIR: dataDir } : { ...secret, DATABASE_URL: databaseURL },
    async rows(sql) {
      const database = openDatabase(databaseURL, dataDir)
      try {
        return await database.query(sql)
      } finally {
        await database.close()
      }
    },
  }
}
