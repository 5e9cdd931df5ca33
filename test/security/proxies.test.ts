import { execFile } from 'node:child_process'
import { createServer, request, type Server } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { port, stopServer } from '../support/app'
import { RawProvider } from '../support/raw-provider'

// Plain http is allowed to a host of this machine, because there nobody reads the secret on its way. A proxy of the environment is on
// another machine, and would read it.

const program = join(__dirname, '../world/proxied-requests-program.js')
let provider: RawProvider
let proxy: Server
let asked: string[]

beforeAll(async () => {
  provider = await RawProvider.start()
  proxy = createServer((req, res) => {
    asked.push(req.url ?? '')
    res.end()
  })
  proxy.on('connect', (req, socket) => {
    asked.push(req.url ?? '')
    socket.destroy()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
})
beforeEach(() => {
  asked = []
})
afterAll(async () => {
  await stopServer(proxy)
  await provider.stop()
})

test('a naive client has the proxy read what is meant for this machine', async () => {
  const { origin, host } = new URL(provider.baseURL)
  await new Promise((resolve) => {
    request({ host: '127.0.0.1', port: port(proxy), path: `${origin}/api/authorize`, headers: { host } })
      .on('response', (response) => response.resume().on('end', resolve))
      .end()
  })
  expect(asked).toStrictEqual([`${origin}/api/authorize`])
})

test('ours connects to this machine by itself, whatever proxy the environment names', async () => {
  const { NODE_ENV: _, ...rest } = process.env
  const proxies = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://127.0.0.1:${port(proxy)}` }
  await promisify(execFile)(process.execPath, [program], { env: { ...rest, ...proxies, BASE_URL: provider.baseURL } })
  expect(asked).toStrictEqual([])
  expect(provider.requests.map(({ body }) => body)).toStrictEqual([expect.stringContaining('app_secret=')])
})
