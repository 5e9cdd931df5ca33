import { setTimeout as delay } from 'node:timers/promises'
import { Accounts } from '../../../example-app/storage/accounts'
import { DatabaseUnavailableError } from '../../../example-app/storage/database'
import { openDatabase } from '../../../example-app/storage/open-database'
import { migrate } from '../../../example-app/storage/schema'
import type { RunningExample } from '../../support/example/example-app'
import { useExamples } from '../../support/example/use-examples'
import { healthOf, untilHealth, usePostgres } from '../../support/example/use-postgres'
import type { Visitor } from '../../support/example/visitor'
import { asSuperuser, describeWithPostgres, endConnections } from '../../support/postgres/postgres'

const BRIEF_MS = 1500
const UNAVAILABLE = '/login?reason=database_unavailable'
/** Of the answer to a callback, whose key must not stay in the address bar. */
const LED_AWAY = { 'retry-after': '5', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

describeWithPostgres('a Postgres that is away', () => {
  const examples = useExamples('each test')
  const postgres = usePostgres(examples)
  const { newDatabase, startProxy, startOn } = postgres
  const { visitor: newVisitor, exchanges } = examples

  /** An example with a database that can be broken and repaired. */
  interface Breakable {
    readonly example: RunningExample
    breakIt(): Promise<void> | void
    repairIt(): Promise<void> | void
  }
  const halted = (url: string) => ({
    url,
    breakIt: () => postgres.cluster.halt(),
    repairIt: () => postgres.cluster.resume(),
  })
  const FAULTS: Readonly<Record<string, () => Promise<Omit<Breakable, 'example'> & { readonly url: string }>>> = {
    'is down': async () => halted(await newDatabase()),
    'is down, and is reached by its Unix socket': async () => halted(postgres.cluster.bySocket(await newDatabase())),
    'closes all connections': async () => {
      const proxy = await startProxy(await newDatabase())
      return { url: proxy.url, breakIt: () => proxy.refuse(), repairIt: () => proxy.accept() }
    },
    'is read-only, as in a failover': async () => {
      const url = await newDatabase()
      const { setReadOnly } = postgres.cluster
      return { url, breakIt: () => setReadOnly(url, true), repairIt: () => setReadOnly(url, false) }
    },
    'is frozen': async () => ({
      url: await newDatabase(),
      breakIt: () => postgres.cluster.freeze(),
      repairIt: () => postgres.cluster.thaw(),
    }),
  }
  const prepare = async (fault: string): Promise<Breakable> => {
    const ways = await FAULTS[fault]?.()
    if (!ways) throw new Error(`There is no fault ${fault}`)
    return { ...ways, example: await startOn(ways.url) }
  }

  const MOMENTS: Readonly<Record<string, (fault: Breakable, ada: Visitor) => Promise<void>>> = {
    'at the start of a login': async (fault, ada) => {
      await during(fault, () => ada.begin(fault.example.appURL))
      expect((await ada.comeBack(fault.example.appURL)).location).toBe('/login/confirm')
      expect(await ada.confirm(fault.example.appURL)).toBe('/profile')
    },
    'at the callback': async (fault, ada) => {
      await ada.begin(fault.example.appURL)
      const back = await during(fault, () => ada.comeBack(fault.example.appURL))
      expect(back.location).toBe('/login/confirm')
      expect(await ada.confirm(fault.example.appURL)).toBe('/profile')
    },
    'while the provider is asked': async (fault, ada) => {
      await ada.begin(fault.example.appURL)
      examples.provider.failNext('authorize', { delay: 1000, rewrite: (body) => body })
      const before = exchanges()
      const back = ada.comeBack(fault.example.appURL)
      while (exchanges() === before) await delay(10)
      await during(fault, () => delay(500))
      expect((await back).location).toBe('/login/confirm')
      expect(await ada.confirm(fault.example.appURL)).toBe('/profile')
    },
    'at the answer to the question': async (fault, ada) => {
      await ada.begin(fault.example.appURL)
      await ada.comeBack(fault.example.appURL)
      const question = await ada.question(fault.example.appURL)
      const answer = await during(fault, () => ada.answer(fault.example.appURL, question, 'continue'))
      expect(answer).toBe('/profile')
    },
  }
  const during = async <T>(fault: Breakable, work: () => Promise<T>): Promise<T> => {
    await fault.breakIt()
    const result = work()
    await delay(BRIEF_MS)
    await fault.repairIt()
    return result
  }

  test.each(Object.keys(FAULTS).flatMap((fault) => Object.keys(MOMENTS).map((moment) => [fault, moment] as const)))(
    'and %s for a moment %s, costs no login',
    async (name, moment) => {
      const fault = await prepare(name)
      const ada = newVisitor('1')
      await MOMENTS[moment]?.(fault, ada)
      expect((await ada.whoAmI(fault.example.appURL))?.['id']).toBe('1')
    },
  )

  test.each(Object.keys(FAULTS))(
    'and %s for long, is noticed at /healthz, spends no key, and signs no one out',
    async (name) => {
      const fault = await prepare(name)
      const { example } = fault
      const [ada, grace] = [newVisitor('1'), newVisitor('2')]
      expect(await ada.signIn(example.appURL)).toBe('/profile')
      await grace.begin(example.appURL)
      const [key, before] = [grace.newKey(), exchanges()]
      await fault.breakIt()
      await untilHealth(example, 503)
      const back = await grace.comeBack(example.appURL, key)
      expect(back).toMatchObject({ status: 303, location: UNAVAILABLE, headers: LED_AWAY })
      const exit = await ada.submit(`${example.appURL}/logout`)
      expect([exit.status, exit.headers['retry-after']]).toStrictEqual([503, '5'])
      expect(exchanges()).toBe(before)
      await fault.repairIt()
      await untilHealth(example, 200)
      expect((await grace.comeBack(example.appURL, key)).location).toBe('/login/confirm')
      expect((await ada.whoAmI(example.appURL))?.['id']).toBe('1')
      const lines = example.output().match(/the database can(not)? be used/g)
      expect(lines?.slice(0, 2)).toStrictEqual(['the database cannot be used', 'the database can be used'])
    },
  )

  test('and is frozen does not keep a process from ending, whose requests have been given up', async () => {
    const { example, breakIt, repairIt } = await prepare('is frozen')
    await Promise.all([1, 2, 3, 4].map(() => newVisitor('1').begin(example.appURL)))
    await breakIt()
    const visitor = new AbortController()
    const asked = fetch(`${example.appURL}/auth/social-login`, visitor).catch(() => 'gone')
    await delay(500)
    const begun = performance.now()
    const ended = example.stop('SIGTERM')
    visitor.abort()
    await asked
    expect(await ended).toBe(0)
    await repairIt()
    expect(performance.now() - begun).toBeLessThan(15_000)
    // In no terminal.
    expect(example.output()).not.toMatch(/^ {4}at /m)
  })

  test('behind connections that have fallen silent is reached by new ones within 15 seconds', async () => {
    const proxy = await startProxy(await newDatabase())
    const example = await startOn(proxy.url)
    const visitors = Array.from({ length: 8 }, () => newVisitor('1'))
    await Promise.all(visitors.map((visitor) => visitor.signIn(example.appURL)))
    proxy.silenceOpen()
    const restored = performance.now()
    for (const visitor of visitors) while ((await visitor.whoAmI(example.appURL)) === undefined) await delay(10)
    await untilHealth(example, 200)
    expect(performance.now() - restored).toBeLessThan(15_000)
    expect(await example.stop('SIGTERM')).toBe(0)
  })
})

describeWithPostgres('a Postgres that breaks single connections', () => {
  const examples = useExamples('each test')
  const postgres = usePostgres(examples)
  const { newDatabase, startProxy, startOn } = postgres
  const { visitor: newVisitor } = examples

  test.each(['insert into federated_credentials', 'insert into sessions', 'insert into users', 'commit'])(
    'and loses the answer to "%s" costs no login, and makes one account',
    async (statement) => {
      const url = await newDatabase()
      const proxy = await startProxy(url)
      const example = await startOn(proxy.url)
      const ada = newVisitor('1')
      await ada.begin(example.appURL)
      proxy.loseAnswerTo(statement)
      expect((await ada.comeBack(example.appURL)).location).toBe('/login/confirm')
      expect(await ada.confirm(example.appURL)).toBe('/profile')
      expect(proxy.lostAnswers).toBe(1)
      await asSuperuser(url, async (client) => {
        expect((await client.query('select id from users')).rows).toHaveLength(1)
        expect((await client.query('select id from sessions where user_id is not null')).rows).toHaveLength(1)
      })
    },
  )

  /** The storage alone, through a proxy. */
  const openStorage = async () => {
    const url = await newDatabase()
    const proxy = await startProxy(url)
    const database = openDatabase(proxy.url, '')
    examples.stopLater({ stop: () => database.close() })
    await migrate(database)
    const accounts = new Accounts(database)
    const signIn = (subject: string) =>
      accounts.findOrCreate({ provider: 'one', subject, person: { displayName: subject }, sealedToken: 'sealed' })
    return { url, proxy, database, accounts, signIn }
  }

  test('and loses the answer to the removal of a login reports that it is removed', async () => {
    const { proxy, accounts, signIn } = await openStorage()
    const { login, userID } = await signIn('1')
    const further = await signIn('2')
    await accounts.confirm(login.id, userID)
    expect(await accounts.link(further.login.id, userID)).toBe('linked')
    proxy.loseAnswerTo('commit')
    expect(await accounts.unlink(login.id, userID, ['one'])).toBe(true)
    expect(proxy.lostAnswers).toBe(1)
    expect(await accounts.unlink(further.login.id, userID, ['one'])).toBe(false)
  })

  test('and lets one statement wait, while others succeed, costs it fifteen seconds at most', async () => {
    const { url, database, signIn } = await openStorage()
    await asSuperuser(url, async (blocker) => {
      await blocker.query('begin')
      await blocker.query('lock table users')
      let hasEnded = false
      const begun = performance.now()
      const waiting = signIn('1')
        .catch((error: unknown) => error)
        .finally(() => {
          hasEnded = true
        })
      for (const deadline = begun + 20_000; !hasEnded && performance.now() < deadline; ) {
        await database.query('select count(*) from sessions')
        await delay(50)
      }
      await blocker.query('rollback')
      expect(await waiting).toBeInstanceOf(DatabaseUnavailableError)
      expect(performance.now() - begun).toBeLessThan(15_000)
    })
  })

  test('and resets those that are open at their next use costs no request', async () => {
    const proxy = await startProxy(await newDatabase())
    const example = await startOn(proxy.url)
    const visitors = Array.from({ length: 8 }, () => newVisitor('1'))
    await Promise.all(visitors.map((visitor) => visitor.signIn(example.appURL)))
    proxy.resetAtNextUse()
    const statuses: number[] = []
    for (const { browser } of visitors) statuses.push((await browser.request(`${example.appURL}/profile`)).status)
    expect(statuses).toEqual(Array(8).fill(200))
  })

  test('and ends the one on which a sign-in ends the session before it does not let that session continue', async () => {
    const url = await newDatabase()
    const example = await startOn(url)
    const ada = newVisitor('1')
    await ada.signIn(example.appURL)
    await ada.begin(example.appURL)
    await asSuperuser(url, async (blocker) => {
      await blocker.query('begin')
      await blocker.query('select id from sessions for update')
      const back = ada.comeBack(example.appURL)
      await cutWhoWaits(url)
      await blocker.query('rollback')
      expect((await back).location).toBe('/profile')
      expect((await blocker.query('select id from sessions where user_id is not null')).rows).toHaveLength(1)
    })
    expect((await ada.whoAmI(example.appURL))?.['id']).toBe('1')
  })

  test('and admits few gets the logins of many users through them', async () => {
    const url = new URL(await newDatabase())
    const name = url.pathname.slice(1)
    await asSuperuser(url.href, async (client) => {
      await client.query(`create role limited_${name} login connection limit 2`)
      await client.query(`alter database "${name}" owner to limited_${name}`)
    })
    url.username = `limited_${name}`
    const example = await startOn(url.href)
    const visitors = ['1', '2', '3', '1', '2', '3', '1', '2'].map((id) => newVisitor(id))
    const ends = await Promise.all(visitors.map((visitor) => visitor.signIn(example.appURL)))
    expect(ends).toEqual(visitors.map(() => '/profile'))
  })

  test('gets no more of them than DATABASE_POOL_SIZE, and one for /healthz', async () => {
    const url = await newDatabase()
    const example = await startOn(url, { DATABASE_POOL_SIZE: '3' })
    await asSuperuser(url, async (client) => {
      const visitors = Array.from({ length: 30 }, () => newVisitor('1'))
      await Promise.all([healthOf(example), ...visitors.map((visitor) => visitor.signIn(example.appURL))])
      const open = await client.query(`select pid from pg_stat_activity
        where application_name = 'passport-social-login-example' and datname = current_database()`)
      expect(open.rows.length).toBe(4)
    })
  })
})

/** Ends the connection that waits for a lock, as soon as there is one. */
async function cutWhoWaits(url: string): Promise<void> {
  while ((await endConnections(url, "wait_event_type = 'Lock'")) === 0) await delay(10)
}
