import type { RunningExample } from '../../support/example/example-app'
import { onBothStorages, type TestStorage } from '../../support/example/storages'
import { useExamples } from '../../support/example/use-examples'

onBothStorages('several processes of the example', (fresh) => {
  const examples = useExamples('each test')
  const { visitor } = examples
  let storage: TestStorage

  const start = (): Promise<RunningExample> => examples.start(storage.environment)

  beforeEach(async () => {
    storage = await fresh()
  })

  test('migrate an empty database although all start at the same time', async () => {
    await Promise.all([start(), start(), start()])
    expect(await storage.rows('select version from migrations')).toStrictEqual([{ version: 1 }, { version: 2 }])
  })

  test('share a login: started on one that is killed, finished on another', async () => {
    const [first, second] = [await start(), await start()]
    const ada = visitor()
    await ada.begin(first.appURL, { returnTo: '/account' })
    await first.stop('SIGKILL')
    expect((await ada.comeBack(second.appURL)).location).toBe('/login/confirm')
    const third = await start()
    await second.stop('SIGKILL')
    expect(await ada.confirm(third.appURL)).toBe('/account')
    expect((await ada.whoAmI(third.appURL))?.['displayName']).toBe('Ada Lovelace')
  })

  test('share sign-outs, and what a browser has confirmed', async () => {
    const [first, second] = [await start(), await start()]
    const phone = visitor()
    const desktop = visitor()
    await phone.signIn(first.appURL)
    await desktop.signIn(second.appURL)
    expect((await phone.whoAmI(second.appURL))?.['account']).toBe((await desktop.whoAmI(first.appURL))?.['account'])

    expect(await phone.signOutEverywhere(first.appURL)).toBe('/login?reason=signed_out_everywhere')
    expect(await desktop.whoAmI(second.appURL)).toBeUndefined()
    expect(await phone.whoAmI(second.appURL)).toBeUndefined()

    await desktop.begin(first.appURL)
    expect((await desktop.comeBack(second.appURL)).location).toBe('/profile')
    expect((await desktop.whoAmI(first.appURL))?.['id']).toBe('1')
  })

  test('count rejected keys together', async () => {
    const [first, second] = [await start(), await start()]
    const guesser = visitor()
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
    expect(examples.exchanges()).toBe(10)
  })
})
