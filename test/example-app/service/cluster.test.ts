import { join } from 'node:path'
import { type Application, FakeProvider } from '../../../lib/testing'
import { closeBrowsers } from '../../support/browser'
import { type RunningExample, startExample, until } from '../../support/example/example-app'
import { onBothStorages, type TestStorage } from '../../support/example/storages'
import { providerEnvironment, registerExample, Visitor } from '../../support/example/visitor'

const WORKERS = 3
const PATHS = { start: '/auth/social-login', callback: '/auth/social-login/callback' }

afterAll(() => closeBrowsers())

onBothStorages('workers of node:cluster with one database', (fresh) => {
  let provider: FakeProvider
  let application: Application
  let storage: TestStorage
  let example: RunningExample

  beforeAll(async () => {
    provider = await FakeProvider.start()
    application = registerExample(provider)
    storage = await fresh()
    const environment = { ...storage.environment, ...providerEnvironment(provider, application) }
    example = await startExample(environment, { program: join(__dirname, 'cluster-program.js') })
    const anybody = newVisitor()
    while (new Set(workersOf('/profile')).size < WORKERS) await anybody.whoAmI(example.appURL)
  }, 30_000)

  afterAll(async () => {
    await example.stop('SIGKILL')
    await provider.stop()
  })

  /** Each request goes to the next worker, because it opens a new connection. */
  const newVisitor = (): Visitor => new Visitor(provider, application, '1', { connection: 'close' })

  /** The worker that answered each request for a path, by the process ids in the log. */
  const workersOf = (path: string): unknown[] =>
    example
      .output()
      .split('\n')
      .flatMap((line) => (/^{.*}$/.test(line) ? [JSON.parse(line)] : []))
      .filter(({ req, res }) => res && req.path === path)
      .map(({ pid }) => pid)

  test('sign in everybody whose start and callback meet different workers', async () => {
    for (let logins = 1; logins <= 6; logins++) {
      const visitor = newVisitor()
      await visitor.begin(example.appURL)
      const back = await visitor.comeBack(example.appURL)
      if (back.location === '/login/confirm') await visitor.confirm(example.appURL)
      expect((await visitor.whoAmI(example.appURL))?.['displayName']).toBe('Ada Lovelace')
      await until(() => workersOf(PATHS.callback).length === logins)
      expect(workersOf(PATHS.callback).at(-1)).not.toBe(workersOf(PATHS.start).at(-1))
    }
    expect(new Set(workersOf(PATHS.callback)).size).toBeGreaterThan(1)
  }, 20_000)
})
