import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '../../../example-app/storage/open-database'
import { launchExample, runExample, startExample } from '../../support/example/example-app'
import { onBothStorages } from '../../support/example/storages'
import { describeWithPostgres, useCluster } from '../../support/postgres/postgres'

const SECRET = { SESSION_SECRET: 'a secret of sixteen or more' }

describeWithPostgres('the example, when it starts', () => {
  const cluster = useCluster()

  test('waits for a Postgres that is restarted, and says so', async () => {
    const url = await cluster().createDatabase('restarted')
    await cluster().halt()
    const example = launchExample({ ...SECRET, DATABASE_URL: url })
    const isSaid = (text: string): boolean => example.output().includes(text)
    while (!isSaid('waiting for the database') && !isSaid('not valid')) await delay(20)
    await cluster().resume()
    while (!isSaid('Example application: ') && !isSaid('not valid')) await delay(20)
    expect(example.output()).not.toContain('not valid')
    await example.stop('SIGKILL')
  })

  test.each([
    ['does not wait for a database that does not exist', '3D000', 0, 10_000],
    ['gives up waiting after twenty seconds', 'ECONNREFUSED', 19_000, 40_000],
  ])(
    '%s, and says the reason without the password',
    async (_name, reason, earliest, latest) => {
      const url = new URL(await cluster().createDatabase(`reason_${reason.toLowerCase()}`))
      url.password = 'hunter2'
      if (reason === '3D000') url.pathname = '/nowhere'
      else url.port = '1'
      const begun = performance.now()
      const example = launchExample({ ...SECRET, DATABASE_URL: url.href })
      expect(await example.ended).toBe(1)
      const took = performance.now() - begun
      expect([took > earliest, took < latest]).toStrictEqual([true, true])
      const problem = `DATABASE_URL names a database that cannot be opened: ${reason}.`
      expect(example.output()).toContain(`The environment is not valid:\n  - ${problem}`)
      expect(example.output()).not.toContain('hunter2')
    },
    60_000,
  )
})

onBothStorages('a database of the example that another process has migrated', (fresh) => {
  test('further than this version knows is refused at the start, with the versions', async () => {
    const { environment, rows } = await fresh()
    await (await startExample(environment)).stop('SIGKILL')
    await rows('insert into migrations (version) values (5)')
    const { code, output } = await runExample({ PORT: '0', PROVIDER_PORT: '0', ...environment })
    expect(code).toBe(1)
    expect(output).toMatch(
      /names a database that cannot be opened: The database has schema version 5, and this application knows \d: start the newer version\.\n/,
    )
  })

  test('for longer than any statement may take is waited for', async () => {
    const { environment } = await fresh()
    const { DATABASE_URL, DATA_DIR = '' } = environment
    const database = openDatabase(DATABASE_URL, DATA_DIR)
    let started: ReturnType<typeof startExample> | undefined
    let isUp = false
    await database.migration(async (query) => {
      await query('select 1 as ok')
      started = startExample(environment)
      started.then(
        () => (isUp = true),
        () => {},
      )
      await delay(11_000)
      expect(isUp).toBe(false)
    })
    await (await started)?.stop('SIGKILL')
    expect(isUp).toBe(true)
    await database.close()
  })
})
