import { openDatabase } from '../../../example-app/storage/open-database'
import { migrate } from '../../../example-app/storage/schema'
import { useExamples } from '../../support/example/use-examples'
import { usePostgres } from '../../support/example/use-postgres'
import type { Visitor } from '../../support/example/visitor'
import { describeWithPostgres } from '../../support/postgres/postgres'

const ONE_WAY_MS = 100

describeWithPostgres('the example and a database 200 ms away', () => {
  const examples = useExamples('each test')
  const postgres = usePostgres(examples)

  test('a login with its profile takes 7 statements, the first and each later one; a start writes nothing; health checks do not wait for each other', async () => {
    const url = await postgres.newDatabase()
    const near = openDatabase(url, '')
    await migrate(near)
    const proxy = await postgres.startProxy(url)
    proxy.delayMs = ONE_WAY_MS
    const { appURL } = await postgres.startOn(proxy.url)
    const signIn = async (visitor: Visitor): Promise<string> => {
      await visitor.begin(appURL)
      return (await visitor.comeBack(appURL)).location
    }
    // Connections are there from now on.
    await examples.visitor('2').signIn(appURL)

    const ada = examples.visitor()
    let before = proxy.answers
    expect(await signIn(ada)).toBe('/login/confirm')
    expect((await ada.whoAmI(appURL))?.['id']).toBe('1')
    expect(proxy.answers - before).toBe(7)

    expect(await ada.confirm(appURL)).toBe('/profile')
    await ada.submit(`${appURL}/logout`)
    before = proxy.answers
    expect(await signIn(ada)).toBe('/profile')
    expect((await ada.browser.follow(`${appURL}/profile`)).status).toBe(200)
    expect(proxy.answers - before).toBe(7)
    expect(await near.query("select id from sessions where data like '%passport%'")).toHaveLength(2)

    const rows = () => Promise.all(['sessions', 'rate_limits'].map((table) => near.query(`select * from ${table}`)))
    const rowsBefore = await rows()
    await examples.visitor('3').begin(appURL)
    expect(await rows()).toEqual(rowsBefore)
    await near.close()

    // One after the other, they would take two seconds, and the later ones would fail.
    const checks = Array.from({ length: 10 }, async () => (await fetch(`${appURL}/healthz`)).status)
    expect(await Promise.all(checks)).toEqual(checks.map(() => 200))
  })
})
