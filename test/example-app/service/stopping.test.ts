import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { startExample, temporaryFolder } from '../../support/example/example-app'

describe('while the example stops', () => {
  const folder = temporaryFolder()
  const environment = (drainSeconds: string): Record<string, string> => ({
    DATA_DIR: folder.path,
    HOST: '127.0.0.1',
    DRAIN_SECONDS: drainSeconds,
  })
  afterAll(() => folder.remove())

  test('every answer says that it is the last of its connection', async () => {
    const example = await startExample(environment('30'))
    const clients = Array.from({ length: 4 }, () => new KeepAliveClient(example.appURL))
    for (const client of clients) expect(await client.get('/login')).toMatchObject({ headers: keptAlive })
    void example.stop('SIGTERM')
    const health = new KeepAliveClient(example.appURL)
    for (;;) {
      const answer = await health.get('/healthz')
      if ('status' in answer && answer.status === 503) break
      await delay(10)
    }
    const paths = ['/login', '/profile', '/nowhere', '/healthz']
    for (const [index, client] of clients.entries()) {
      expect(await client.get(paths[index] ?? '/')).toMatchObject({ headers: { connection: 'close' } })
    }
    await example.stop('SIGKILL')
  })

  test('no client that keeps its connection is cut off', async () => {
    const example = await startExample(environment('0.5'))
    const cut: string[] = []
    let answers = 0
    let isStopping = false
    const visit = async (): Promise<void> => {
      const client = new KeepAliveClient(example.appURL)
      for (;;) {
        const outcome = await client.get('/login')
        if ('status' in outcome) answers += isStopping ? 1 : 0
        else if (outcome.onKeptConnection) cut.push(outcome.error)
        if ('error' in outcome) break
        // Some ask again at once, others wait and are idle when the connection is closed.
        await delay(Math.random() * 40)
      }
      client.close()
    }
    const visits = Array.from({ length: 20 }, visit)
    await delay(300)
    isStopping = true
    expect(await example.stop('SIGTERM')).toBe(0)
    await Promise.all(visits)
    expect(cut).toEqual([])
    expect(answers).toBeGreaterThan(20)
  })

  test('connections without a request, kept or opened in advance, hold nothing up', async () => {
    const example = await startExample(environment('0'))
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

const keptAlive = { connection: 'keep-alive' }

async function socketTo(appURL: string): Promise<Socket> {
  const { hostname, port } = new URL(appURL)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** What became of a request: an answer, or the error, and whether its connection had served another one before. */
type KeptOutcome =
  | { readonly status: number; readonly headers: IncomingHttpHeaders }
  | { readonly error: string; readonly onKeptConnection: boolean }

/** A client with one connection that it keeps for as long as it may, as proxies do. It tries nothing again. */
class KeepAliveClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(private readonly origin: string) {}

  get(path: string): Promise<KeptOutcome> {
    return new Promise((resolve) => {
      const outgoing = request(`${this.origin}${path}`, { agent: this.#agent }, (response) => {
        const { statusCode: status = 0, headers } = response
        response.resume()
        response.once('close', () =>
          resolve(response.complete ? { status, headers } : { error: 'cut off', onKeptConnection: true }),
        )
      })
      outgoing.once('error', (error) => resolve({ error: error.message, onKeptConnection: outgoing.reusedSocket }))
      outgoing.end()
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
