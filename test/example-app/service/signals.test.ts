import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { launchExample, startExample, temporaryFolder } from '../../support/example/example-app'
import { port as portOf } from '../../support/listen'

// Runs a command in a pseudo-terminal.
const SCRIPT = '/usr/bin/script'
const MAIN = require.resolve('../../../example-app/main')
// In nobody's terminal.
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

  test.each(['SIGHUP', 'SIGINT'] as const)('%s lets balancers see it first, too', async (signal) => {
    const example = await startExample(environment)
    const ended = example.stop(signal)
    const statuses = new Set<number>()
    while (!statuses.has(503)) statuses.add((await fetch(`${example.appURL}/healthz`)).status)
    expect(await ended).toBe(0)
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
    const { hostname, port } = new URL(example.appURL)
    const visitor = connect({ host: hostname, port: Number(port) })
    visitor.on('error', () => {})
    const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100'
    // The answer to the first says that the second has arrived with it.
    visitor.write(`GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nPOST /logout HTTP/1.1\r\nHost: a\r\n${form}\r\n\r\na=`)
    await once(visitor, 'data')
    expect(await example.stop('SIGTERM')).toBe(1)
    expect(lastLine(example.output())).toMatchObject({ reason: 'some requests have not ended' })
  })
})

function lastLine(output: string): unknown {
  return JSON.parse(output.trim().split('\n').at(-1) ?? '')
}
