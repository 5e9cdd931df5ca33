import { join } from 'node:path'
import { Cookie } from 'express-session'
import { Accounts } from '../../../example-app/storage/accounts'
import { openDatabase } from '../../../example-app/storage/open-database'
import { migrate } from '../../../example-app/storage/schema'
import { DatabaseSessions, SESSION_LIFETIME_MS } from '../../../example-app/storage/sessions'
import { FakeProvider } from '../../../lib/testing'
import { closeBrowsers } from '../../support/browser'
import { type RunningExample, startExample } from '../../support/example/example-app'
import { onBothStorages } from '../../support/example/storages'
import { providerEnvironment, registerExample, Visitor } from '../../support/example/visitor'

const FIFTEEN_DAYS_MS = 15 * 24 * 60 * 60 * 1000

afterAll(() => closeBrowsers())

onBothStorages('a process of the example whose clock is fifteen days ahead', (fresh) => {
  test('signs nobody out, and takes part in logins of the others', async () => {
    const storage = await fresh()
    const provider = await FakeProvider.start()
    const application = registerExample(provider)
    const environment = { ...storage.environment, ...providerEnvironment(provider, application) }
    const right = await startExample(environment)
    const ahead = await startExample({
      ...environment,
      NODE_OPTIONS: `--require ${join(__dirname, '../../support/outages/clock-ahead')}`,
      CLOCK_AHEAD_MS: String(FIFTEEN_DAYS_MS),
    })
    const who = async (visitor: Visitor, { appURL }: RunningExample): Promise<unknown> =>
      (await visitor.whoAmI(appURL))?.['id']
    try {
      const ada = new Visitor(provider, application, '1')
      expect(await ada.signIn(right.appURL)).toBe('/profile')
      expect([await who(ada, ahead), await who(ada, right)]).toEqual(['1', '1'])

      const alan = new Visitor(provider, application, '2')
      await alan.begin(right.appURL)
      expect((await alan.comeBack(right.appURL)).location).toBe('/login/confirm')
      expect(await alan.confirm(ahead.appURL)).toBe('/profile')
      expect(await who(alan, right)).toBe('2')

      const grace = new Visitor(provider, application, '3')
      await grace.begin(ahead.appURL)
      expect((await grace.comeBack(ahead.appURL)).location).toBe('/login/confirm')
      expect(await grace.confirm(right.appURL)).toBe('/profile')
      const inTwoWeeks = Date.now() + 14 * 24 * 60 * 60 * 1000
      for (const { expires_at } of await storage.rows('select expires_at from sessions')) {
        expect(Number(expires_at)).toBeLessThanOrEqual(inTwoWeeks)
      }
    } finally {
      await Promise.all([right, ahead].map((example) => example.stop('SIGKILL')))
      await provider.stop()
    }
  }, 30_000)

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
