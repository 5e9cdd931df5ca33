import { FakeProvider } from '../lib/testing'
import { closeBrowsers } from './support/browser'
import { startExample } from './support/example-app'
import { providerEnvironment, registerExample, Visitor } from './support/example-visitor'
import { describeWithPostgres, startPostgres } from './support/postgres'
import { startPostgresProxy } from './support/postgres-proxy'

const DELAY_MS = 200

afterAll(() => closeBrowsers())

describeWithPostgres('the example and a database 200 ms away', () => {
  let cluster: Awaited<ReturnType<typeof startPostgres>>

  beforeAll(async () => {
    cluster = await startPostgres()
  }, 30_000)
  afterAll(() => cluster.stop())

  test('a login with its profile takes at most 8 statements, 5 of them in a row, and leaves one session', async () => {
    const proxy = await startPostgresProxy(await cluster.createDatabase('far'), DELAY_MS)
    const provider = await FakeProvider.start()
    const application = registerExample(provider)
    const secret = { SESSION_SECRET: 'a secret of sixteen or more' }
    const environment = { ...secret, DATABASE_URL: proxy.url, ...providerEnvironment(provider, application) }
    const example = await startExample(environment)
    const signIn = async (visitor: Visitor): Promise<string> => {
      await visitor.begin(example.appURL)
      return (await visitor.comeBack(example.appURL)).location
    }
    try {
      // Connections are there from now on.
      await new Visitor(provider, application, '2').signIn(example.appURL)
      await settled(proxy)

      const ada = new Visitor(provider, application, '1')
      expect(await signIn(ada)).toBe('/login/confirm')
      expect((await ada.whoAmI(example.appURL))?.['id']).toBe('1')
      report('a first login, read by a program', await settled(proxy))

      expect(await ada.confirm(example.appURL)).toBe('/profile')
      await ada.submit(`${example.appURL}/logout`)
      await settled(proxy)

      const begun = performance.now()
      expect(await signIn(ada)).toBe('/profile')
      expect((await ada.browser.follow(`${example.appURL}/profile`)).status).toBe(200)
      const took = Math.round(performance.now() - begun)
      report(`a login that the browser knows, with its page, in ${took} ms`, await settled(proxy))
      expect(took).toBeLessThan(1500)

      const leaver = new Visitor(provider, application, '3')
      await leaver.begin(example.appURL)
      const abandoned = await settled(proxy)
      expect(abandoned.texts.filter((text) => !text.startsWith('select'))).toEqual([])
    } finally {
      await example.stop('SIGKILL')
      await provider.stop()
      await proxy.stop()
    }
  }, 40_000)
})

type Statements = ReturnType<Awaited<ReturnType<typeof startPostgresProxy>>['statements']>

/** The last statement of a login is one that nobody waits for. */
async function settled({ statements }: { statements(): Statements }): Promise<Statements> {
  await new Promise((resolve) => setTimeout(resolve, 2 * DELAY_MS))
  return statements()
}

function report(name: string, { count, inARow, texts }: Statements): void {
  console.log(`${name}: ${count} statements, ${inARow} in a row\n${texts.join('\n')}`)
  expect([name, count <= 8, inARow <= 5]).toEqual([name, true, true])
}
