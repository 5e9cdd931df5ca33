import { createServer as createProxyServer, type RequestListener } from 'node:http'
import { connect, createServer as createTCPServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { USER_AGENT } from '../../lib/client/options'
import { FakeProvider, type ProviderBehaviours } from '../../lib/testing'
import { diagnose, examineProvider } from '../support/doctor'
import { listen, port } from '../support/listen'

// What the doctor says of providers with which no login succeeds, or none without other options.

const started: { stop(): Promise<unknown> }[] = []
const sockets = new Set<Socket>()
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  for (const each of started.splice(0)) await each.stop()
})

/** Listens on a free port of localhost. @returns the port */
function listening(server: Server): Promise<number> {
  server.on('connection', (socket: Socket) => void sockets.add(socket.on('error', () => {})))
  started.push({ stop: () => new Promise((resolve) => server.close(resolve)) })
  return new Promise((resolve) => server.listen(0, 'localhost', () => resolve(port(server))))
}

async function serve(listener: RequestListener): Promise<string> {
  const running = await listen(listener)
  started.push(running)
  return `${running.origin}/api/v1`
}

async function provider(mode: Partial<ProviderBehaviours>): Promise<FakeProvider> {
  const fake = await FakeProvider.start({ mode })
  started.push(fake)
  return fake
}

const page =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<!doctype html><h1>Hello</h1>')

test('not our API at all', async () => {
  const { isBroken, report } = await diagnose(await serve(page(404)))
  expect(isBroken).toBe(true)
  expect(report).toContain('broken Exchange: There is no exchange at this address (status 404).')
  expect(report).toContain('broken Profile: Neither user/me (status 404) nor get_user_info answers as the API.')
})

test.each<[string, number, Record<string, string>]>([
  ['a page', 403, { server: 'cloudflare' }],
  ['a page', 503, { 'x-iinfo': '9-123-0' }],
  ['a challenge', 401, { 'cf-mitigated': 'challenge' }],
])('%s with status %d and the marks %j of a firewall', async (_name, status, marks) => {
  const { isBroken, report } = await diagnose(await serve(page(status, marks)))
  expect(isBroken).toBe(true)
  expect(report).toContain('broken Exchange: By its marks, a firewall or bot protection in front of the provider')
})

test('a firewall that refuses the name of this package alone', async () => {
  const fake = await provider({})
  const application = fake.registerApplication({ name: 'Mine', redirectURL: 'http://localhost:1/cb' })
  const baseURL = await serve((request, response) => {
    if (/^passport/.test(request.headers['user-agent'] ?? '')) return page(403)(request, response)
    request.headers.host = new URL(fake.origin).host
    fake.requestListener(request, response)
  })
  const { findings, options } = await examineProvider(fake, application, { baseURL, userAgent: USER_AGENT })
  expect(findings.filter(({ level }) => level !== 'good')).toEqual([
    {
      level: 'differs',
      check: 'User-Agent',
      message: 'A firewall refuses the name of this package: use the option userAgent.',
    },
  ])
  expect(findings.map(({ check }) => check)).toContain('Login')
  const userAgent = 'Mozilla/5.0 (compatible; passport-social-login)'
  const { appID: clientID, redirectURL: callbackURL } = application
  expect(options).toEqual({ baseURL, clientID, callbackURL, userAgent })
})

test('a redirect to another host of the provider', async () => {
  const { baseURL } = await provider({})
  const { isBroken, report } = await diagnose(
    await serve((request, response) => {
      // Both are this machine: only the host that was typed may be private.
      const target = `http://localhost:${new URL(baseURL).port}${request.url}`
      response.writeHead(301, { location: target }).end()
    }),
  )
  const final = `http://localhost:${new URL(baseURL).port}/api/v1`
  expect(isBroken).toBe(false)
  expect(report).toContain(`differs Address: The provider redirects to ${final}.`)
  expect(report).toContain(`baseURL: '${final}'`)
})

test('plain HTTP at the port of https', async () => {
  const { origin } = new URL(await serve(page(404)))
  const { isBroken, report } = await diagnose(`${origin.replace('http:', 'https:')}/api/v1`)
  expect([isBroken, report]).toEqual([
    true,
    expect.stringContaining('The TLS handshake failed: does that port speak https?'),
  ])
})

test.each(['method-not-allowed', 'not-found'] as const)(
  'an exchange by GET only (a POST is %s)',
  async (postAnswer) => {
    const { baseURL } = await provider({ getOnly: true, postAnswer })
    const { isBroken, report } = await diagnose(baseURL)
    expect(isBroken).toBe(false)
    expect(report).toContain('differs Exchange: It refuses a POST with status 40')
    expect(report).toContain("exchangeMethod: 'get',")
  },
)

