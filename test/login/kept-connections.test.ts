import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, createServer as createTCPServer, type Socket } from 'node:net'
import { FakeProvider } from '../../lib/testing'
import { port, startApp, stopServer } from '../support/app'
import { Browser, closeBrowsers } from '../support/browser'

afterAll(closeBrowsers)

test('a login takes one connection, opened at its start', async () => {
  const provider = await FakeProvider.start()
  const seen: Socket[] = []
  const tap = tapConnections(provider, seen)
  const origin = await tap.origin
  const app = await startApp({ provider, strategy: { baseURL: `${origin}/api/v1` } })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  await tap.connected
  expect(seen).toHaveLength(1)
  const authKey = provider.issueAuthKey({ appID: app.application.appID, userID: '1' })
  expect((await browser.comeBack(`${app.callbackURL}?auth_key=${authKey}`)).status).toBe(200)
  expect(seen).toHaveLength(1)
  await app.stop()
  await tap.stop()
  await provider.stop()
})

test('a provider that cannot be reached makes no start slower, and breaks none', async () => {
  const provider = await FakeProvider.start()
  const rejections: unknown[] = []
  const collect = (reason: unknown): void => void rejections.push(reason)
  process.on('unhandledRejection', collect)
  for (const baseURL of ['http://127.0.0.1:1/api/v1', 'https://does-not-exist.invalid/api/v1']) {
    const app = await startApp({ provider, strategy: { baseURL } })
    for (let start = 0; start < 20; start += 1) {
      expect((await new Browser().follow(app.loginURL)).status).toBe(302)
    }
    await app.stop()
  }
  process.off('unhandledRejection', collect)
  expect(rejections).toEqual([])
  await provider.stop()
})

test('1,000 logins at a provider that ends kept connections at the moment of use: none is lost', async () => {
  const provider = await FakeProvider.start()
  const server = createServer(provider.requestListener).listen(0, 'localhost')
  await once(server, 'listening')
  endConnectionsInUse(server)
  const app = await startApp({ provider, strategy: { baseURL: `http://localhost:${port(server)}/api/v1` } })
  const statuses = new Map<number, number>()
  let left = 1000
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const browser = new Browser()
      await browser.follow(app.loginURL)
      const authKey = provider.issueAuthKey({ appID: app.application.appID, userID: '1' })
      const { status } = await browser.comeBack(`${app.callbackURL}?auth_key=${authKey}`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  expect(Object.fromEntries(statuses)).toEqual({ 200: 1000 })
  await app.stop()
  await stopServer(server)
  await provider.stop()
}, 60_000)

/** Every fifth request finds its connection ended under it, unless the connection is new. */
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

/** A door before the provider that counts who comes through it. */
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
