import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunningExample } from '../../support/example/example-app'
import { onBothStorages } from '../../support/example/storages'
import { useExamples } from '../../support/example/use-examples'
import type { Visitor } from '../../support/example/visitor'

const FIFTEEN_DAYS_MS = 15 * 24 * 60 * 60 * 1000
const preloads = ['clock-ahead', 'frequent-cleaning'].map((name) => join(__dirname, '../../support/outages', name))

onBothStorages('a process of the example whose clock is fifteen days ahead', (fresh) => {
  const examples = useExamples('each test')

  test('signs no one out, takes part in logins of the others, and deletes only what is old', async () => {
    const storage = await fresh()
    const right = await examples.start(storage.environment)
    const ahead = await examples.start({
      ...storage.environment,
      NODE_OPTIONS: preloads.map((path) => `--require ${path}`).join(' '),
      CLOCK_AHEAD_MS: String(FIFTEEN_DAYS_MS),
    })
    const who = async (visitor: Visitor, { appURL }: RunningExample): Promise<unknown> =>
      (await visitor.whoAmI(appURL))?.['id']
    const [ada, undecided] = [examples.visitor(), examples.visitor('5')]
    expect(await ada.signIn(right.appURL)).toBe('/profile')
    await undecided.begin(right.appURL)
    expect((await undecided.comeBack(right.appURL)).location).toBe('/login/confirm')
    await storage.rows("insert into sessions (id, data, expires_at) values ('old', '{}', 1)")
    while ((await storage.rows("select id from sessions where id = 'old'")).length > 0) await delay(50)

    expect([await who(ada, ahead), await who(ada, right)]).toStrictEqual(['1', '1'])
    expect(await undecided.confirm(right.appURL)).toBe('/profile')
    for (const [begun, confirmed, id] of [
      [right, ahead, '2'],
      [ahead, right, '3'],
    ] as const) {
      const visitor = examples.visitor(id)
      await visitor.begin(begun.appURL)
      expect((await visitor.comeBack(begun.appURL)).location).toBe('/login/confirm')
      expect(await visitor.confirm(confirmed.appURL)).toBe('/profile')
      expect(await who(visitor, right)).toBe(id)
    }
    const inTwoWeeks = Date.now() + 14 * 24 * 60 * 60 * 1000
    for (const { expires_at } of await storage.rows('select expires_at from sessions')) {
      expect(Number(expires_at)).toBeLessThanOrEqual(inTwoWeeks)
    }
  })
})
