import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Libsql from 'libsql'
import { openDatabase } from '../../../example-app/storage/open-database'
import { migrate } from '../../../example-app/storage/schema'
import { DatabaseSessions } from '../../../example-app/storage/sessions'
import { FakeProvider } from '../../../lib/testing'
import { Browser, closeBrowsers } from '../../support/browser'
import { startExample, temporaryFolder } from '../../support/example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../../support/example/visitor'

const MANY = 100_000
const account = (id: string): string => `insert into users (id, created_at) values ('${id}', 0) returning id`

afterAll(() => closeBrowsers())

describe('a database file', () => {
  const folder = temporaryFolder()
  let count = 0
  const newFolder = (): string => join(folder.path, String(count++))
  afterAll(() => folder.remove())

  test('that another program has locked stops no page, and is noticed at /healthz within two seconds', async () => {
    const dataDir = newFolder()
    const example = await startExample({ DATA_DIR: dataDir })
    const other = new Libsql(join(dataDir, 'app.db'))
    other.exec('begin immediate')
    await delay(1100)
    const statusOf = async (path: string): Promise<number> => {
      const begun = performance.now()
      const { status } = await new Browser().request(`${example.appURL}${path}`)
      expect(performance.now() - begun).toBeLessThan(2000)
      return status
    }
    expect([await statusOf('/login'), await statusOf('/healthz')]).toEqual([200, 503])
    other.exec('rollback')
    other.close()
    while ((await new Browser().request(`${example.appURL}/healthz`)).status !== 200) await delay(50)
    await example.stop('SIGKILL')
  }, 20_000)

  test('that is copied after the process has stopped holds everything without its -wal', async () => {
    const dataDir = newFolder()
    const provider = await FakeProvider.start()
    const application = registerExample(provider)
    const example = await startExample({ DATA_DIR: dataDir, ...providerEnvironment(provider, application) })
    expect(await new Visitor(provider, application, '1').signIn(example.appURL)).toBe('/profile')
    expect(await example.stop('SIGTERM')).toBe(0)
    await provider.stop()
    copyFileSync(join(dataDir, 'app.db'), join(dataDir, 'copy.db'))
    const copy = new Libsql(join(dataDir, 'copy.db'))
    expect(copy.prepare('select id from users').all()).toHaveLength(1)
    copy.close()
  }, 20_000)

  test('that another program had locked for longer than its two processes wait loses nothing written afterwards', async () => {
    const dataDir = newFolder()
    const [one, two] = [openDatabase(undefined, dataDir), openDatabase(undefined, dataDir)]
    await migrate(one)
    const other = new Libsql(join(dataDir, 'app.db'))
    other.exec('begin immediate')
    await expect(one.query(account('too late'))).rejects.toThrow(
      'The database cannot be used at the moment (SQLITE_BUSY)',
    )
    other.exec('rollback')
    other.close()
    await one.query(account('first'))
    await two.query(account('second'))
    const ids = 'select id from users order by id'
    expect(await two.query(ids)).toEqual([{ id: 'first' }, { id: 'second' }])
    expect(await one.query(ids)).toEqual([{ id: 'first' }, { id: 'second' }])
    await Promise.all([one.close(), two.close()])
  }, 40_000)

  test(`with ${MANY} expired sessions serves others while they are deleted`, async () => {
    const database = openDatabase(undefined, newFolder())
    await migrate(database)
    await database.query(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MANY})
      insert into sessions (id, user_id, data, expires_at) select 'session ' || n, null, '{"cookie":{}}', n from numbers`)
    let isDone = false
    const cleaning = new DatabaseSessions(database).clean().finally(() => {
      isDone = true
    })
    const waits: number[] = []
    while (!isDone) {
      const begun = performance.now()
      await database.query('select count(*) from users')
      waits.push(performance.now() - begun)
      await delay(1)
    }
    await cleaning
    expect(await database.query('select id from sessions limit 1')).toEqual([])
    waits.sort((a, b) => a - b)
    expect(waits.length).toBeGreaterThan(50)
    expect(waits[Math.floor(waits.length * 0.99)]).toBeLessThan(50)
    await database.close()
  }, 60_000)
})
