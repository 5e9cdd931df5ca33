import { join } from 'node:path'
import { Cookie } from 'express-session'
import { Accounts } from '../../../example-app/storage/accounts'
import { openDatabase } from '../../../example-app/storage/open-database'
import { migrate } from '../../../example-app/storage/schema'
import { DatabaseSessions, SESSION_LIFETIME_MS } from '../../../example-app/storage/sessions'
import type { RunningExample } from '../../support/example/example-app'
import { onBothStorages } from '../../support/example/storages'
import { useExamples } from '../../support/example/use-examples'
import type { Visitor } from '../../support/example/visitor'

const FIFTEEN_DAYS_MS = 15 * 24 * 60 * 60 * 1000

onBothStorages('a process of the example whose clock is fifteen days ahead', (fresh) => {
  const examples = useExamples('each test')

  test('signs nobody out, and takes part in logins of the others', async () => {
    const storage = await fresh()
    const right = await examples.start(storage.environment)
    const ahead = await examples.start({
      ...storage.environment,
      NODE_OPTIONS: `--require ${join(__dirname, '../../support/outages/clock-ahead')}`,
      CLOCK_AHEAD_MS: String(FIFTEEN_DAYS_MS),
    })
    const who = async (visitor: Visitor, { appURL }: RunningExample): Promise<unknown> =>
      (await visitor.whoAmI(appURL))?.['id']
    const ada = examples.visitor()
    expect(await ada.signIn(right.appURL)).toBe('/profile')
    expect([await who(ada, ahead), await who(ada, right)]).toEqual(['1', '1'])
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

  test('deletes nothing that is not old', async () => {
    const { DATABASE_URL, DATA_DIR = '' } = (await fresh()).environment
    const database = openDatabase(DATABASE_URL, DATA_DIR)
    await migrate(database)
    const [accounts, sessions] = [new Accounts(database), new DatabaseSessions(database)]
    const input = { provider: 'one', subject: '1', person: { displayName: 'Ada' }, sealedToken: 'sealed' }
    const { userID } = await accounts.findOrCreate(input)
    await accounts.recordLogin({ ...input, subject: '2' })
    const cookie = new Cookie()
    cookie.maxAge = SESSION_LIFETIME_MS
    await new Promise((resolve) => sessions.set('sid', { cookie, passport: { user: userID } }, resolve))

    const ahead = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + FIFTEEN_DAYS_MS)
    await sessions.clean()
    await accounts.deleteUnconfirmed()
    ahead.mockRestore()
    for (const [table, count] of [
      ['sessions', 1],
      ['users', 1],
      ['federated_credentials', 2],
    ]) {
      expect([table, (await database.query(`select * from ${table}`)).length]).toEqual([table, count])
    }
    await database.close()
  })
})
