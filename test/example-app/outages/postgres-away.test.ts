import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeCertificates } from '../../support/certificates'
import { temporaryFolder } from '../../support/example/example-app'
import { asSuperuser, slotsTaken, useTroubledPostgres } from '../../support/outages/troubled-postgres'
import { describeWithPostgres } from '../../support/postgres/postgres'
import { startPostgresTLSProxy } from '../../support/postgres/tls-proxy'

describeWithPostgres('a Postgres that is away, frozen or silent', () => {
  const postgres = useTroubledPostgres()
  const { newDatabase, startProxy, start, newVisitor, health, untilHealth, exchanges } = postgres

  test('that is frozen is noticed at /healthz within two seconds, and forgotten when it goes on', async () => {
    const example = await start(await newDatabase())
    const ada = newVisitor('1')
    expect(await ada.signIn(example.appURL)).toBe('/profile')
    expect(await health(example)).toBe(200)
    postgres.cluster.freeze()
    const hung = ada.whoAmI(example.appURL)
    await delay(1100)
    expect(await Promise.all(Array.from({ length: 20 }, () => health(example)))).toEqual(Array(20).fill(503))
    postgres.cluster.thaw()
    const thawed = performance.now()
    expect((await hung)?.['id']).toBe('1')
    await untilHealth(example, 200)
    expect(await newVisitor('2').signIn(example.appURL)).toBe('/profile')
    expect(performance.now() - thawed).toBeLessThan(15_000)
    const lines = example.output().match(/the database can(not)? be used/g)
    expect(lines?.slice(0, 2)).toEqual(['the database cannot be used', 'the database can be used'])
  }, 40_000)

  test('that is frozen does not keep a process from ending', async () => {
    const example = await start(await newDatabase())
    await Promise.all([1, 2, 3, 4].map(() => newVisitor('1').begin(example.appURL)))
    postgres.cluster.freeze()
    const begun = performance.now()
    const code = await example.stop('SIGTERM')
    postgres.cluster.thaw()
    expect(code).toBe(0)
    expect(performance.now() - begun).toBeLessThan(8000)
  }, 40_000)

  test('that is frozen lets the callbacks of one address wait beside each other, not one after the other', async () => {
    const example = await start(await newDatabase())
    const visitors = ['1', '2', '3', '1', '2'].map((id) => newVisitor(id))
    for (const visitor of visitors) await visitor.begin(example.appURL)
    postgres.cluster.freeze()
    const begun = performance.now()
    await Promise.all(visitors.map((visitor) => visitor.comeBack(example.appURL)))
    expect(performance.now() - begun).toBeLessThan(13_000)
    postgres.cluster.thaw()
  }, 40_000)

  test('behind connections that have fallen silent is reached by new ones within 15 seconds', async () => {
    const proxy = await startProxy(await newDatabase())
    const example = await start(proxy.url)
    const visitors = Array.from({ length: 8 }, () => newVisitor('1'))
    await Promise.all(visitors.map((visitor) => visitor.signIn(example.appURL)))
    proxy.silence()
    proxy.restore()
    const restored = performance.now()
    // One person pays for it; the others have new connections.
    expect((await visitors[0]?.browser.request(`${example.appURL}/profile`))?.status).toBe(503)
    const answers = await Promise.all(visitors.map((visitor) => visitor.whoAmI(example.appURL)))
    expect(answers.map((answer) => answer?.['id'])).toEqual(visitors.map(() => '1'))
    await untilHealth(example, 200)
    expect(performance.now() - restored).toBeLessThan(15_000)
    expect(await example.stop('SIGTERM')).toBe(0)
  }, 40_000)

  test('that is away for a moment is waited for by starts and callbacks, and in a longer outage nobody waits for long', async () => {
    const example = await start(await newDatabase())
    const [ada, grace] = [newVisitor('1'), newVisitor('2')]
    await ada.begin(example.appURL)
    await postgres.cluster.halt()
    const back = ada.comeBack(example.appURL)
    const begin = grace.begin(example.appURL)
    await delay(1500)
    await postgres.cluster.resume()
    expect([(await back).location, (await begin).status]).toEqual(['/login/confirm', 302])
    await delay(2100)
    await postgres.cluster.halt()
    expect((await grace.begin(example.appURL)).status).toBe(503)
    const begun = performance.now()
    expect((await grace.begin(example.appURL)).status).toBe(503)
    expect(performance.now() - begun).toBeLessThan(1000)
    await postgres.cluster.resume()
    await untilHealth(example, 200)
    expect(await grace.signIn(example.appURL)).toBe('/profile')
  }, 30_000)

  test('that is away is tried by one of all the requests that wait for it, not by each', async () => {
    const proxy = await startProxy(await newDatabase())
    const example = await start(proxy.url)
    proxy.close()
    const visitors = Array.from({ length: 40 }, () => newVisitor('1'))
    const starts = visitors.map((visitor) => visitor.begin(example.appURL))
    while (proxy.closed() <= visitors.length) await delay(10)
    await delay(1500)
    const tries = proxy.closed()
    proxy.restore()
    expect((await Promise.all(starts)).map(({ status }) => status)).toEqual(Array(40).fill(302))
    // Each tries once. If each tried ten times a second, it would be 600.
    expect(tries).toBeLessThan(100)
  }, 20_000)

  test('that is away for a moment, again and again, is waited for each time', async () => {
    const proxy = await startProxy(await newDatabase())
    const example = await start(proxy.url)
    for (let time = 0; time < 4; time += 1) {
      proxy.close()
      const starts = ['1', '2', '3'].map((id) => newVisitor(id).begin(example.appURL))
      await delay(700)
      proxy.restore()
      expect((await Promise.all(starts)).map(({ status }) => status)).toEqual([302, 302, 302])
      await delay(1000)
    }
  }, 20_000)

  test('that is away for a moment, just after a long outage, is waited for', async () => {
    const proxy = await startProxy(await newDatabase())
    const example = await start(proxy.url)
    const begin = (): Promise<number> =>
      newVisitor('1')
        .begin(example.appURL)
        .then(({ status }) => status)
    proxy.close()
    expect(await begin()).toBe(503)
    proxy.restore()
    expect(await begin()).toBe(302)
    proxy.close()
    const again = begin()
    await delay(500)
    proxy.restore()
    expect(await again).toBe(302)
  }, 20_000)

  test('is waited for, although somebody has just waited in vain for a lock', async () => {
    const url = await newDatabase()
    const proxy = await startProxy(url)
    const example = await start(proxy.url)
    const ada = newVisitor('1')
    await ada.signIn(example.appURL)
    await asSuperuser(url, async (blocker) => {
      await blocker.query('begin')
      await blocker.query('select id from sessions for update')
      expect((await ada.submit(`${example.appURL}/logout`)).status).toBe(503)
      await blocker.query('rollback')
    })
    proxy.close()
    const begin = newVisitor('2').begin(example.appURL)
    await delay(500)
    proxy.restore()
    expect((await begin).status).toBe(302)
  }, 20_000)

  test('that comes back from a long outage while a callback has its profile loses no login, and leaves no slot taken', async () => {
    const url = await newDatabase()
    const proxy = await startProxy(url)
    const example = await start(proxy.url)
    const ada = newVisitor('1')
    await ada.begin(example.appURL)
    postgres.provider.failNext('authorize', { delay: 5500, rewrite: (body) => body })
    const before = exchanges()
    const back = ada.comeBack(example.appURL)
    // Not earlier: a callback that cannot take a slot fails, and spends no key.
    while (exchanges() === before) await delay(10)
    await asSuperuser(url, async (client) => {
      proxy.close()
      const begun = performance.now()
      // As long as others meet it, it is one outage, in which nobody waits after its first seconds.
      while (performance.now() - begun < 6000) {
        await newVisitor('2').begin(example.appURL)
        await delay(300)
      }
      proxy.restore()
      expect((await back).location).toBe('/login/confirm')
      while ((await slotsTaken(client)) > 0) await delay(10)
    })
  }, 20_000)

  test('whose open connections are reset at their next use costs no request', async () => {
    const proxy = await startProxy(await newDatabase())
    const example = await start(proxy.url)
    const visitors = Array.from({ length: 8 }, () => newVisitor('1'))
    await Promise.all(visitors.map((visitor) => visitor.signIn(example.appURL)))
    proxy.forget()
    const statuses: (number | undefined)[] = []
    for (const { browser } of visitors) statuses.push((await browser.request(`${example.appURL}/profile`)).status)
    expect(statuses).toEqual(Array(8).fill(200))
  }, 20_000)

  test('whose certificate has expired is an outage, until it is renewed', async () => {
    const { ca, good, expired } = makeCertificates()
    const folder = temporaryFolder()
    writeFileSync(join(folder.path, 'ca.pem'), ca)
    const proxy = postgres.stopLater(await startPostgresTLSProxy(await newDatabase(), good))
    const example = await start(`${proxy.url}?sslmode=verify-full&sslrootcert=${join(folder.path, 'ca.pem')}`)
    proxy.certify(expired)
    await untilHealth(example, 503)
    const ada = newVisitor('1')
    const { status, headers } = await ada.begin(example.appURL)
    expect([status, headers['retry-after']]).toEqual([503, '5'])
    proxy.certify(good)
    await untilHealth(example, 200)
    expect(await ada.signIn(example.appURL)).toBe('/profile')
    folder.remove()
  }, 20_000)
})
