import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises'
import Libsql from 'libsql'
import { migrate } from '../../../example-app/storage/migrations'
import { openDatabase } from '../../../example-app/storage/open-database'
import { DatabaseSessions } from '../../../example-app/storage/sessions'
import { FakeProvider } from '../../../lib/testing'
import { Browser, closeBrowsers } from '../../support/browser'
import { AS_ANYBODY, type RunningExample, startExample, temporaryFolder } from '../../support/example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../../support/example/visitor'

const MANY = 500_000
const WAL_HEADER_BYTES = 32

/** Keeps the file, which other processes have open. */
function overwrite(file: string, content: Buffer): void {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, content)
  closeSync(descriptor)
}

/** The number of accounts in a database. */
function people(file: string): number {
  const database = new Libsql(file)
  const { length } = database.prepare('select id from users').all()
  database.close()
  return length
}

describe('a database file in trouble', () => {
  const folder = temporaryFolder()
  let example: RunningExample
  let file: string
  let count = 0

  beforeEach(async () => {
    const dataDir = join(folder.path, String(count++))
    file = join(dataDir, 'app.db')
    example = await startExample({ DATA_DIR: dataDir })
    expect(await health()).toBe(200)
  }, 20_000)
  afterEach(() => example.stop('SIGKILL'))
  afterAll(async () => {
    await closeBrowsers()
    folder.remove()
  })

  const health = async (): Promise<number> => {
    const begun = performance.now()
    const { status } = await new Browser().request(`${example.appURL}/healthz`)
    expect(performance.now() - begun).toBeLessThan(2000)
    return status
  }
  /** The same with a provider of the test's. */
  const withProvider = async (
    work: (provider: FakeProvider, visitor: Visitor, another: Visitor) => Promise<void>,
  ): Promise<void> => {
    const provider = await FakeProvider.start()
    const application = registerExample(provider)
    await example.stop('SIGKILL')
    example = await startExample({ DATA_DIR: dirname(file), ...providerEnvironment(provider, application) })
    const [one, other] = ['1', '2'].map((id) => new Visitor(provider, application, id))
    if (one && other) await work(provider, one, other).finally(() => provider.stop())
  }
  const untilHealth = async (status: number): Promise<void> => {
    while ((await health()) !== status) await delay(50)
  }
  const complaints = (): number => example.output().split('the database cannot be used').length - 1

  test('that is deleted or replaced is noticed at /healthz, and said once', async () => {
    unlinkSync(file)
    await untilHealth(503)
    await Promise.all(Array.from({ length: 20 }, health))
    expect(complaints()).toBe(1)
    const kept = `${file}-of-yesterday`
    const other = new Libsql(kept)
    other.exec('create table users (id text)')
    other.close()
    copyFileSync(kept, file)
    await delay(1100)
    expect(await health()).toBe(503)
    expect(complaints()).toBe(1)
  })

  test('that is deleted takes no login, which would be lost, and spends no key', async () => {
    await withProvider(async (provider, visitor) => {
      await visitor.begin(example.appURL)
      const key = visitor.newKey()
      unlinkSync(file)
      const back = await visitor.comeBack(example.appURL, key)
      expect([back.status, back.location]).toEqual([303, '/login?reason=database_unavailable'])
      expect((await visitor.begin(example.appURL)).status).toBe(503)
      expect(provider.requests.filter(({ endpoint }) => endpoint === 'authorize')).toEqual([])
    })
  })

  test.each(['app.db-wal', 'app.db-shm'])(
    'whose %s is deleted takes no login either, and keeps those before',
    async (name) => {
      await withProvider(async (_provider, early, late) => {
        expect(await early.signIn(example.appURL)).toBe('/profile')
        await late.begin(example.appURL)
        unlinkSync(join(dirname(file), name))
        expect((await late.comeBack(example.appURL)).location).toBe('/login?reason=database_unavailable')
        await untilHealth(503)
        await example.stop('SIGTERM')
        expect(people(file)).toBe(1)
      })
    },
  )

  test('that is copied after the process has stopped holds everything without its -wal', async () => {
    await withProvider(async (_provider, visitor) => {
      expect(await visitor.signIn(example.appURL)).toBe('/profile')
      expect(await example.stop('SIGTERM')).toBe(0)
      copyFileSync(file, `${file}-copy`)
      expect(people(`${file}-copy`)).toBe(1)
    })
  })

  test('that is copied after the process has stopped holds everything, although a request was never finished', async () => {
    await withProvider(async (_provider, visitor) => {
      expect(await visitor.signIn(example.appURL)).toBe('/profile')
      const client = connect(Number(new URL(example.appURL).port), '127.0.0.1')
      // Answered once the second request has begun, too.
      client.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /login HTTP/1.1\r\nX-Unfinished: ')
      await once(client, 'data')
      const begun = performance.now()
      expect(await example.stop('SIGTERM')).toBe(1)
      expect(performance.now() - begun).toBeLessThan(15_000)
      client.destroy()
      copyFileSync(file, `${file}-copy`)
      expect(people(`${file}-copy`)).toBe(1)
    })
  }, 30_000)

  test('behind a symbolic link is watched with its -wal, which lies beside the file itself', async () => {
    await example.stop('SIGTERM')
    const target = `${file}-elsewhere`
    renameSync(file, target)
    symlinkSync(target, file)
    example = await startExample({ DATA_DIR: dirname(file) })
    expect(await health()).toBe(200)
    unlinkSync(`${target}-wal`)
    await untilHealth(503)
  })

  test('in a folder that may not be entered any more is an outage, until it may again', async () => {
    await example.stop('SIGKILL')
    example = await startExample({ DATA_DIR: dirname(file) }, AS_ANYBODY)
    const visitor = new Browser()
    const start = () => visitor.follow(`${example.appURL}/auth/social-login`, { method: 'POST' })
    chmodSync(dirname(file), 0o000)
    const { status, headers } = await start()
    const callback = `${example.appURL}/auth/social-login/callback?auth_key=abc`
    const { location } = await visitor.comeBack(callback)
    chmodSync(dirname(file), 0o700)
    expect([status, headers['retry-after']]).toEqual([503, '5'])
    expect(location).toBe('/login?reason=database_unavailable')
    expect((await start()).status).toBe(302)
  })

  test('whose folder is not there any more, but a file of its name, is an outage', async () => {
    const dataDir = dirname(file)
    renameSync(dataDir, `${dataDir}-moved`)
    writeFileSync(dataDir, '')
    const { status } = await new Browser().follow(`${example.appURL}/auth/social-login`, { method: 'POST' })
    expect(status).toBe(503)
  })

  test('that was moved away and is back is good again', async () => {
    renameSync(file, `${file}-moved`)
    await untilHealth(503)
    renameSync(`${file}-moved`, file)
    await untilHealth(200)
    expect(complaints()).toBe(1)
  })

  test('on a disk that could not read it for a moment is good again as soon as it can be read', async () => {
    const other = new Libsql(file)
    other.exec(`insert into users (id, created_at) values ('what the example has not read yet', 0)`)
    const log = `${file}-wal`
    const written = readFileSync(log)
    overwrite(
      log,
      Buffer.concat([written.subarray(0, WAL_HEADER_BYTES), Buffer.alloc(written.length - WAL_HEADER_BYTES)]),
    )
    await untilHealth(503)
    const { status, headers } = await new Browser().follow(`${example.appURL}/auth/social-login`, { method: 'POST' })
    expect([status, headers['retry-after']]).toEqual([503, '5'])
    overwrite(log, written)
    await untilHealth(200)
    expect(complaints()).toBe(1)
    expect(other.prepare('pragma integrity_check').get()).toMatchObject({ integrity_check: 'ok' })
    other.close()
  })

  test('on a disk that takes no more is noticed although it can be read', async () => {
    const database = new Libsql(file)
    database.exec(`create trigger full_disk before insert on storage_checks
      begin select raise(abort, 'database or disk is full'); end`)
    await untilHealth(503)
    expect((await new Browser().request(`${example.appURL}/login`)).status).toBe(200)
    database.exec('drop trigger full_disk')
    await untilHealth(200)
    database.close()
  })

  test('that another program has locked holds up nobody who only reads', async () => {
    await withProvider(async (_provider, visitor, waiting) => {
      expect(await visitor.signIn(example.appURL)).toBe('/profile')
      const other = new Libsql(file, { timeout: 5000 })
      other.exec('begin immediate')
      await waiting.begin(example.appURL)
      const back = waiting.comeBack(example.appURL)
      await delay(100)
      const begun = performance.now()
      expect((await visitor.whoAmI(example.appURL))?.['id']).toBe('1')
      expect(performance.now() - begun).toBeLessThan(1000)
      other.exec('commit')
      other.close()
      expect((await back).location).toBe('/login/confirm')
    })
  })

  test('that another program has locked stops no page, and is noticed within two seconds', async () => {
    const other = new Libsql(file, { timeout: 5000 })
    other.exec('begin immediate')
    await untilHealth(503)
    const begun = performance.now()
    expect((await new Browser().request(`${example.appURL}/login`)).status).toBe(200)
    expect(performance.now() - begun).toBeLessThan(500)
    other.exec('commit')
    await untilHealth(200)
    other.close()
  })
})

