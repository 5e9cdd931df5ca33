import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Browser } from '../support/browser'
import { countConnections } from '../support/connections'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'
import { inParallel } from '../support/parallel'

const logins = useLogins()

test('a login takes one connection, opened at its start', async () => {
  const { server, origin } = logins.stopLater(await listen(logins.provider.requestListener))
  const connections = countConnections(server)
  const app = await logins.startApp({ strategy: { baseURL: `${origin}/api/v1` } })
  const browser = new Browser()
  const connected = once(server, 'connection')
  await browser.follow(app.loginURL)
  await connected
  expect((await browser.comeBack(app.approvedCallback())).status).toBe(200)
  expect(connections.accepted).toBe(1)
})

test('an unreachable provider neither slows nor breaks a start', async () => {
  const rejections: unknown[] = []
  const collect = (reason: unknown): void => void rejections.push(reason)
  process.on('unhandledRejection', collect)
  for (const baseURL of ['http://127.0.0.1:1/api/v1', 'https://does-not-exist.invalid/api/v1']) {
    const app = await logins.startApp({ strategy: { baseURL } })
    for (let start = 0; start < 20; start += 1) {
      expect((await new Browser().follow(app.loginURL)).status).toBe(302)
    }
  }
  process.off('unhandledRejection', collect)
  expect(rejections).toStrictEqual([])
})

test('50 logins at a provider that closes kept-alive connections as they are used: none is lost', async () => {
  let requests = 0
  const used = new WeakSet<Socket>()
  const { origin } = logins.stopLater(
    await listen((req, res) => {
      requests += 1
      if (used.has(req.socket) && requests % 5 === 0) req.socket.resetAndDestroy()
      else logins.provider.requestListener(req, res)
      used.add(req.socket)
    }),
  )
  const app = await logins.startApp({ strategy: { baseURL: `${origin}/api/v1` } })
  const statuses: number[] = []
  await inParallel(50, 8, async () => void statuses.push((await app.logIn()).status))
  expect(statuses).toEqual(Array(50).fill(200))
})

test('20 logins at once whose exchanges are under way when the provider dies: none is lost', async () => {
  const underWay: Socket[] = []
  const { origin } = logins.stopLater(
    await listen((req, res) => {
      if (underWay.length === 20) logins.provider.requestListener(req, res)
      else if (underWay.push(req.socket) === 20) for (const socket of underWay) socket.resetAndDestroy()
    }),
  )
  const app = await logins.startApp({ strategy: { baseURL: `${origin}/api/v1` } })
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await app.logIn()).status))
  expect(statuses).toEqual(Array(20).fill(200))
  expect(app.profiles).toHaveLength(20)
})