test('the legacy profile endpoint only', async () => {
  const { baseURL } = await provider({ withoutUserMe: true })
  const { isBroken, report } = await diagnose(baseURL)
  expect(isBroken).toBe(false)
  expect(report).toContain('differs Profile: There is no user/me (status 404), but the legacy get_user_info')
  expect(report).toContain("profileEndpoint: 'get_user_info',")
})

test('pages with status 200', async () => {
  const { baseURL } = await provider({ htmlAtStatus200: true })
  const { isBroken, report } = await diagnose(baseURL)
  expect(isBroken).toBe(true)
  expect(report).toContain('A page instead of the API: maintenance, or an address that is not the API (status 200)')
})

test('a provider that does not answer', async () => {
  const server = createTCPServer()
  const { isBroken, report } = await diagnose(`http://localhost:${await listening(server)}/api/v1`, { timeout: 1000 })
  expect([isBroken, report]).toEqual([true, expect.stringContaining('There was no complete response within 1 second.')])
})

test('a provider that closes each connection', async () => {
  const server = createTCPServer((socket) => socket.end())
  const { isBroken, report } = await diagnose(`http://localhost:${await listening(server)}/api/v1`)
  expect([isBroken, report]).toEqual([
    true,
    expect.stringContaining('The connection was closed before the response was complete.'),
  ])
})

test('something that is no HTTP', async () => {
  const server = createTCPServer((socket) => socket.end('SSH-2.0-hello\r\n'))
  const { isBroken, report } = await diagnose(`http://localhost:${await listening(server)}/api/v1`)
  expect([isBroken, report]).toEqual([true, expect.stringContaining('The response is not HTTP/1.1.')])
})

test('a path that is wrong', async () => {
  const { origin, baseURL } = await provider({})
  const { isBroken, report } = await diagnose(`${origin}/community/api/v1`)
  expect(isBroken).toBe(true)
  expect(report).toContain(`broken Path: The API is not at that path, but at ${baseURL}.`)
  expect(report).toContain(`baseURL: '${baseURL}'`)
})

test('a host that does not exist, and a port where nothing listens', async () => {
  expect((await diagnose('https://nowhere.invalid/api/v1')).report).toContain(
    'The host name could not be looked up (DNS).',
  )
  const server = createTCPServer()
  const free = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  expect((await diagnose(`http://localhost:${free}/api/v1`)).report).toContain('The connection was refused')
})

test('answers that are compressed although nobody asked for that', async () => {
  const compressed: RequestListener = (_request, response) =>
    response.writeHead(401, { 'content-encoding': 'gzip' }).end(gzipSync('{"error":true}'))
  const { isBroken, report } = await diagnose(await serve(compressed))
  expect([isBroken, report]).toEqual([
    true,
    expect.stringContaining('The response is compressed although that was not accepted'),
  ])
})

test('a login page on another origin', async () => {
  const login = await listen(page(200))
  started.push(login)
  const fake = await provider({})
  const { isBroken, report } = await diagnose(
    await serve((request, response) => {
      if (request.url?.includes('/oauth?')) return void response.writeHead(302, { location: login.origin }).end()
      request.headers.host = new URL(fake.origin).host
      fake.requestListener(request, response)
    }),
  )
  expect(isBroken).toBe(false)
  expect(report).toContain(`differs Login page: It is on another origin than the API, ${login.origin}.`)
  expect(report).toContain(`allowedCallbackOrigins: ["${login.origin}"],`)
})

test('a proxy of the environment without which the provider is not reached', async () => {
  const { baseURL } = await provider({})
  const server = createProxyServer()
  server.on('connect', (_request, socket) => {
    const target = connect(Number(new URL(baseURL).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      target.pipe(socket).pipe(target)
    })
    for (const end of [target, socket]) end.on('error', () => {})
  })
  const proxy = `http://localhost:${await listening(server)}`
  process.env['http_proxy'] = proxy
  const { isBroken, report } = await diagnose('http://nowhere.invalid/api/v1', { hasProxy: true })
  delete process.env['http_proxy']
  expect(report).not.toContain('broken Network')
  expect(report).toContain('differs Proxy: The provider is reached through the proxy of this machine alone')
  expect(report).toContain("dispatcher: new EnvHttpProxyAgent(), // from 'undici'")
  // Plain http beyond this machine.
  expect([isBroken, report]).toEqual([true, expect.stringContaining('broken Encryption')])
})
