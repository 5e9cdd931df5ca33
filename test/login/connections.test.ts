import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, createServer as createTCPServer, type Socket } from 'node:net'
import type { FakeProvider } from '../../lib/testing'
import { Browser } from '../support/browser'
import { listen, port } from '../support/listen'
import { useLogins } from '../support/logins'
import { inParallel } from '../support/parallel'

const logins = useLogins()

test('a login takes one connection, opened at its start', async () => {
  const seen: Socket[] = []
  const tap = logins.stopLater(tapConnections(logins.provider, seen))
  const origin = await tap.origin
  const app = await logins.startApp({ strategy: { baseURL: `${origin}/api/v1` } })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  await tap.connected
  expect(seen).toHaveLength(1)
  expect((await browser.comeBack(app.approvedCallback())).status).toBe(200)
  expect(seen).toHaveLength(1)
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
  expect(rejections).toEqual([])
})

test('200 logins at a provider that closes kept-alive connections as they are used: none is lost', async () => {
  const { server, origin } = logins.stopLater(await listen(logins.provider.requestListener))
  endConnectionsInUse(server)
  const app = await logins.startApp({ strategy: { baseURL: `${origin}/api/v1` } })
  const statuses = new Map<number, number>()
  await inParallel(200, 8, async () => {
    const { status } = await app.logIn()
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  })
  expect(Object.fromEntries(statuses)).toEqual({ 200: 200 })
}, 60_000)

test('20 logins at once whose exchanges are under way when the provider dies: none is lost', async () => {
  const { server, origin } = logins.stopLater(await listen(logins.provider.requestListener))
  endConnectionsOnce(server, 20)
  const app = await logins.startApp({ strategy: { baseURL: `${origin}/api/v1` } })
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await app.logIn()).status))
  expect(statuses).toEqual(Array(20).fill(200))
  expect(app.profiles).toHaveLength(20)
})

/** Reads so many requests without answering them, then resets their connections, and answers all later ones. */
function endConnectionsOnce(server: Server, requests: number): void {
  const listeners = server.listeners('request')
  const underWay: Socket[] = []
  server.removeAllListeners('request')
  server.on('request', (req, res) => {
    if (underWay.length === requests) {
      for (const listener of listeners) Reflect.apply(listener, server, [req, res])
    } else if (underWay.push(req.socket) === requests) {
      for (const socket of underWay) socket.resetAndDestroy()
    }
  })
}

/** Closes the connection of every fifth request as it is sent, unless the connection is new. */
function endConnectionsInUse(server: Server): void {
  let requests = 0
  const used = new WeakSet<Socket>()
  const listeners = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (req, res) => {
    requests += 1
    if (used.has(req.socket) && requests % 5 === 0) req.socket.resetAndDestroy()
    else for (const listener of listeners) Reflect.apply(listener, server, [req, res])
    used.add(req.socket)
  })
}

/** A TCP proxy in front of the provider that counts connections. */
function tapConnections(provider: FakeProvider, seen: Socket[]) {
  const target = new URL(provider.origin)
  const door = createTCPServer((socket) => {
    seen.push(socket)
    const inner = connect(Number(target.port), target.hostname)
    socket.on('error', () => inner.destroy()).pipe(inner)
    inner.on('error', () => socket.destroy()).pipe(socket)
  }).listen(0, 'localhost')
  return {
    origin: once(door, 'listening').then(() => `http://localhost:${port(door)}`),
    connected: once(door, 'connection'),
    stop: async () => {
      door.close()
      for (const socket of seen) socket.destroy()
      await once(door, 'close')
    },
  }
}
