import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Libsql from 'libsql'
import { openDatabase } from '../../../example-app/storage/open-database'
import { migrate } from '../../../example-app/storage/schema'
import { DatabaseSessions } from '../../../example-app/storage/sessions'
import { Browser } from '../../support/browser'
import { useExamples } from '../../support/example/use-examples'

const MANY = 100_000
const account = (id: string): string => `insert into users (id, created_at) values ('${id}', 0) returning id`

describe('a database file', () => {
  const examples = useExamples('each test')
  const folder = (): string => examples.environment['DATA_DIR'] ?? ''
  const lock = (): Libsql.Database => {
    const other = new Libsql(join(folder(), 'app.db'))
    other.exec('begin immediate')
    return other
  }
  const unlock = (other: Libsql.Database): void => {
    other.exec('rollback')
    other.close()
  }

  test('that another program keeps locked stops no page, is noticed at /healthz, and spends no key', async () => {
    const { appURL } = await examples.start()
    const ada = examples.visitor()
    await ada.begin(appURL)
    const key = ada.newKey()
    const other = lock()
    await delay(1100)
    const statusOf = async (path: string): Promise<number> => {
      const begun = performance.now()
      const { status } = await new Browser().request(`${appURL}${path}`)
      expect(performance.now() - begun).toBeLessThan(2000)
      return status
    }
    expect([await statusOf('/login'), await statusOf('/healthz')]).toStrictEqual([200, 503])
    const back = await ada.comeBack(appURL, key)
    expect([back.location, back.headers['retry-after']]).toStrictEqual(['/login?reason=database_unavailable', '5'])
    expect(examples.exchanges()).toBe(0)
    unlock(other)
    while ((await new Browser().request(`${appURL}/healthz`)).status !== 200) await delay(50)
    expect((await ada.comeBack(appURL, key)).location).toBe('/login/confirm')
  })

  test('that is copied after the process has stopped holds everything without its -wal', async () => {
    const example = await examples.start()
    expect(await examples.visitor().signIn(example.appURL)).toBe('/profile')
    expect(await example.stop('SIGTERM')).toBe(0)
    copyFileSync(join(folder(), 'app.db'), join(folder(), 'copy.db'))
    const copy = new Libsql(join(folder(), 'copy.db'))
    expect(copy.prepare('select id from users').all()).toHaveLength(1)
    copy.close()
  })

  test('that another program had locked for longer than its two processes wait loses nothing written afterwards', async () => {
    const [one, two] = [openDatabase(undefined, folder()), openDatabase(undefined, folder())]
    await migrate(one)
    const other = lock()
    await expect(one.query(account('too late'))).rejects.toThrow(
      'The database cannot be used at the moment (SQLITE_BUSY)',
    )
    unlock(other)
    await one.query(account('first'))
    await two.query(account('second'))
    const ids = 'select id from users order by id'
    expect(await two.query(ids)).toStrictEqual([{ id: 'first' }, { id: 'second' }])
    expect(await one.query(ids)).toStrictEqual([{ id: 'first' }, { id: 'second' }])
    await Promise.all([one.close(), two.close()])
  })

  test(`with ${MANY} expired sessions serves others while they are deleted`, async () => {
    const database = openDatabase(undefined, folder())
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
    expect(await database.query('select id from sessions limit 1')).toStrictEqual([])
    waits.sort((a, b) => a - b)
    expect(waits.length).toBeGreaterThan(50)
    expect(waits[Math.floor(waits.length * 0.99)]).toBeLessThan(50)
    await database.close()
  })
})
