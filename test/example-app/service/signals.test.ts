import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import {
  launchExample,
  SCRIPT,
  startExample,
  startInTerminal,
  temporaryFolder,
} from '../../support/example/example-app'
import { describeWithPostgres, startPostgres } from '../../support/postgres/postgres'
import { proxyTo, silentServer } from './silent-server'

const SECRET = { SESSION_SECRET: 'a secret of sixteen or more' }
// In nobody's terminal.
const STACK = /^ {4}at /m

describe('the signals that end the example', () => {
  const folder = temporaryFolder()
  const environment = { DATA_DIR: folder.path, HOST: '127.0.0.1' }
  afterAll(() => folder.remove())

  test('of several kinds are one stop', async () => {
    const example = await startExample({ ...environment, DRAIN_SECONDS: '0.3' })
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGHUP', 'SIGTERM'] as const) void example.stop(signal)
    expect(await example.stop('SIGHUP')).toBe(0)
    expect(example.output().match(/"msg":"stopping"/g)).toHaveLength(1)
    expect(example.output()).not.toMatch(STACK)
  }, 20_000)

  test.each(['SIGHUP', 'SIGINT'] as const)(
    '%s lets balancers see it first, too',
    async (signal) => {
      const example = await startExample({ ...environment, DRAIN_SECONDS: '1' })
      const ended = example.stop(signal)
      const statuses = new Set<number>()
      while (!statuses.has(503)) statuses.add((await fetch(`${example.appURL}/healthz`)).status)
      expect(await ended).toBe(0)
      expect(example.output()).not.toMatch(STACK)
    },
    20_000,
  )

  const inTerminal = existsSync(SCRIPT) ? test : test.skip
  inTerminal(
    'let it drain although the terminal that it writes to has been closed',
    async () => {
      const { appURL, close } = await startInTerminal({ ...environment, DRAIN_SECONDS: '1' })
      close()
      const statuses = new Set<number>()
      const health = (): Promise<number> =>
        fetch(`${appURL}/healthz`).then(
          ({ status }) => status,
          () => 0,
        )
      while (!statuses.has(0)) statuses.add(await health())
      expect(statuses).toContain(503)
    },
    20_000,
  )

  test('end it while it waits for a database that does not answer', async () => {
    const database = await silentServer()
    const url = `postgres://user@127.0.0.1:${database.port}/app`
    const example = launchExample({ ...environment, ...SECRET, DATABASE_URL: url })
    while (database.sockets.size === 0) await delay(10)
    const begun = performance.now()
    expect(await example.stop('SIGTERM')).toBe(0)
    expect(performance.now() - begun).toBeLessThan(5000)
    expect(example.output()).not.toMatch(STACK)
    database.close()
  }, 20_000)

  test('do not wait for ever for a visitor who sends half a form', async () => {
    const example = await startExample({ ...environment, DRAIN_SECONDS: '0' })
    const { hostname, port } = new URL(example.appURL)
    const visitor = connect({ host: hostname, port: Number(port) })
    visitor.on('error', () => {})
    const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100'
    // The answer to the first says that the second has arrived with it.
    visitor.write(`GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nPOST /logout HTTP/1.1\r\nHost: a\r\n${form}\r\n\r\na=`)
    await once(visitor, 'data')
    expect(await example.stop('SIGTERM')).toBe(1)
    expect(lastLine(example.output())).toMatchObject({ reason: 'some requests have not ended' })
  }, 20_000)
})

describeWithPostgres('the signals that end the example on Postgres', () => {
  test('do not wait for ever for a database that does not let go', async () => {
    const cluster = await startPostgres()
    const url = new URL(await cluster.createDatabase('hangs'))
    const proxy = await proxyTo(Number(url.port))
    url.port = String(proxy.port)
    const example = await startExample({ ...SECRET, DATABASE_URL: url.href, HOST: '127.0.0.1', DRAIN_SECONDS: '0' })
    try {
      // The connection that falls silent must be there.
      const ask = (signal?: AbortSignal): Promise<unknown> =>
        fetch(`${example.appURL}/auth/social-login`, signal ? { signal } : {}).catch(() => 'gone')
      await ask()
      const visitor = new AbortController()
      const lost = proxy.freeze()
      const asked = ask(visitor.signal)
      await lost
      const begun = performance.now()
      const ended = example.stop('SIGTERM')
      while (!example.output().includes('"msg":"stopping"')) await delay(10)
      visitor.abort()
      await asked
      expect(await ended).toBe(0)
      expect(performance.now() - begun).toBeLessThan(15_000)
      expect(example.output()).not.toMatch(STACK)
    } finally {
      proxy.close()
      await cluster.stop()
    }
  }, 40_000)
})

function lastLine(output: string): unknown {
  return JSON.parse(output.trim().split('\n').at(-1) ?? '')
}
