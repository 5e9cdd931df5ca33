import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { migrate } from '../../../example-app/storage/migrations'
import { openDatabase } from '../../../example-app/storage/open-database'
import { launchExample } from '../../support/example/example-app'
import { describeWithPostgres, startPostgres } from '../../support/postgres/postgres'

const SECRET = { SESSION_SECRET: 'a secret of sixteen or more' }

describeWithPostgres('the example, when it starts', () => {
  let cluster: Awaited<ReturnType<typeof startPostgres>>
  let databases = 0

  beforeAll(async () => {
    cluster = await startPostgres()
  }, 30_000)
  afterAll(() => cluster.stop())

  const newDatabase = (): Promise<string> => cluster.createDatabase(`starting_${databases++}`)

  test('waits for a Postgres that is restarted, and says so', async () => {
    const url = await newDatabase()
    await cluster.halt()
    const example = launchExample({ ...SECRET, DATABASE_URL: url })
    let hasEnded = false
    void example.ended.then(() => {
      hasEnded = true
    })
    while (!hasEnded && !example.output().includes('waiting for the database')) await delay(20)
    await cluster.resume()
    while (!hasEnded && !example.output().includes('Example application: ')) await delay(20)
    expect(hasEnded).toBe(false)
    await example.stop('SIGKILL')
  }, 30_000)

  test.each([
    [
      'read-only, as a former primary is',
      'set default_transaction_read_only = on',
      'reset default_transaction_read_only',
    ],
    ['that admits nobody, as while it is restored', 'allow_connections false', 'allow_connections true'],
  ])(
    'waits for a database %s',
    async (_name, broken, whole) => {
      const url = await newDatabase()
      const postgres = new Client({ connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href })
      await postgres.connect()
      const name = new URL(url).pathname.slice(1)
      await postgres.query(`alter database ${name} ${broken}`)
      const example = launchExample({ ...SECRET, DATABASE_URL: url })
      const isSaid = (text: string): boolean => example.output().includes(text)
      while (!isSaid('waiting for the database') && !isSaid('not valid')) await delay(20)
      await postgres.query(`alter database ${name} ${whole}`)
      await postgres.end()
      while (!isSaid('Example application: ') && !isSaid('not valid')) await delay(20)
      expect(example.output()).not.toContain('not valid')
      await example.stop('SIGKILL')
    },
    30_000,
  )

  test('gives up after twenty seconds, with the reason, so that a process manager does not lose patience', async () => {
    const begun = performance.now()
    const example = launchExample({ ...SECRET, DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/app' })
    expect(await example.ended).toBe(1)
    expect(performance.now() - begun).toBeGreaterThan(19_000)
    const problem = 'DATABASE_URL names a database that cannot be opened (ECONNREFUSED)'
    expect(example.output()).toContain(`The environment is not valid:\n  - ${problem}`)
    expect(example.output()).not.toContain('hunter2')
  }, 40_000)

  test('and its migration has to wait for the lock of a table, holds up nobody behind it for long', async () => {
    const url = await newDatabase()
    const database = openDatabase(url, '')
    await migrate(database)
    // Back to the version before the last one, which a running process may have.
    await database.query('delete from schema_migrations where version = 3')
    await database.query('drop index users_unconfirmed, federated_credentials_unopened')
    await database.query('drop table callback_slots, storage_checks')
    const writer = new Client({ connectionString: url })
    await writer.connect()
    await writer.query(`begin; insert into users (id, created_at) values ('being stored', 0)`)
    const example = launchExample({ ...SECRET, DATABASE_URL: url })
    const waiting = `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    while ((await database.query(waiting)).length === 0) await delay(10)
    const begun = performance.now()
    await database.query(`insert into users (id, created_at) values ('signs in', 0)`)
    expect(performance.now() - begun).toBeLessThan(3000)
    await writer.query('commit')
    await writer.end()
    while (!example.output().includes('Example application: ')) await delay(20)
    await example.stop('SIGKILL')
    await database.close()
  }, 30_000)

  test('leaves a transaction that Postgres ends within a minute, where its process is suspended in it', async () => {
    const database = openDatabase(await newDatabase(), '')
    const shown = await database.transaction((query) => query('show idle_in_transaction_session_timeout'), {
      alone: true,
    })
    expect(shown).toEqual([{ idle_in_transaction_session_timeout: '1min' }])
    await database.close()
  })
})