describe('a database file that two processes share', () => {
  const folder = temporaryFolder()
  afterAll(() => folder.remove())

  test('and that another program had locked for longer than they wait loses nothing that they write afterwards', async () => {
    const [one, two] = [openDatabase(undefined, folder.path), openDatabase(undefined, folder.path)]
    await migrate(one)
    const account = (id: string): string => `insert into users (id, created_at) values ('${id}', 0) returning id`
    const other = new Libsql(join(folder.path, 'app.db'))
    other.exec('begin immediate')
    await expect(one.query(account('too late'))).rejects.toThrow('database is locked')
    other.exec('rollback')
    other.close()
    await one.query(`insert into users (id, created_at) values ('first', 0)`)
    await two.query(account('second'))
    const ids = 'select id from users order by id'
    expect(await two.query(ids)).toEqual([{ id: 'first' }, { id: 'second' }])
    expect(await one.query(ids)).toEqual([{ id: 'first' }, { id: 'second' }])
    await Promise.all([one.close(), two.close()])
  }, 40_000)
})

test('a database file that another program is reading is whole when it is closed', async () => {
  const folder = temporaryFolder()
  const file = join(folder.path, 'app.db')
  const database = openDatabase(undefined, folder.path)
  await migrate(database)
  const reader = new Libsql(file)
  reader.exec('begin; select count(*) from users')
  await database.query(`insert into users (id, created_at) values ('late', 0)`)
  const closed = database.close()
  await immediate()
  reader.exec('commit')
  reader.close()
  await closed
  copyFileSync(file, `${file}-copy`)
  expect(people(`${file}-copy`)).toBe(1)
  folder.remove()
})

describe('500,000 expired sessions', () => {
  const folder = temporaryFolder()
  afterAll(() => folder.remove())

  test('are deleted while others are served', async () => {
    const database = openDatabase(undefined, folder.path)
    await migrate(database)
    await database.query(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MANY})
      insert into sessions (id, user_id, data, expires_at) select 'session ' || n, null, '{"cookie":{}}', n from numbers`)
    let isDone = false
    const cleaning = new DatabaseSessions(database).deleteExpired().finally(() => {
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
    expect(waits.length).toBeGreaterThan(100)
    expect(waits[Math.floor(waits.length * 0.99)]).toBeLessThan(50)
    await database.close()
  }, 60_000)
})
