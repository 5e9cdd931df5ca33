import { setTimeout as delay } from 'node:timers/promises'
import { Browser } from '../../support/browser'
import {
  asSuperuser,
  cutWhoWaits,
  slotsTaken,
  untilSomebodyWaits,
  useTroubledPostgres,
} from '../../support/outages/troubled-postgres'
import { describeWithPostgres } from '../../support/postgres/postgres'

describeWithPostgres('a Postgres that fails or waits during a callback', () => {
  const postgres = useTroubledPostgres()
  const { newDatabase, startProxy, start, newVisitor, health } = postgres

  // The first columns, because other statements insert nothing into these tables.
  test.each(['federated_credentials (id, provider', 'callback_slots (address, slot, id', 'sessions (id, user_id'])(
    'whose answer to a statement of a first sign-in is lost (insert into %s) costs no login, and leaves no slot taken',
    async (statement) => {
      const url = await newDatabase()
      const proxy = await startProxy(url)
      const example = await start(proxy.url)
      const ada = newVisitor('1')
      await ada.begin(example.appURL)
      proxy.loseAnswerTo(statement)
      expect((await ada.comeBack(example.appURL)).location).toBe('/login/confirm')
      expect(proxy.lostAnswers()).toBe(1)
      expect(await ada.confirm(example.appURL)).toBe('/profile')
      await asSuperuser(url, async (client) => {
        while ((await slotsTaken(client)) > 0) await delay(10)
        expect((await client.query('select id from users')).rows).toHaveLength(1)
        expect((await client.query('select id from sessions where user_id is not null')).rows).toHaveLength(1)
      })
    },
    20_000,
  )

  test.each(['federated_credentials', 'sessions'])(
    'that cuts the connection on which a login is written to %s loses no login, and spends no key in vain',
    async (table) => {
      const url = await newDatabase()
      const example = await start(url)
      const ada = newVisitor('1')
      await ada.begin(example.appURL)
      await asSuperuser(url, async (blocker) => {
        await blocker.query('begin')
        postgres.provider.failNext('authorize', { delay: 500, rewrite: (body) => body })
        const back = ada.comeBack(example.appURL)
        // Not earlier, because a callback that finds a table locked waits before it takes a slot and spends its key.
        while ((await slotsTaken(blocker)) === 0) await delay(10)
        await blocker.query(`lock table ${table} in exclusive mode`)
        await cutWhoWaits(blocker)
        await blocker.query('rollback')
        expect((await back).location).toBe('/login/confirm')
        expect((await blocker.query('select id from users')).rows).toHaveLength(1)
      })
      expect((await ada.whoAmI(example.appURL))?.['id']).toBe('1')
    },
    20_000,
  )

  test('that cuts a connection as a callback ends leaves no slot of its address taken', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const ada = newVisitor('1')
    await ada.begin(example.appURL)
    await asSuperuser(url, async (blocker) => {
      postgres.provider.failNext('authorize', { delay: 1000, rewrite: (body) => body })
      const back = ada.comeBack(example.appURL)
      while ((await slotsTaken(blocker)) === 0) await delay(10)
      await blocker.query('begin')
      await blocker.query('lock table callback_slots')
      expect((await back).location).toBe('/login/confirm')
      await cutWhoWaits(blocker)
      await blocker.query('rollback')
      while ((await slotsTaken(blocker)) > 0) await delay(10)
    })
  }, 10_000)

  test('that cuts the connection on which a sign-in ends the session before it does not let that session go on', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const ada = newVisitor('1')
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
  }, 20_000)

  test('that cuts connections in the middle of a transaction, twelve times, costs no request and ends no process', async () => {
    const url = await newDatabase()
    const example = await start(url)
    await asSuperuser(url, async (blocker) => {
      for (let round = 0; round < 12; round++) {
        const ada = newVisitor('3')
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
    expect(await newVisitor('3').signIn(example.appURL)).toBe('/profile')
  }, 40_000)

  test('that lets a callback wait once its key is spent costs no login of who reloads the page', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const ada = newVisitor('1')
    await ada.signIn(example.appURL)
    const chess = newVisitor('2', ada.browser)
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
  }, 20_000)

  test('that lets a callback wait for its slot costs no login of who reloads the page, nor of others at that address', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const [ada, grace] = [newVisitor('1'), newVisitor('2')]
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
  }, 20_000)

  test('that lets a callback wait for longer than its first request does costs no login of who reloads the page twice', async () => {
    const url = await newDatabase()
    const example = await start(url)
    await newVisitor('1').signIn(example.appURL)
    const ada = newVisitor('1')
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
  }, 20_000)

  test('that is slow lets one key make no more than eleven sessions, however often its callback is repeated', async () => {
    const url = await newDatabase()
    const example = await start(url, { DATABASE_POOL_SIZE: '20' })
    await newVisitor('2').signIn(example.appURL)
    const chess = newVisitor('2')
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
  }, 20_000)

  test('lets one key make no more than nineteen sessions, however often its callback is repeated while the provider is slow', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const chess = newVisitor('2')
    await chess.begin(example.appURL)
    const callback = `${example.appURL}/auth/social-login/callback?auth_key=${chess.newKey()}`
    const headers = { cookie: await chess.browser.cookies(callback) }
    postgres.provider.failNext('authorize', { delay: 1500, rewrite: (body) => body })
    const comeBack = async (): Promise<string> => (await new Browser(headers).comeBack(callback)).location
    const answers = await Promise.all(Array.from({ length: 60 }, comeBack))
    const signedIn = answers.filter((location) => location === '/login/confirm')
    expect(signedIn.length).toBeGreaterThan(10)
    await asSuperuser(url, async (client) => {
      const { rows } = await client.query('select id from sessions')
      expect(rows.length).toBe(signedIn.length)
      expect(rows.length).toBeLessThanOrEqual(19)
    })
  }, 20_000)
})
