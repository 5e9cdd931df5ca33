import { setTimeout as delay } from 'node:timers/promises'
import type { RunningExample } from '../../support/example/example-app'
import type { Visitor } from '../../support/example/visitor'
import { useTroubledPostgres } from '../../support/outages/troubled-postgres'
import { describeWithPostgres } from '../../support/postgres/postgres'

// Without a server, its socket is a file that does not exist: the driver reports ENOENT, and not a refused connection.
describeWithPostgres('a Postgres that is reached by its Unix socket', () => {
  const postgres = useTroubledPostgres()
  const newVisitor = (): Visitor => postgres.newVisitor('1')
  const start = async (): Promise<RunningExample> =>
    postgres.start(postgres.cluster.bySocket(await postgres.newDatabase()))

  test('and is down answers 503, and tells nobody that they are signed out while their session lives', async () => {
    const example = await start()
    const [ada, returning] = [newVisitor(), newVisitor()]
    await ada.signIn(example.appURL)
    await returning.begin(example.appURL)
    await postgres.cluster.halt()
    const answers = [
      await ada.submit(`${example.appURL}/logout`),
      await ada.submit(`${example.appURL}/account/sign-out-everywhere`),
      await ada.browser.follow(`${example.appURL}/profile`),
      await ada.browser.follow(`${example.appURL}/profile`, { headers: { accept: 'application/json' } }),
      await newVisitor().begin(example.appURL),
    ]
    const back = await returning.comeBack(example.appURL)
    // Without a session cookie there is nothing to read.
    const pages = ['/', '/login', '/profile'].map((path) => newVisitor().browser.follow(`${example.appURL}${path}`))
    expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([200, 200, 303])
    await postgres.cluster.resume()
    expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
      answers.map(() => [503, '5']),
    )
    expect(back.location).toBe('/login?reason=database_unavailable')
    expect(example.output()).toContain('"code":"ENOENT"')
    expect((await ada.whoAmI(example.appURL))?.['id']).toBe('1')
  }, 30_000)

  test('and restarts while the provider is asked costs no key', async () => {
    const example = await start()
    const ada = newVisitor()
    await ada.begin(example.appURL)
    postgres.provider.failNext('authorize', { delay: 1500, rewrite: (body) => body })
    const back = ada.comeBack(example.appURL)
    await delay(300)
    await postgres.cluster.halt()
    await delay(2000)
    await postgres.cluster.resume()
    expect((await back).location).toBe('/login/confirm')
  }, 30_000)
})
