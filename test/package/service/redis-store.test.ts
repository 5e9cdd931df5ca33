import { MemoryStore } from 'express-session'
import { createClient } from 'redis'
import { CookieStore, type PendingLoginStore } from '../../../lib'
import { checkPendingLoginStore } from '../../../lib/testing'
import { COOKIE_KEY_CANARY, codeOf, type RunningApp } from '../../support/app'
import { Browser } from '../../support/browser'
import { useLogins } from '../../support/logins'
import { TCPProxy } from '../../support/tcp-proxy'
import { checkStore, connectRedis } from '../docs/redis'
import { RedisStore } from '../docs/redis-store'
import { describeWithRedis, type RedisServer, startRedis } from './redis-server'

type Client = Awaited<ReturnType<typeof connectRedis>>

/** The store of docs/stores.md. */
describeWithRedis('the guide for Redis', () => {
  const logins = useLogins()
  const clients: { destroy(): void }[] = []
  let server: RedisServer

  beforeAll(async () => {
    server = await startRedis()
  })
  beforeEach(() => {
    jest.spyOn(console, 'error').mockImplementation(() => {})
  })
  afterEach(() => {
    jest.restoreAllMocks()
    for (const client of clients.splice(0)) client.destroy()
  })
  afterAll(() => server.stop())

  const connect = async (url = server.url): Promise<Client> => {
    const client = await connectRedis(url)
    clients.push(client)
    return client
  }
  /** Two processes of one application, that share the sessions and what `makeStore` uses. */
  const startTwo = async (makeStore: () => PendingLoginStore | Promise<PendingLoginStore>) => {
    const application = logins.provider.registerApplication({ name: 'Two', redirectURL: 'http://localhost/callback' })
    const sessions = new MemoryStore()
    const start = async (): Promise<RunningApp> => {
      const strategy = { callbackURL: '/callback', store: await makeStore() }
      return logins.startApp({ application, store: sessions, strategy })
    }
    return [await start(), await start()] as const
  }
  const inRedis = async (): Promise<RedisStore> => new RedisStore(await connect())
  const inCookie = (): CookieStore => new CookieStore({ keys: [COOKIE_KEY_CANARY] })
  const outageFor = (client: Pick<Client, 'once'>) => ({
    begin: () => server.halt(),
    end: async () => {
      const isReady = untilReady(client)
      await server.resume()
      await isReady
    },
  })

  test('keeps the whole contract', async () => {
    const client = await connect()
    await expect(checkStore(client, outageFor(client))).resolves.toBeUndefined()
  })

  test('keeps it on plain http, too', async () => {
    const client = await connect()
    await expect(checkPendingLoginStore(() => new RedisStore(client, false))).resolves.toBeUndefined()
  })

  test('would not keep it with a client that queues commands for longer than a login waits', async () => {
    const client = createClient({ url: server.url, commandOptions: { timeout: 60_000 } }).on('error', () => {})
    clients.push(client)
    await client.connect()
    const check = checkPendingLoginStore(() => new RedisStore(client), { outage: outageFor(client) })
    await expect(check).rejects.toThrow('Seen: load did not settle within 10 seconds')
  })

  test('binds the login to the browser by a cookie of its own, and gives every key a lifetime', async () => {
    const [app] = await startTwo(inRedis)
    const answer = await new Browser().follow(app.loginURL)
    const [line] = [answer.headers['set-cookie'] ?? []].flat()
    expect(line).toMatch(/^__Host-login=[\w-]{22}; Max-Age=660; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    const client = await connect()
    for (const key of await client.keys('*')) expect(await client.ttl(key)).toBeGreaterThan(0)
  })

  test('a copy of the cookies is worth nothing in another process, where a sealed cookie is used again', async () => {
    for (const [makeStore, status, exchanges] of [
      [inCookie, 200, 2],
      [inRedis, 403, 3],
    ] as const) {
      const [one, other] = await startTwo(makeStore)
      const browser = new Browser()
      await browser.follow(one.loginURL)
      const headers = { cookie: await browser.cookies(one.origin) }
      expect((await browser.comeBack(one.approvedCallback())).status).toBe(200)
      expect((await new Browser().comeBack(other.approvedCallback('2'), { headers })).status).toBe(status)
      expect(logins.exchanges()).toBe(exchanges)
    }
  })

  test('while Redis is away start and callback are a 503 that loses nothing, and a reload ends the login', async () => {
    const client = await connect()
    const [app] = await startTwo(() => new RedisStore(client))
    const outage = outageFor(client)
    const browser = new Browser()
    await browser.follow(app.loginURL)
    const callback = app.approvedCallback()
    await outage.begin()
    const answers = [await new Browser().follow(app.loginURL), await browser.comeBack(callback)]
    await outage.end()
    for (const { status, headers } of answers) expect([status, headers['retry-after']]).toStrictEqual([503, '5'])
    expect(app.errors.map(codeOf)).toStrictEqual(['session_unavailable', 'session_unavailable'])
    expect(JSON.stringify(answers)).not.toContain(String(server.port))
    expect(logins.exchanges()).toBe(0)
    expect((await browser.comeBack(callback)).status).toBe(200)
  })

  test('a connection that has become silent is replaced within seconds', async () => {
    const proxy = logins.stopLater(await TCPProxy.start(server.port))
    const client = await connect(`redis://127.0.0.1:${proxy.port}`)
    const [app] = await startTwo(() => new RedisStore(client))
    expect((await new Browser().follow(app.loginURL)).status).toBe(302)
    proxy.silenceOpen()
    const isReady = untilReady(client)
    expect((await new Browser().follow(app.loginURL)).status).toBe(503)
    await isReady
    expect((await new Browser().follow(app.loginURL)).status).toBe(302)
  })
})

/** Not `once` of node:events, which rejects at the errors before. */
function untilReady(client: Pick<Client, 'once'>): Promise<void> {
  return new Promise((resolve) => void client.once('ready', resolve))
}
