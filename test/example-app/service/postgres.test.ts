import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { FakeProvider } from '../../../lib/testing'
import { Browser, closeBrowsers } from '../../support/browser'
import { startExample, temporaryFolder } from '../../support/example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../../support/example/visitor'
import { describeWithPostgres, startPostgres } from '../../support/postgres/postgres'

describeWithPostgres('the example on Postgres', () => {
  let cluster: Awaited<ReturnType<typeof startPostgres>>
  const folder = temporaryFolder()

  beforeAll(async () => {
    cluster = await startPostgres()
  }, 30_000)

  afterAll(async () => {
    await cluster.stop()
    await closeBrowsers()
    folder.remove()
  })

  test('goes on when Postgres cuts a connection in the middle of a statement', async () => {
    const url = await cluster.createDatabase('cut')
    const provider = await FakeProvider.start()
    const application = registerExample(provider)
    const environment = { DATABASE_URL: url, SESSION_SECRET: 'a secret of sixteen or more', DATA_DIR: folder.path }
    const example = await startExample({ ...environment, ...providerEnvironment(provider, application) })
    const [blocker, killer] = [new Client({ connectionString: url }), new Client({ connectionString: url })]
    await Promise.all([blocker.connect(), killer.connect()])
    try {
      const ada = new Visitor(provider, application, '1')
      await ada.begin(example.appURL)
      await ada.comeBack(example.appURL, 'a-guess')
      await blocker.query('begin')
      await blocker.query('lock table callback_slots in exclusive mode')
      await ada.begin(example.appURL)
      const cut = ada.comeBack(example.appURL)
      const kill = `select pg_terminate_backend(pid) from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`
      while ((await killer.query(kill)).rows.length === 0) await delay(10)
      expect((await cut).location).toBe('/login?reason=database_unavailable')
      await blocker.query('rollback')

      expect((await new Browser().request(`${example.appURL}/healthz`)).status).toBe(200)
      expect(await ada.signIn(example.appURL)).toBe('/profile')
    } finally {
      await Promise.all([blocker.end(), killer.end()])
      await example.stop('SIGKILL')
      await provider.stop()
    }
  }, 20_000)

  test('signs people in whose names the encoding of the database cannot hold', async () => {
    const provider = await FakeProvider.start({
      users: [{ user_id: '1', user_firstname: 'Łucja', user_lastname: '🎻' }],
    })
    const application = registerExample(provider)
    const environment = {
      DATABASE_URL: await cluster.createDatabase('latin', 'LATIN1'),
      SESSION_SECRET: 'a secret of sixteen or more',
      DATA_DIR: folder.path,
    }
    const example = await startExample({ ...environment, ...providerEnvironment(provider, application) })
    try {
      const visitor = new Visitor(provider, application, '1')
      expect(await visitor.signIn(example.appURL)).toBe('/profile')
      expect(await visitor.whoAmI(example.appURL)).toMatchObject({ displayName: 'Łucja 🎻' })
    } finally {
      await example.stop('SIGKILL')
      await provider.stop()
    }
  }, 20_000)

  test('keeps its accounts when somebody has created a schema of the name of its role, to which new tables would go', async () => {
    const url = await cluster.createDatabase('schemas')
    const provider = await FakeProvider.start()
    const application = registerExample(provider)
    const environment = {
      DATABASE_URL: url,
      SESSION_SECRET: 'a secret of sixteen or more',
      DATA_DIR: folder.path,
      ...providerEnvironment(provider, application),
    }
    const signIn = async (): Promise<unknown> => {
      const example = await startExample(environment)
      const visitor = new Visitor(provider, application, '1')
      await visitor.signIn(example.appURL)
      const shown = await visitor.whoAmI(example.appURL)
      await example.stop('SIGKILL')
      return shown?.['account']
    }
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      const account = await signIn()
      expect(account).toEqual(expect.any(String))
      await client.query('create schema authorization postgres')
      expect(await signIn()).toBe(account)
    } finally {
      await client.end()
      await provider.stop()
    }
  }, 20_000)
})
