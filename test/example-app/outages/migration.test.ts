import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '../../../example-app/storage/open-database'
import { runExample, startExample } from '../../support/example/example-app'
import { onBothStorages } from '../../support/example/storages'

onBothStorages('a database of the example that another process has migrated', (fresh) => {
  test('further than this version knows is refused at the start, with the versions', async () => {
    const { environment, rows } = await fresh()
    await (await startExample(environment)).stop('SIGKILL')
    await rows('insert into schema_migrations (version) values (5)')
    const { code, output } = await runExample({ PORT: '0', PROVIDER_PORT: '0', ...environment })
    expect(code).toBe(1)
    expect(output).toMatch(
      /names a database that cannot be opened: The database has schema version 5, and this application knows \d: start the newer version\.\n/,
    )
  }, 20_000)

  test('for longer than any statement may take is waited for', async () => {
    const { environment } = await fresh()
    const { DATABASE_URL, DATA_DIR = '' } = environment
    const database = openDatabase(DATABASE_URL, DATA_DIR)
    let started: ReturnType<typeof startExample> | undefined
    let isUp = false
    await database.transaction(
      async (query) => {
        await query('select 1 as ok')
        started = startExample(environment)
        started.then(
          () => (isUp = true),
          () => {},
        )
        await delay(11_000)
        expect(isUp).toBe(false)
      },
      { alone: true },
    )
    await (await started)?.stop('SIGKILL')
    expect(isUp).toBe(true)
    await database.close()
  }, 30_000)
})
