import { setTimeout as delay } from 'node:timers/promises'
import { type Application, FakeProvider } from '../../../lib/testing'
import { closeBrowsers } from '../../support/browser'
import { type RunningExample, startExample } from '../../support/example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../../support/example/visitor'
import { describeWithPostgres, startPostgres } from '../../support/postgres/postgres'

afterAll(() => closeBrowsers())

// Without a server, its socket is a file that does not exist: the driver reports ENOENT, and not a refused connection.
describeWithPostgres('a Postgres that is reached by its Unix socket', () => {
  let cluster: Awaited<ReturnType<typeof startPostgres>>
  let provider: FakeProvider
  let application: Application
  let example: RunningExample
  let databases = 0

  beforeAll(async () => {
    cluster = await startPostgres()
    provider = await FakeProvider.start()
    application = registerExample(provider)
  }, 30_000)
  beforeEach(async () => {
    example = await startExample({
      DATABASE_URL: cluster.bySocket(await cluster.createDatabase(`socket_${databases++}`)),
      SESSION_SECRET: 'a secret of sixteen or more',
      ...providerEnvironment(provider, application),
    })
  }, 20_000)
  afterEach(() => example.stop('SIGKILL'))
  afterAll(async () => {
    await cluster.stop()
    await provider.stop()
  })

  const visitor = (): Visitor => new Visitor(provider, application, '1')

  test('and is down answers 503, and tells nobody that they are signed out while their session lives', async () => {
    const [ada, returning] = [visitor(), visitor()]
    await ada.signIn(example.appURL)
    await returning.begin(example.appURL)
    await cluster.halt()
    const answers = [
      await ada.submit(`${example.appURL}/logout`),
      await ada.submit(`${example.appURL}/account/sign-out-everywhere`),
      await ada.browser.follow(`${example.appURL}/profile`),
      await ada.browser.follow(`${example.appURL}/profile`, { headers: { accept: 'application/json' } }),
      await visitor().begin(example.appURL),
    ]
    const back = await returning.comeBack(example.appURL)
    // Without a session cookie there is nothing to read.
    const pages = ['/', '/login', '/profile'].map((path) => visitor().browser.follow(`${example.appURL}${path}`))
    expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([200, 200, 303])
    await cluster.resume()
    expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
      answers.map(() => [503, '5']),
    )
    expect(back.location).toBe('/login?reason=database_unavailable')
    expect(example.output()).toContain('"code":"ENOENT"')
    expect((await ada.whoAmI(example.appURL))?.['id']).toBe('1')
  }, 30_000)

  test('and restarts while the provider is asked costs no key', async () => {
    const ada = visitor()
    await ada.begin(example.appURL)
    provider.failNext('authorize', { delay: 1500, rewrite: (body) => body })
    const back = ada.comeBack(example.appURL)
    await delay(300)
    await cluster.halt()
    await delay(2000)
    await cluster.resume()
    expect((await back).location).toBe('/login/confirm')
  }, 30_000)
})
