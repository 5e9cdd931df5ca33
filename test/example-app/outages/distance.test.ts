import { openDatabase } from '../../../example-app/storage/open-database'
import { migrate } from '../../../example-app/storage/schema'
import { FakeProvider } from '../../../lib/testing'
import { closeBrowsers } from '../../support/browser'
import { startExample } from '../../support/example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../../support/example/visitor'
import { describeWithPostgres, startPostgres } from '../../support/postgres/postgres'
import { startPostgresProxy } from '../../support/postgres/postgres-proxy'

const DELAY_MS = 200

afterAll(() => closeBrowsers())

describeWithPostgres('the example and a database 200 ms away', () => {
  let cluster: Awaited<ReturnType<typeof startPostgres>>

  beforeAll(async () => {
    cluster = await startPostgres()
  }, 30_000)
  afterAll(() => cluster.stop())

  test('a first login with its profile takes 13 statements, a later one 9; a start writes nothing; health checks do not wait for each other', async () => {
    const url = await cluster.createDatabase('far')
    const near = openDatabase(url, '')
    await migrate(near)
    const proxy = await startPostgresProxy(url, DELAY_MS)
    const provider = await FakeProvider.start()
    const application = registerExample(provider)
    const secret = { SESSION_SECRET: 'a secret of sixteen or more' }
    const environment = { ...secret, DATABASE_URL: proxy.url, ...providerEnvironment(provider, application) }
    const example = await startExample(environment)
    const signIn = async (visitor: Visitor): Promise<string> => {
      await visitor.begin(example.appURL)
      return (await visitor.comeBack(example.appURL)).location
    }
    const statements = async () => {
      await proxy.settled()
      return proxy.statements()
    }
    try {
      // Connections are there from now on.
      await new Visitor(provider, application, '2').signIn(example.appURL)
      await statements()

      const ada = new Visitor(provider, application, '1')
      expect(await signIn(ada)).toBe('/login/confirm')
      expect((await ada.whoAmI(example.appURL))?.['id']).toBe('1')
      const first = await statements()
      expect([first.texts, first.count]).toEqual([first.texts, 13])

      expect(await ada.confirm(example.appURL)).toBe('/profile')
      await ada.submit(`${example.appURL}/logout`)
      await statements()
      expect(await signIn(ada)).toBe('/profile')
      expect((await ada.browser.follow(`${example.appURL}/profile`)).status).toBe(200)
      const known = await statements()
      expect([known.texts, known.count]).toEqual([known.texts, 9])
      expect(await near.query("select id from sessions where data like '%passport%'")).toHaveLength(2)

      const sessions = await near.query('select id from sessions')
      await new Visitor(provider, application, '3').begin(example.appURL)
      expect((await statements()).texts.filter((text) => !text.trim().toLowerCase().startsWith('select'))).toEqual([])
      expect(await near.query('select id from sessions')).toEqual(sessions)

      // One after the other, they would take two seconds, and the later ones would fail.
      const checks = Array.from({ length: 10 }, async () => (await fetch(`${example.appURL}/healthz`)).status)
      expect(await Promise.all(checks)).toEqual(checks.map(() => 200))
    } finally {
      await example.stop('SIGKILL')
      await Promise.all([provider.stop(), proxy.stop(), near.close()])
    }
  }, 40_000)
})
