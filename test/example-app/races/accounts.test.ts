import { onBothStorages } from '../../support/example/storages'
import { useExamples } from '../../support/example/use-examples'
import type { Visitor } from '../../support/example/visitor'
import { inParallel } from '../../support/parallel'

const PEOPLE = 300
const LOGINS = 1000

onBothStorages('accounts of the example', (fresh) => {
  const users = Array.from({ length: PEOPLE }, (_, at) => ({ user_id: String(at + 1), user_name: `person${at + 1}` }))
  const examples = useExamples('each test', { users })

  test('1,000 logins of 300 users, each callback delivered twice, make exactly 300 accounts', async () => {
    const storage = await fresh()
    const example = await examples.start(storage.environment)
    // As slow as a provider across the street: the second delivery finds the first one under way, as a double click does.
    examples.provider.failNext('authorize', { delay: 25 }, { times: LOGINS })
    const seen = new Map<string, Set<unknown>>()
    await inParallel(LOGINS, 64, async (index) => {
      // From many addresses: on a busy machine, callbacks of one address may wait too long for each other, and be refused.
      const address = `198.51.100.${index % 250}`
      const visitor = examples.visitor(String((index % PEOPLE) + 1), { 'x-forwarded-for': address })
      await visitor.begin(example.appURL)
      const key = visitor.newKey()
      const answers = await Promise.all([visitor.comeBack(example.appURL, key), visitor.comeBack(example.appURL, key)])
      expect(answers.map(({ location }) => location)).toContain('/login/confirm')
      expect(await visitor.confirm(example.appURL)).toBe('/profile')
      const me = await visitor.whoAmI(example.appURL)
      expect(me?.['id']).toBe(visitor.userID)
      seen.set(visitor.userID, (seen.get(visitor.userID) ?? new Set()).add(me?.['account']))
    })
    expect([...seen.values()].every((accounts) => accounts.size === 1)).toBe(true)
    expect((await storage.rows('select id from users')).length).toBe(PEOPLE)
    expect((await storage.rows('select id from federated_credentials')).length).toBe(PEOPLE)
  }, 150_000)

  test('24 browsers of one account that each add a login at the same time give it ten logins, and no more', async () => {
    const storage = await fresh()
    const example = await examples.start({ ...storage.environment, DATABASE_POOL_SIZE: '30' })
    const asked: Array<{ readonly visitor: Visitor; readonly question: string }> = []
    for (let index = 0; index < 24; index++) {
      const visitor = examples.visitor('1', { 'x-forwarded-for': `192.0.2.${index}` })
      await visitor.signIn(example.appURL)
      await visitor.submit(`${example.appURL}/account/link`)
      const key = examples.newKey(String(index + 2))
      expect((await visitor.comeBack(example.appURL, key)).location).toBe('/login/confirm')
      asked.push({ visitor, question: await visitor.question(example.appURL) })
    }
    const answers = await Promise.all(
      asked.map(({ visitor, question }) => visitor.answer(example.appURL, question, 'continue')),
    )
    const logins = await storage.rows('select id from federated_credentials where user_id is not null')
    expect(answers.filter((location) => location === '/account?notice=linked').length).toBe(9)
    expect(answers.filter((location) => location === '/account?notice=too_many_logins').length).toBe(15)
    expect(logins.length).toBe(10)
  })

  test('kill -9 during 200 logins loses and duplicates no account, and leaves the sessions intact', async () => {
    const storage = await fresh()
    const visitors = Array.from({ length: 200 }, (_, at) => examples.visitor(String(at + 1)))
    const first = await examples.start(storage.environment)
    const confirmed: Visitor[] = []
    const logins = inParallel(visitors.length, 32, async (index) => {
      const visitor = visitors[index]
      const destination = await visitor?.signIn(first.appURL).catch(() => undefined)
      if (visitor && destination === '/profile') confirmed.push(visitor)
      if (confirmed.length === 60) void first.stop('SIGKILL')
    })
    await logins
    expect(confirmed.length).toBeGreaterThanOrEqual(60)
    expect(confirmed.length).toBeLessThan(200)

    const second = await examples.start(storage.environment)
    for (const visitor of confirmed) expect((await visitor.whoAmI(second.appURL))?.['id']).toBe(visitor.userID)
    await inParallel(visitors.length, 32, async (index) => {
      // The callbacks of the killed process count for some seconds yet.
      let destination = 'overloaded'
      while (destination.endsWith('overloaded')) {
        destination = (await visitors[index]?.signIn(second.appURL)) ?? ''
      }
      expect(destination).toBe('/profile')
    })
    expect((await storage.rows('select id from users')).length).toBe(200)
    const owners = await storage.rows('select distinct user_id from federated_credentials where user_id is not null')
    expect(owners.length).toBe(200)
  }, 150_000)
})
