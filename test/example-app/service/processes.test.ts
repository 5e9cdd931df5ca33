import { type Application, FakeProvider } from '../../../lib/testing'
import { closeBrowsers } from '../../support/browser'
import { type RunningExample, startExample } from '../../support/example/example-app'
import { onBothStorages, type TestStorage } from '../../support/example/storages'
import { providerEnvironment, registerExample, Visitor } from '../../support/example/visitor'

afterAll(() => closeBrowsers())

onBothStorages('several processes of the example', (fresh) => {
  let provider: FakeProvider
  let application: Application
  let storage: TestStorage
  let processes: RunningExample[]

  const start = async (): Promise<RunningExample> => {
    const example = await startExample({ ...storage.environment, ...providerEnvironment(provider, application) })
    processes.push(example)
    return example
  }

  beforeEach(async () => {
    processes = []
    provider = await FakeProvider.start()
    application = registerExample(provider)
    storage = await fresh()
  })

  afterEach(async () => {
    await Promise.all(processes.map((example) => example.stop('SIGKILL')))
    await provider.stop()
  })

  test('migrate an empty database although all start at once', async () => {
    await Promise.all([start(), start(), start()])
    expect(await storage.rows('select version from migrations')).toEqual([{ version: 1 }])
  }, 20_000)

  test('share a login: begun on one that is killed, finished on another', async () => {
    const [first, second] = [await start(), await start()]
    const ada = new Visitor(provider, application, '1')
    await ada.begin(first.appURL, { returnTo: '/account' })
    await first.stop('SIGKILL')
    expect((await ada.comeBack(second.appURL)).location).toBe('/login/confirm')
    const third = await start()
    await second.stop('SIGKILL')
    expect(await ada.confirm(third.appURL)).toBe('/account')
    expect((await ada.whoAmI(third.appURL))?.['displayName']).toBe('Ada Lovelace')
  }, 20_000)

  test('share sign-outs, and what a browser has confirmed', async () => {
    const [first, second] = [await start(), await start()]
    const phone = new Visitor(provider, application, '1')
    const desktop = new Visitor(provider, application, '1')
    await phone.signIn(first.appURL)
    await desktop.signIn(second.appURL)
    expect((await phone.whoAmI(second.appURL))?.['account']).toBe((await desktop.whoAmI(first.appURL))?.['account'])

    expect(await phone.signOutEverywhere(first.appURL)).toBe('/login?reason=signed_out_everywhere')
    expect(await desktop.whoAmI(second.appURL)).toBeUndefined()
    expect(await phone.whoAmI(second.appURL)).toBeUndefined()

    await desktop.begin(first.appURL)
    expect((await desktop.comeBack(second.appURL)).location).toBe('/profile')
    expect((await desktop.whoAmI(first.appURL))?.['id']).toBe('1')
  }, 20_000)

  test('count rejected keys together', async () => {
    const [first, second] = [await start(), await start()]
    const guesser = new Visitor(provider, application, '1')
    for (let attempt = 0; attempt < 10; attempt++) {
      const { appURL } = attempt % 2 === 0 ? first : second
      await guesser.begin(appURL)
      expect((await guesser.comeBack(appURL, 'a-guess')).location).toBe('/login?reason=auth_key_rejected')
    }
    for (const { appURL } of [first, second]) {
      const refused = await guesser.begin(appURL)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(500)
      expect((await guesser.comeBack(appURL)).location).toBe('/login?reason=too_many_rejected')
    }
    expect(provider.requests.filter(({ endpoint }) => endpoint === 'authorize').length).toBe(10)
  }, 20_000)
})
