import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'
import { openOrigin, startManyProvidersApp } from '../support/many-providers-app'
import { settled, until } from '../support/turns'

const logins = useLogins()

const openOrigins = (count: number) => Promise.all(Array.from({ length: count }, () => openOrigin(logins)))

test('communities of one origin share its connections', async () => {
  const [shared, other] = await openOrigins(2)
  const app = await startManyProvidersApp(
    logins,
    (community) => `${(community === 'other' ? other : shared)?.origin}/api/v1`,
  )
  for (let community = 0; community < 10; community += 1)
    expect((await app.logInAt(`community-${community}`)).status).toBe(200)
  expect(other?.connections.accepted).toBe(0)
  expect((await app.logInAt('other')).status).toBe(200)
  // The one in use, and a spare one.
  expect(shared?.connections.accepted).toBeLessThanOrEqual(2)
  expect(other?.connections.accepted).toBe(1)
})

test('of more origins than maxPools, the connections to those that have been idle for the longest are closed', async () => {
  const origins = await openOrigins(6)
  const isOpen = () => origins.map(({ connections }) => connections.open > 0)
  const app = await startManyProvidersApp(logins, (community) => `${origins[Number(community)]?.origin}/api/v1`, {
    maxPools: 2,
  })
  for (const community of [0, 1, 2, 3, 4, 3, 5]) expect((await app.logInAt(String(community))).status).toBe(200)
  await until(() => isOpen().filter(Boolean).length === 2)
  expect(isOpen()).toStrictEqual([false, false, false, true, false, true])
  expect((await app.logInAt('0')).status).toBe(200)
})

test('a community that hangs holds up its own logins only, also where others have the same origin', async () => {
  const [shared, other] = await openOrigins(2)
  const baseURLOf = (community: string): string => `${(community === 'other' ? other : shared)?.origin}/api/v1`
  const app = await startManyProvidersApp(logins, baseURLOf, { maxConcurrentLogins: 2, maxPools: 1 })
  logins.provider.failNext('authorize', { hang: true }, { times: 2 })
  const hanging = [app.logInAt('hanging'), app.logInAt('hanging')]
  await until(() => logins.exchanges() === 2)
  const third = await app.logInAt('hanging')
  expect([third.status, third.headers['retry-after']]).toStrictEqual([503, '1'])
  expect(logins.exchanges()).toBe(2)
  for (const community of ['neighbour', 'other', 'neighbour', 'other'])
    expect((await app.logInAt(community)).status).toBe(200)
  await settled(() => shared?.connections.open ?? 0)
  expect(shared?.connections.open).toBeGreaterThanOrEqual(2)
  shared?.server.closeAllConnections()
  await Promise.all(hanging)
})

test('close waits for the logins of all communities, and refuses those of communities that were never seen before', async () => {
  const origins = await openOrigins(3)
  const app = await startManyProvidersApp(logins, (community) => `${origins[Number(community)]?.origin}/api/v1`)
  const late = new Browser()
  await app.begin(late, '0')
  logins.provider.failNext('user/me', { delay: 200 }, { times: 2 })
  const pending = [app.logInAt('0'), app.logInAt('1')]
  await until(() => logins.exchanges() === 2)
  let isClosed = false
  const closing = app.strategy.close().then(() => {
    isClosed = true
  })
  const unseen = new Browser()
  expect((await app.begin(unseen, '2')).status).toBe(302)
  const refused = [await app.end(late, '0'), await app.end(unseen, '2')]
  expect(refused.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(refused.map(() => [503, '1']))
  expect(isClosed).toBe(false)
  expect((await Promise.all(pending)).map(({ status }) => status)).toStrictEqual([200, 200])
  await closing
  expect(logins.exchanges()).toBe(2)
  const connections = () => origins.reduce((sum, origin) => sum + origin.connections.accepted, 0)
  const before = connections()
  for (const community of ['0', '1', '2']) await app.begin(new Browser(), community)
  await settled(connections, 20)
  expect(connections()).toBe(before)
  await until(() => origins.every(({ connections }) => connections.open === 0))
})
