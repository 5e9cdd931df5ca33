import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { type Application, FakeProvider } from '../../../lib/testing'
import { Browser, closeBrowsers } from '../../support/browser'
import { makeCertificates } from '../../support/certificates'
import { type RunningExample, runExample, startExample, temporaryFolder } from '../../support/example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../../support/example/visitor'
import { describeWithPostgres, startPostgres } from '../../support/postgres/postgres'
import { startPostgresProxy } from '../../support/postgres/postgres-proxy'
import { startPostgresTLSProxy } from '../../support/postgres/tls-proxy'

afterAll(() => closeBrowsers())

describeWithPostgres('a Postgres in trouble', () => {
  let cluster: Awaited<ReturnType<typeof startPostgres>>
  let provider: FakeProvider
  let application: Application
  let databases = 0

  beforeAll(async () => {
    cluster = await startPostgres()
    provider = await FakeProvider.start()
    application = registerExample(provider)
  }, 30_000)
  // A test that fails must not leave it frozen for those that follow.
  afterEach(() => cluster.thaw())
  // A busy machine takes longer than five seconds to stop a Postgres.
  afterAll(async () => {
    await cluster.stop()
    await provider.stop()
  }, 30_000)

  const newDatabase = (): Promise<string> => cluster.createDatabase(`trouble_${databases++}`)
  const start = (url: string, variables: Record<string, string> = {}): Promise<RunningExample> =>
    startExample({
      DATABASE_URL: url,
      SESSION_SECRET: 'a secret of sixteen or more',
      ...providerEnvironment(provider, application),
      ...variables,
    })
  const health = async ({ appURL }: RunningExample): Promise<number> => {
    const begun = performance.now()
    const { status } = await new Browser().request(`${appURL}/healthz`)
    expect(performance.now() - begun).toBeLessThan(2000)
    return status
  }
  const untilHealth = async (example: RunningExample, status: number): Promise<void> => {
    while ((await health(example)) !== status) await delay(100)
  }
  /** Ends the connection of whoever waits for a lock that this client has. */
  const cutWhoWaits = async (blocker: Client): Promise<void> => untilSomebodyWaits(blocker, 'pg_terminate_backend(pid)')
  const untilSomebodyWaits = async (blocker: Client, andRun = 'pid', atLeast = 1): Promise<void> => {
    const waiting = `select ${andRun} from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`
    while ((await blocker.query(waiting)).rows.length < atLeast) {
      await delay(10)
      // Within a transaction, Postgres shows what it saw first.
      await blocker.query('select pg_stat_clear_snapshot()')
    }
  }
  const asSuperuser = async (url: string, work: (client: Client) => Promise<unknown>): Promise<void> => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await work(client).finally(() => client.end())
  }

  test('that is frozen is noticed at /healthz within two seconds, and forgotten when it goes on', async () => {
    const example = await start(await newDatabase())
    const ada = new Visitor(provider, application, '1')
    expect(await ada.signIn(example.appURL)).toBe('/profile')
    expect(await health(example)).toBe(200)
    cluster.freeze()
    const hung = ada.whoAmI(example.appURL)
    await delay(1100)
    expect(await Promise.all(Array.from({ length: 20 }, () => health(example)))).toEqual(Array(20).fill(503))
    cluster.thaw()
    const thawed = performance.now()
    expect((await hung)?.['id']).toBe('1')
    await untilHealth(example, 200)
    expect(await new Visitor(provider, application, '2').signIn(example.appURL)).toBe('/profile')
    expect(performance.now() - thawed).toBeLessThan(15_000)
    const lines = example.output().match(/the database can(not)? be used/g)
    expect(lines?.slice(0, 2)).toEqual(['the database cannot be used', 'the database can be used'])
    await example.stop('SIGKILL')
  }, 40_000)

  test('that is frozen does not keep a process from ending', async () => {
    const example = await start(await newDatabase())
    await Promise.all([1, 2, 3, 4].map(() => new Visitor(provider, application, '1').begin(example.appURL)))
    cluster.freeze()
    const begun = performance.now()
    const code = await example.stop('SIGTERM')
    cluster.thaw()
    expect(code).toBe(0)
    expect(performance.now() - begun).toBeLessThan(8000)
  }, 40_000)

  test('that is frozen lets the callbacks of one address wait beside each other, not one after the other', async () => {
    const example = await start(await newDatabase())
    const visitors = ['1', '2', '3', '1', '2'].map((id) => new Visitor(provider, application, id))
    for (const visitor of visitors) await visitor.begin(example.appURL)
    cluster.freeze()
    const begun = performance.now()
    await Promise.all(visitors.map((visitor) => visitor.comeBack(example.appURL)))
    expect(performance.now() - begun).toBeLessThan(13_000)
    cluster.thaw()
    await example.stop('SIGKILL')
  }, 40_000)

  test('behind connections that have fallen silent is reached by new ones within 15 seconds', async () => {
    const proxy = await startPostgresProxy(await newDatabase())
    const example = await start(proxy.url)
    const visitors = Array.from({ length: 8 }, () => new Visitor(provider, application, '1'))
    await Promise.all(visitors.map((visitor) => visitor.signIn(example.appURL)))
    proxy.silence()
    proxy.restore()
    const restored = performance.now()
    // One person pays for it; the others have new connections.
    expect((await visitors[0]?.browser.request(`${example.appURL}/profile`))?.status).toBe(503)
    const answers = await Promise.all(visitors.map((visitor) => visitor.whoAmI(example.appURL)))
    expect(answers.map((answer) => answer?.['id'])).toEqual(visitors.map(() => '1'))
    await untilHealth(example, 200)
    expect(performance.now() - restored).toBeLessThan(15_000)
    expect(await example.stop('SIGTERM')).toBe(0)
    await proxy.stop()
  }, 40_000)

  test('whose connections have become read-only gets new ones, which reach the new primary', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const { pathname } = new URL(url)
    const name = pathname.slice(1)
    expect(await health(example)).toBe(200)
    await asSuperuser(url, async (client) => {
      await client.query(`alter database "${name}" set default_transaction_read_only = on`)
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> $2', [
        name,
        (await client.query('select pg_backend_pid() as pid')).rows[0].pid,
      ])
      await untilHealth(example, 503)
      await client.query('set transaction_read_only = off')
      await client.query('begin read write')
      await client.query(`alter database "${name}" reset default_transaction_read_only`)
      await client.query('commit')
    })
    const writable = performance.now()
    await untilHealth(example, 200)
    expect(await new Visitor(provider, application, '1').signIn(example.appURL)).toBe('/profile')
    expect(performance.now() - writable).toBeLessThan(5000)
    await example.stop('SIGKILL')
  }, 40_000)

  describe.each(['search_path = nowhere', 'default_transaction_read_only = on'])(
    'with new connections for which %s',
    (setting) => {
      const cutIdle = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'idle' and query not like '%storage_checks%'`
      const change = async (client: Client, url: string, how: string): Promise<void> => {
        await client.query(`alter database "${new URL(url).pathname.slice(1)}" ${how}`)
      }
      const set = (client: Client, url: string): Promise<void> => change(client, url, `set ${setting}`)
      const reset = (client: Client, url: string): Promise<void> =>
        change(client, url, `reset ${setting.split(' ')[0]}`)

      test('is noticed at /healthz, although its own connection is older, and nobody signs in', async () => {
        const url = await newDatabase()
        const example = await start(url)
        expect(await health(example)).toBe(200)
        await asSuperuser(url, async (client) => {
          await set(client, url)
          // The pool closes its connections when nobody has used them for ten seconds.
          await untilHealth(example, 503)
          await reset(client, url)
        })
        await untilHealth(example, 200)
        await example.stop('SIGKILL')
      }, 20_000)

      test('is noticed at /healthz by the first login that fails, although some connections are older', async () => {
        const url = await newDatabase()
        const example = await start(url)
        const [ada, grace] = ['1', '2'].map((id) => new Visitor(provider, application, id))
        await ada?.signIn(example.appURL)
        await grace?.begin(example.appURL)
        expect(await health(example)).toBe(200)
        await asSuperuser(url, async (blocker) => {
          await set(blocker, url)
          await blocker.query('begin')
          await blocker.query('select id from sessions for update')
          const leaving = ada?.submit(`${example.appURL}/logout`)
          await untilSomebodyWaits(blocker)
          await blocker.query(cutIdle)
          expect((await grace?.comeBack(example.appURL))?.location).toBe('/login?reason=database_unavailable')
          // It may still give its last answer. A start would not do: it only reads.
          while ((await health(example)) !== 503) await new Visitor(provider, application, '3').signIn(example.appURL)
          await blocker.query('rollback')
          await leaving
          await reset(blocker, url)
        })
        await untilHealth(example, 200)
        expect(await grace?.signIn(example.appURL)).toBe('/profile')
        await example.stop('SIGKILL')
      }, 20_000)
    },
  )

  test('that is away for a moment is waited for by starts and callbacks, and in a longer outage nobody waits for long', async () => {
    const example = await start(await newDatabase())
    const [ada, grace] = [new Visitor(provider, application, '1'), new Visitor(provider, application, '2')]
    await ada.begin(example.appURL)
    await cluster.halt()
    const back = ada.comeBack(example.appURL)
    const begin = grace.begin(example.appURL)
    await delay(1500)
    await cluster.resume()
    expect([(await back).location, (await begin).status]).toEqual(['/login/confirm', 302])
    await delay(2100)
    await cluster.halt()
    expect((await grace.begin(example.appURL)).status).toBe(503)
    const begun = performance.now()
    expect((await grace.begin(example.appURL)).status).toBe(503)
    expect(performance.now() - begun).toBeLessThan(1000)
    await cluster.resume()
    await untilHealth(example, 200)
    expect(await grace.signIn(example.appURL)).toBe('/profile')
    await example.stop('SIGKILL')
  }, 30_000)

  test('that is away is tried by one of all the requests that wait for it, not by each', async () => {
    const proxy = await startPostgresProxy(await newDatabase())
    const example = await start(proxy.url)
    proxy.close()
    const visitors = Array.from({ length: 40 }, () => new Visitor(provider, application, '1'))
    const starts = visitors.map((visitor) => visitor.begin(example.appURL))
    while (proxy.closed() <= visitors.length) await delay(10)
    await delay(1500)
    const tries = proxy.closed()
    proxy.restore()
    expect((await Promise.all(starts)).map(({ status }) => status)).toEqual(Array(40).fill(302))
    // Each tries once. If each tried ten times a second, it would be 600.
    expect(tries).toBeLessThan(100)
    await example.stop('SIGKILL')
    await proxy.stop()
  }, 20_000)

  test('that is away for a moment, again and again, is waited for each time', async () => {
    const proxy = await startPostgresProxy(await newDatabase())
    const example = await start(proxy.url)
    for (let time = 0; time < 4; time += 1) {
      proxy.close()
      const starts = ['1', '2', '3'].map((id) => new Visitor(provider, application, id).begin(example.appURL))
      await delay(700)
      proxy.restore()
      expect((await Promise.all(starts)).map(({ status }) => status)).toEqual([302, 302, 302])
      await delay(1000)
    }
    await example.stop('SIGKILL')
    await proxy.stop()
  }, 20_000)

  test('that is away for a moment, just after a long outage, is waited for', async () => {
    const proxy = await startPostgresProxy(await newDatabase())
    const example = await start(proxy.url)
    const begin = (): Promise<number> =>
      new Visitor(provider, application, '1').begin(example.appURL).then(({ status }) => status)
    proxy.close()
    expect(await begin()).toBe(503)
    proxy.restore()
    expect(await begin()).toBe(302)
    proxy.close()
    const again = begin()
    await delay(500)
    proxy.restore()
    expect(await again).toBe(302)
    await example.stop('SIGKILL')
    await proxy.stop()
  }, 20_000)

  test('is waited for, although somebody has just waited in vain for a lock', async () => {
    const url = await newDatabase()
    const proxy = await startPostgresProxy(url)
    const example = await start(proxy.url)
    const ada = new Visitor(provider, application, '1')
    await ada.signIn(example.appURL)
    await asSuperuser(url, async (blocker) => {
      await blocker.query('begin')
      await blocker.query('select id from sessions for update')
      expect((await ada.submit(`${example.appURL}/logout`)).status).toBe(503)
      await blocker.query('rollback')
    })
    proxy.close()
    const begin = new Visitor(provider, application, '2').begin(example.appURL)
    await delay(500)
    proxy.restore()
    expect((await begin).status).toBe(302)
    await example.stop('SIGKILL')
    await proxy.stop()
  }, 20_000)

  // The first columns, because other statements insert nothing into these tables.
  test.each(['federated_credentials (id, provider', 'callback_slots (address, slot, id', 'sessions (id, user_id'])(
    'whose answer to a statement of a first sign-in is lost (insert into %s) costs no login, and leaves no slot taken',
    async (statement) => {
      const url = await newDatabase()
      const proxy = await startPostgresProxy(url)
      const example = await start(proxy.url)
      const ada = new Visitor(provider, application, '1')
      await ada.begin(example.appURL)
      proxy.loseAnswerTo(statement)
      expect((await ada.comeBack(example.appURL)).location).toBe('/login/confirm')
      expect(proxy.lostAnswers()).toBe(1)
      expect(await ada.confirm(example.appURL)).toBe('/profile')
      await asSuperuser(url, async (client) => {
        while ((await client.query('select id from callback_slots')).rows.length > 0) await delay(10)
        expect((await client.query('select id from users')).rows).toHaveLength(1)
        expect((await client.query('select id from sessions where user_id is not null')).rows).toHaveLength(1)
      })
      await example.stop('SIGKILL')
      await proxy.stop()
    },
    20_000,
  )

  test('whose open connections are reset at their next use costs no request', async () => {
    const proxy = await startPostgresProxy(await newDatabase())
    const example = await start(proxy.url)
    const visitors = Array.from({ length: 8 }, () => new Visitor(provider, application, '1'))
    await Promise.all(visitors.map((visitor) => visitor.signIn(example.appURL)))
    proxy.forget()
    const statuses: (number | undefined)[] = []
    for (const { browser } of visitors) statuses.push((await browser.request(`${example.appURL}/profile`)).status)
    expect(statuses).toEqual(Array(8).fill(200))
    await example.stop('SIGKILL')
    await proxy.stop()
  }, 20_000)

  test('that becomes read-only while the provider is asked, as in a failover, costs no key', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const { pathname } = new URL(url)
    const name = pathname.slice(1)
    const setReadOnly = (value: 'on' | 'off'): Promise<void> =>
      asSuperuser(Object.assign(new URL(url), { pathname: '/postgres' }).href, async (client) => {
        await client.query(`alter database "${name}" set default_transaction_read_only = ${value}`)
        await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
      })
    const ada = new Visitor(provider, application, '1')
    await ada.begin(example.appURL)
    provider.failNext('authorize', { delay: 1500, rewrite: (body) => body })
    const back = ada.comeBack(example.appURL)
    await delay(300)
    await setReadOnly('on')
    await delay(2000)
    await setReadOnly('off')
    expect((await back).location).toBe('/login/confirm')
    await example.stop('SIGKILL')
  }, 40_000)

  test('that lets a callback wait once its key is spent costs no login of who reloads the page', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const ada = new Visitor(provider, application, '1')
    await ada.signIn(example.appURL)
    const chess = new Visitor(provider, application, '2', {}, ada.browser)
    await chess.submit(`${example.appURL}/account/link`)
    await asSuperuser(url, async (blocker) => {
      await blocker.query('begin')
      await blocker.query('select id from sessions for update')
      const key = chess.newKey()
      const first = chess.comeBack(example.appURL, key)
      await untilSomebodyWaits(blocker)
      const second = chess.comeBack(example.appURL, key)
      await untilSomebodyWaits(blocker, 'pid', 2)
      const stranger = new Browser().comeBack(`${example.appURL}/auth/social-login/callback?auth_key=${key}`)
      expect((await stranger).location).toBe('/login?reason=login_not_started')
      await blocker.query('rollback')
      expect([(await first).location, (await second).location]).toEqual(['/login/confirm', '/login/confirm'])
    })
    expect(await chess.confirm(example.appURL)).toBe('/account?notice=linked')
    await example.stop('SIGKILL')
  }, 20_000)

  test('that lets a callback wait for its slot costs no login of who reloads the page, nor of others at that address', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const [ada, grace] = [new Visitor(provider, application, '1'), new Visitor(provider, application, '2')]
    await ada.begin(example.appURL)
    await grace.begin(example.appURL)
    await asSuperuser(url, async (blocker) => {
      await blocker.query('begin')
      await blocker.query('lock table callback_slots')
      const key = ada.newKey()
      const first = ada.comeBack(example.appURL, key)
      await untilSomebodyWaits(blocker)
      const second = ada.comeBack(example.appURL, key)
      const other = grace.comeBack(example.appURL)
      // Longer than a callback waits for the slot of another one.
      await delay(5200)
      await blocker.query('rollback')
      for (const back of [first, second, other]) expect((await back).location).toBe('/login/confirm')
    })
    expect(await ada.confirm(example.appURL)).toBe('/profile')
    await example.stop('SIGKILL')
  }, 20_000)

  test('that cuts a connection as a callback ends leaves no slot of its address taken', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const ada = new Visitor(provider, application, '1')
    await ada.begin(example.appURL)
    await asSuperuser(url, async (blocker) => {
      const slots = async (): Promise<number> => (await blocker.query('select id from callback_slots')).rows.length
      provider.failNext('authorize', { delay: 1000, rewrite: (body) => body })
      const back = ada.comeBack(example.appURL)
      while ((await slots()) === 0) await delay(10)
      await blocker.query('begin')
      await blocker.query('lock table callback_slots')
      expect((await back).location).toBe('/login/confirm')
      await cutWhoWaits(blocker)
      await blocker.query('rollback')
      while ((await slots()) > 0) await delay(10)
    })
    await example.stop('SIGKILL')
  }, 10_000)

  test('that lets a callback wait for longer than its first request does costs no login of who reloads the page twice', async () => {
    const url = await newDatabase()
    const example = await start(url)
    await new Visitor(provider, application, '1').signIn(example.appURL)
    const ada = new Visitor(provider, application, '1')
    await ada.begin(example.appURL)
    await asSuperuser(url, async (blocker) => {
      await blocker.query('begin')
      await blocker.query('select id from federated_credentials for update')
      const callback = `${example.appURL}/auth/social-login/callback?auth_key=${ada.newKey()}`
      // Without a jar: a browser does not see the answers to requests that it has given up.
      const headers = { cookie: await ada.browser.cookies(callback) }
      const comeBack = () => new Browser(headers).comeBack(callback)
      const first = comeBack()
      await untilSomebodyWaits(blocker)
      await delay(3000)
      const second = comeBack()
      // Postgres gives up the statement of the first after six seconds.
      expect((await first).location).toBe('/login?reason=database_unavailable')
      const third = comeBack()
      await untilSomebodyWaits(blocker, 'pid', 2)
      await blocker.query('rollback')
      expect([(await second).location, (await third).location]).toEqual(['/login/confirm', '/login/confirm'])
    })
    await example.stop('SIGKILL')
  }, 20_000)

  test('may have further columns that nobody writes', async () => {
    const url = await newDatabase()
    const example = await start(url)
    await asSuperuser(url, async (client) => {
      for (const table of ['users', 'federated_credentials', 'sessions', 'callback_slots']) {
        await client.query(`alter table ${table} add column number bigint generated always as identity,
          add column one integer generated always as (1) stored`)
      }
    })
    expect(await health(example)).toBe(200)
    expect(await new Visitor(provider, application, '1').signIn(example.appURL)).toBe('/profile')
    await example.stop('SIGKILL')
  }, 10_000)

  test('that is slow lets one key make no more than eleven sessions, however often its callback is repeated', async () => {
    const url = await newDatabase()
    const example = await start(url, { DATABASE_POOL_SIZE: '20' })
    await new Visitor(provider, application, '2').signIn(example.appURL)
    const chess = new Visitor(provider, application, '2')
    await chess.begin(example.appURL)
    await asSuperuser(url, async (blocker) => {
      await blocker.query('begin')
      await blocker.query('select id from federated_credentials for update')
      const callback = `${example.appURL}/auth/social-login/callback?auth_key=${chess.newKey()}`
      // Without a jar, so that all of them carry the cookies of the first.
      const headers = { cookie: await chess.browser.cookies(callback) }
      const comeBack = async (): Promise<string> => (await new Browser(headers).comeBack(callback)).location
      const first = comeBack()
      await untilSomebodyWaits(blocker)
      const repeated = Array.from({ length: 30 }, comeBack)
      await untilSomebodyWaits(blocker, 'pid', 11)
      await blocker.query('rollback')
      const answers = await Promise.all([first, ...repeated])
      expect(answers.filter((location) => location === '/login/confirm')).toHaveLength(11)
      const { rows } = await blocker.query('select id from sessions')
      expect(rows).toHaveLength(1 + 11)
    })
    await example.stop('SIGKILL')
  }, 20_000)

  test('lets one key make no more than nineteen sessions, however often its callback is repeated while the provider is slow', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const chess = new Visitor(provider, application, '2')
    await chess.begin(example.appURL)
    const callback = `${example.appURL}/auth/social-login/callback?auth_key=${chess.newKey()}`
    const headers = { cookie: await chess.browser.cookies(callback) }
    provider.failNext('authorize', { delay: 1500, rewrite: (body) => body })
    const comeBack = async (): Promise<string> => (await new Browser(headers).comeBack(callback)).location
    const answers = await Promise.all(Array.from({ length: 60 }, comeBack))
    const signedIn = answers.filter((location) => location === '/login/confirm')
    expect(signedIn.length).toBeGreaterThan(10)
    await asSuperuser(url, async (client) => {
      const { rows } = await client.query('select id from sessions')
      expect(rows.length).toBe(signedIn.length)
      expect(rows.length).toBeLessThanOrEqual(19)
    })
    await example.stop('SIGKILL')
  }, 20_000)

  test('whose certificate has expired is an outage, until it is renewed', async () => {
    const { ca, good, expired } = makeCertificates()
    const folder = temporaryFolder()
    writeFileSync(join(folder.path, 'ca.pem'), ca)
    const proxy = await startPostgresTLSProxy(await newDatabase(), good)
    const example = await start(`${proxy.url}?sslmode=verify-full&sslrootcert=${join(folder.path, 'ca.pem')}`)
    proxy.certify(expired)
    await untilHealth(example, 503)
    const ada = new Visitor(provider, application, '1')
    const { status, headers } = await ada.begin(example.appURL)
    expect([status, headers['retry-after']]).toEqual([503, '5'])
    proxy.certify(good)
    await untilHealth(example, 200)
    expect(await ada.signIn(example.appURL)).toBe('/profile')
    await example.stop('SIGKILL')
    await proxy.stop()
    folder.remove()
  }, 20_000)

  test('gets no more connections than DATABASE_POOL_SIZE, and one for /healthz', async () => {
    const url = await newDatabase()
    const example = await start(url, { DATABASE_POOL_SIZE: '3' })
    await asSuperuser(url, async (client) => {
      const visitors = Array.from({ length: 30 }, () => new Visitor(provider, application, '1'))
      await Promise.all([health(example), ...visitors.map((visitor) => visitor.signIn(example.appURL))])
      const open = await client.query(`select pid from pg_stat_activity
        where application_name = 'passport-social-login-example' and datname = current_database()`)
      expect(open.rows.length).toBe(4)
    })
    await example.stop('SIGKILL')
    for (const wrong of ['0', '101', '-1', 'ten']) {
      const { code, output } = await runExample({ PORT: '0', DATA_DIR: '/nonexistent', DATABASE_POOL_SIZE: wrong })
      expect([code, output]).toEqual([1, expect.stringContaining('  - DATABASE_POOL_SIZE must be a number')])
    }
  }, 30_000)

  test.each(['federated_credentials', 'sessions'])(
    'that cuts the connection on which a login is written to %s loses no login, and spends no key in vain',
    async (table) => {
      const url = await newDatabase()
      const example = await start(url)
      const ada = new Visitor(provider, application, '1')
      await ada.begin(example.appURL)
      await asSuperuser(url, async (blocker) => {
        await blocker.query('begin')
        provider.failNext('authorize', { delay: 500, rewrite: (body) => body })
        const back = ada.comeBack(example.appURL)
        // Not earlier, because a callback that finds a table locked waits before it takes a slot and spends its key.
        while ((await blocker.query('select id from callback_slots')).rows.length === 0) await delay(10)
        await blocker.query(`lock table ${table} in exclusive mode`)
        await cutWhoWaits(blocker)
        await blocker.query('rollback')
        expect((await back).location).toBe('/login/confirm')
        expect((await blocker.query('select id from users')).rows).toHaveLength(1)
      })
      expect((await ada.whoAmI(example.appURL))?.['id']).toBe('1')
      await example.stop('SIGKILL')
    },
    20_000,
  )

  test('that comes back from a long outage while a callback has its profile loses no login, and leaves no slot taken', async () => {
    const url = await newDatabase()
    const proxy = await startPostgresProxy(url)
    const example = await start(proxy.url)
    const ada = new Visitor(provider, application, '1')
    await ada.begin(example.appURL)
    provider.failNext('authorize', { delay: 5500, rewrite: (body) => body })
    const back = ada.comeBack(example.appURL)
    await asSuperuser(url, async (client) => {
      const slots = async (): Promise<number> => (await client.query('select id from callback_slots')).rows.length
      while ((await slots()) === 0) await delay(10)
      proxy.close()
      const begun = performance.now()
      // As long as others meet it, it is one outage, in which nobody waits after its first seconds.
      while (performance.now() - begun < 6000) {
        await new Visitor(provider, application, '2').begin(example.appURL)
        await delay(300)
      }
      proxy.restore()
      expect((await back).location).toBe('/login/confirm')
      while ((await slots()) > 0) await delay(10)
    })
    await example.stop('SIGKILL')
    await proxy.stop()
  }, 20_000)

  test('that refuses to end the session before a sign-in signs nobody out, and leaves no other session behind', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const ada = new Visitor(provider, application, '1')
    await ada.signIn(example.appURL)
    await ada.begin(example.appURL)
    await asSuperuser(url, async (client) => {
      await client.query(`create function refuse() returns trigger language plpgsql as
        'begin raise exception $no$no session ends$no$; end'`)
      await client.query(`create trigger refuse before update on sessions for each row
        when (new.data is null) execute function refuse()`)
      expect((await ada.comeBack(example.appURL)).location).toMatch(/=failed_here$/)
      await client.query('drop trigger refuse on sessions')
      expect((await ada.whoAmI(example.appURL))?.['id']).toBe('1')
      expect((await client.query('select id from sessions where user_id is not null')).rows).toHaveLength(1)
    })
    await example.stop('SIGKILL')
  }, 20_000)

  test('that cuts the connection on which a sign-in ends the session before it does not let that session go on', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const ada = new Visitor(provider, application, '1')
    await ada.signIn(example.appURL)
    await ada.begin(example.appURL)
    await asSuperuser(url, async (blocker) => {
      await blocker.query('begin')
      await blocker.query('select id from sessions for update')
      const back = ada.comeBack(example.appURL)
      await cutWhoWaits(blocker)
      await blocker.query('rollback')
      expect((await back).location).toBe('/profile')
      expect((await blocker.query('select id from sessions where user_id is not null')).rows).toHaveLength(1)
    })
    expect((await ada.whoAmI(example.appURL))?.['id']).toBe('1')
    await example.stop('SIGKILL')
  }, 20_000)

  test.each([
    ['locked', 'begin; lock table users in share mode', 'rollback'],
    ['locked', 'begin; lock table sessions in exclusive mode', 'rollback'],
    ['locked', 'begin; lock table callback_slots in share mode', 'rollback'],
    [
      'missing',
      'alter table users rename to users_that_are_restored',
      'alter table users_that_are_restored rename to users',
    ],
    [
      'missing',
      'alter table callback_slots rename to slots_that_are_restored',
      'alter table slots_that_are_restored rename to callback_slots',
    ],
    [
      'without its key',
      'alter table federated_credentials drop constraint federated_credentials_provider_subject_key',
      'alter table federated_credentials add unique (provider, subject)',
    ],
    [
      'without its key',
      'alter table sessions drop constraint sessions_pkey',
      'alter table sessions add primary key (id)',
    ],
  ])(
    'in which a table is %s (%s) is noticed at /healthz, and spends no keys',
    async (_way, breakIt, repairIt) => {
      const url = await newDatabase()
      const example = await start(url)
      const exchanges = (): number => provider.requests.filter(({ endpoint }) => endpoint === 'authorize').length
      const ada = new Visitor(provider, application, '1')
      await ada.begin(example.appURL)
      const [key, before] = [ada.newKey(), exchanges()]
      await asSuperuser(url, async (client) => {
        await client.query(breakIt)
        const back = ada.comeBack(example.appURL, key)
        await untilHealth(example, 503)
        expect((await back).location).toBe('/login?reason=database_unavailable')
        await client.query(repairIt)
      })
      expect(exchanges()).toBe(before)
      await untilHealth(example, 200)
      expect((await ada.comeBack(example.appURL, key)).location).toBe('/login/confirm')
      await example.stop('SIGKILL')
    },
    20_000,
  )

  describe('that admits no more connections', () => {
    const asLimited = async (limit: number): Promise<{ url: string; role: string }> => {
      const url = new URL(await newDatabase())
      const role = `limited_${databases}`
      await asSuperuser(url.href, async (client) => {
        await client.query(`create role ${role} login connection limit ${limit}`)
        await client.query(`alter database "${url.pathname.slice(1)}" owner to ${role}`)
      })
      url.username = role
      return { url: url.href, role }
    }

    test('gets the logins of many people through the few that there are', async () => {
      const { url, role } = await asLimited(2)
      const example = await start(url)
      expect(await health(example)).toBe(200)
      const visitors = ['1', '2', '3', '1', '2', '3', '1', '2'].map((id) => new Visitor(provider, application, id))
      const ends = await Promise.all(visitors.map((visitor) => visitor.signIn(example.appURL)))
      expect(ends).toEqual(visitors.map(() => '/profile'))
      // Logins may take the connection of /healthz as well, when the server has cut all of them.
      const cut = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`
      await asSuperuser(url.replace(role, 'postgres'), (client) => client.query(cut))
      await Promise.all(visitors.map((visitor) => visitor.whoAmI(example.appURL)))
      await delay(1100)
      expect(await health(example)).toBe(200)
      await example.stop('SIGKILL')
    }, 20_000)

    test('is noticed at /healthz when logins get none', async () => {
      const { url, role } = await asLimited(1)
      const example = await start(url)
      // The one that there is belongs to /healthz.
      await untilHealth(example, 503)
      expect((await new Visitor(provider, application, '1').begin(example.appURL)).status).toBe(503)
      await asSuperuser(url.replace(role, 'postgres'), (client) =>
        client.query(`alter role ${role} connection limit 2`),
      )
      await untilHealth(example, 200)
      expect(await new Visitor(provider, application, '1').signIn(example.appURL)).toBe('/profile')
      await example.stop('SIGKILL')
    }, 20_000)
  })

  test('whose disk is full is noticed by the first login that fails, and spends no further keys', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const exchanges = (): number => provider.requests.filter(({ endpoint }) => endpoint === 'authorize').length
    const [first, ...others] = ['1', '2', '3'].map((id) => new Visitor(provider, application, id))
    for (const visitor of [first, ...others]) await visitor?.begin(example.appURL)
    const before = exchanges()
    await asSuperuser(url, async (client) => {
      await client.query(`create function no_space() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`)
      await client.query('create trigger no_space before insert on users for each row execute function no_space()')
    })
    for (const visitor of [first, ...others]) {
      expect((await visitor?.comeBack(example.appURL))?.location).toBe('/login?reason=database_unavailable')
    }
    expect(exchanges()).toBe(before + 1)
    expect(await health(example)).toBe(503)
    await asSuperuser(url, (client) => client.query('drop trigger no_space on users'))
    await untilHealth(example, 200)
    expect(await others[0]?.signIn(example.appURL)).toBe('/profile')
    await example.stop('SIGKILL')
  }, 30_000)

  test('that cuts connections in the middle of a transaction, twelve times, costs no request and ends no process', async () => {
    const url = await newDatabase()
    const example = await start(url)
    await asSuperuser(url, async (blocker) => {
      for (let round = 0; round < 12; round++) {
        const ada = new Visitor(provider, application, '3')
        await ada.begin(example.appURL)
        expect((await ada.comeBack(example.appURL)).location).toBe('/login/confirm')
        const confirmation = await ada.question(example.appURL)
        await blocker.query('begin')
        await blocker.query('select * from users for update')
        const answer = ada.submit(`${example.appURL}/login/confirm`, { confirmation, decision: 'not-me' })
        await cutWhoWaits(blocker)
        await blocker.query('rollback')
        expect((await answer).location).toBe('/login?reason=not_me')
        expect(await health(example)).toBe(200)
      }
    })
    expect(await new Visitor(provider, application, '3').signIn(example.appURL)).toBe('/profile')
    await example.stop('SIGKILL')
  }, 40_000)
})
