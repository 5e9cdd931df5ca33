import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { launchExample, startExample, temporaryFolder } from '../../support/example/example-app'
import { port as portOf } from '../../support/listen'

// Runs a command in a pseudo-terminal.
const SCRIPT = '/usr/bin/script'
const MAIN = require.resolve('../../../example-app/main')
// In no terminal.
const STACK = /^ {4}at /m

describe('the signals that end the example', () => {
  const folder = temporaryFolder()
  const environment = { DATA_DIR: folder.path, HOST: '127.0.0.1', DRAIN_SECONDS: '1' }
  afterAll(() => folder.remove())

  test('of several kinds are one stop', async () => {
    const example = await startExample({ ...environment, DRAIN_SECONDS: '0.3' })
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGHUP', 'SIGTERM'] as const) void example.stop(signal)
    expect(await example.stop('SIGHUP')).toBe(0)
    expect(example.output().match(/"msg":"stopping"/g)).toHaveLength(1)
    expect(example.output()).not.toMatch(STACK)
  })

  const inTerminal = existsSync(SCRIPT) ? test : test.skip
  inTerminal('let it drain although the terminal that it writes to has been closed', async () => {
    const terminal = spawn(SCRIPT, ['-qfc', `exec '${process.execPath}' '${MAIN}'`, '/dev/null'], {
      env: { PATH: process.env['PATH'], SHELL: '/bin/sh', PORT: '0', PROVIDER_PORT: '0', ...environment },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let output = ''
    for await (const chunk of terminal.stdout) {
      output += String(chunk)
      if (output.includes('Fake provider: ')) break
    }
    const [, appURL] = /^Example application: (\S+)/m.exec(output) ?? []
    terminal.kill('SIGKILL')
    const statuses = new Set<number>()
    const health = (): Promise<number> =>
      fetch(`${appURL}/healthz`).then(
        ({ status }) => status,
        () => 0,
      )
    while (!statuses.has(0)) statuses.add(await health())
    expect(statuses).toContain(503)
  })

  test('end it while it waits for a database that does not answer', async () => {
    const database = createServer().listen(0, '127.0.0.1')
    await once(database, 'listening')
    const DATABASE_URL = `postgres://user@127.0.0.1:${portOf(database)}/app`
    const asked = once(database, 'connection')
    const example = launchExample({ SESSION_SECRET: 'a secret of sixteen or more', DATABASE_URL })
    await asked
    const begun = performance.now()
    expect(await example.stop('SIGTERM')).toBe(0)
    expect(performance.now() - begun).toBeLessThan(5000)
    expect(example.output()).not.toMatch(STACK)
    database.close()
  })

  test('do not wait for ever for a visitor who sends half a form', async () => {
    const example = await startExample({ ...environment, DRAIN_SECONDS: '0' })
    const visitor = await socketTo(example.appURL)
    const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100'
    // The answer to the first says that the second has arrived with it.
    visitor.write(`GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nPOST /logout HTTP/1.1\r\nHost: a\r\n${form}\r\n\r\na=`)
    await once(visitor, 'data')
    expect(await example.stop('SIGTERM')).toBe(1)
    expect(lastLine(example.output())).toMatchObject({ reason: 'some requests have not ended' })
  })

  test('cut off no client that keeps its connection', async () => {
    const example = await startExample({ ...environment, DRAIN_SECONDS: '0.5' })
    let [cut, answers] = [0, 0]
    let isStopping = false
    const visit = async (): Promise<void> => {
      const client = new KeepAliveClient(example.appURL)
      for (;;) {
        const outcome = await client.get('/login')
        if (outcome === 'cut off') cut += 1
        if (outcome !== 'answered') break
        if (isStopping) answers += 1
        // Some send a request again immediately, others wait and are idle when the connection is closed.
        await delay(Math.random() * 40)
      }
      client.close()
    }
    const visits = Array.from({ length: 20 }, visit)
    await delay(300)
    isStopping = true
    expect(await example.stop('SIGTERM')).toBe(0)
    await Promise.all(visits)
    expect(cut).toBe(0)
    expect(answers).toBeGreaterThan(20)
  })

  test('are not held up by connections without a request, kept or opened in advance', async () => {
    const example = await startExample({ ...environment, DRAIN_SECONDS: '0' })
    const [kept, inAdvance] = [await socketTo(example.appURL), await socketTo(example.appURL)]
    kept.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(kept, 'data')
    const closed = Promise.all([kept, inAdvance].map((socket) => once(socket, 'close')))
    const begun = performance.now()
    expect(await example.stop('SIGTERM')).toBe(0)
    await closed
    // Node would keep the first for five seconds, and the second for a minute.
    expect(performance.now() - begun).toBeLessThan(4000)
  })
})

function lastLine(output: string): unknown {
  return JSON.parse(output.trim().split('\n').at(-1) ?? '')
}

async function socketTo(appURL: string): Promise<Socket> {
  const { hostname, port } = new URL(appURL)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** What became of a request: an answer, or an error, on a connection that had served another one before or not. */
type KeptOutcome = 'answered' | 'failed' | 'cut off'

/** A client with one connection that it keeps for as long as it may, as proxies do. It tries nothing again. */
class KeepAliveClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(private readonly origin: string) {}

  get(path: string): Promise<KeptOutcome> {
    return new Promise((resolve) => {
      const outgoing = request(`${this.origin}${path}`, { agent: this.#agent }, (response) => {
        response.resume()
        response.once('close', () => resolve(response.complete ? 'answered' : 'cut off'))
      })
      outgoing.once('error', () => resolve(outgoing.reusedSocket ? 'cut off' : 'failed'))
      outgoing.end()
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
