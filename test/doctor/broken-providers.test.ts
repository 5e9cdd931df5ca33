import type { RequestListener } from 'node:http'
import { createServer as createTCPServer } from 'node:net'
import { USER_AGENT } from '../../lib/client/options'
import { FakeProvider, type ProviderBehaviours } from '../../lib/testing'
import { diagnose, examineProvider, page, sendJSON, useServers } from '../support/doctor'

// What the doctor says of providers with which no login succeeds, or none without other options.

const { listening, serve, proxyTo } = useServers()

async function fake(mode: Partial<ProviderBehaviours>, front?: RequestListener): Promise<string> {
  const provider = new FakeProvider({ mode })
  return serve((request, response) => {
    front?.(request, response)
    if (!response.headersSent) provider.requestListener(request, response)
  })
}

/** A provider whose API refuses everything, and whose login page answers so. */
const withLoginPage = (loginPage: RequestListener): Promise<string> =>
  serve((request, response) => {
    if (request.url?.includes('/oauth?')) loginPage(request, response)
    else sendJSON(response, { error: true }, 401)
  })

/** Closes the connection, if it answers, once it has been asked. */
async function wire(answer?: string): Promise<string> {
  const server = createTCPServer((socket) => {
    socket.once('data', () => answer !== undefined && socket.end(answer))
  })
  return `http://localhost:${await listening(server)}/api/v1`
}

/** Closes each connection without waiting for a request. */
const closing = async (): Promise<string> =>
  `http://localhost:${await listening(createTCPServer((socket) => socket.end()))}/api/v1`

const FIREWALL = 'broken Exchange: By its marks, a firewall or bot protection in front of the provider'

const overTLS = async (): Promise<string> => (await serve(page(404))).replace('http:', 'https:')

test.each<[title: string, start: () => Promise<string>, sentence: string]>([
  ['a page of Cloudflare', () => serve(page(403, { server: 'cloudflare' })), FIREWALL],
  ['a page of Imperva', () => serve(page(503, { 'x-iinfo': '9-123-0' })), FIREWALL],
  ['a challenge', () => serve(page(401, { 'cf-mitigated': 'challenge' })), FIREWALL],
  ['plain HTTP at the port of https', overTLS, 'The TLS handshake failed: does that port speak https?'],
  ['no answer', () => wire(), 'There was no complete response within 0.2 seconds.'],
  ['closed connections', () => wire(''), 'The connection was closed before the response was complete.'],
  [
    'connections that are closed once they are open',
    closing,
    'The connection was closed before the response was complete.',
  ],
  ['something that is no HTTP', () => wire('SSH-2.0-hello\r\n'), 'The response is not HTTP/1.1.'],
  ['no such host', async () => 'https://nowhere.invalid/api/v1', 'The host name could not be looked up (DNS).'],
  ['a port where nothing listens', async () => 'http://localhost:1/api/v1', 'The connection was refused'],
])('%s: no login is possible, and the report says why', async (title, start, sentence) => {
  const { isBroken, report } = await diagnose(await start(), { timeout: title === 'no answer' ? 200 : 20_000 })
  expect([isBroken, report]).toStrictEqual([true, expect.stringContaining(sentence)])
})

test('a firewall that refuses the name of this package alone', async () => {
  const provider = await FakeProvider.start()
  const application = provider.registerApplication({ name: 'Mine', redirectURL: 'http://localhost:1/cb' })
  const baseURL = await serve((request, response) => {
    if (/^passport/.test(request.headers['user-agent'] ?? '')) return page(403)(request, response)
    request.headers.host = new URL(provider.origin).host
    provider.requestListener(request, response)
  })
  const { findings, options } = await examineProvider(provider, application, { baseURL, userAgent: USER_AGENT })
  await provider.stop()
  expect(findings.filter(({ level }) => level !== 'good')).toStrictEqual([
    {
      level: 'differs',
      code: 'user_agent_refused',
      check: 'User-Agent',
      message: 'A firewall refuses the name of this package: use the option userAgent.',
    },
  ])
  const userAgent = 'Mozilla/5.0 (compatible; passport-social-login)'
  const { appID: clientID, redirectURL: callbackURL } = application
  expect(options).toEqual({ baseURL, clientID, callbackURL, userAgent })
})

test('a redirect to a path that has the name of an endpoint twice', async () => {
  const baseURL = await serve((request, response) => {
    const location = '/user/me/v1/user/me'
    if (request.url === '/api/v1/user/me') page(301, { location })(request, response)
    else sendJSON(response, { error: true }, 401)
  })
  const { report } = await diagnose(baseURL)
  expect(report).toContain(`baseURL: '${new URL('/user/me/v1', baseURL).href}'`)
})

test('a firewall that refuses any name: the usual one is used on', async () => {
  const names: (string | undefined)[] = []
  const baseURL = await serve((request, response) => {
    names.push(request.headers['user-agent'])
    page(403, { server: 'cloudflare' })(request, response)
  })
  const { report } = await diagnose(baseURL)
  const [usual, other, ...rest] = names
  expect([usual, other]).toStrictEqual([USER_AGENT, 'Mozilla/5.0 (compatible; passport-social-login)'])
  expect([rest.length > 2, new Set(rest)]).toStrictEqual([true, new Set([USER_AGENT])])
  expect(report).not.toContain('userAgent')
})

describe('a redirect to an address inside the network, which the provider alone has named', () => {
  const seen: string[] = []
  const inside = async (host = 'localhost'): Promise<string> => {
    const url = await serve(
      (request, response) =>
        page(200)(
          request,
          response.on('close', () => seen.push(request.url ?? '')),
        ),
      host,
    )
    return new URL(url).origin
  }
  beforeEach(() => seen.splice(0))

  test.each(['localhost', '127.0.0.1'])('of the login page, to %s: it is neither asked nor proposed', async (host) => {
    const origin = await inside(host)
    const baseURL = await fake({}, (request, response) => {
      if (request.url?.includes('/oauth?')) page(302, { location: `${origin}/admin` })(request, response)
    })
    // A client that follows it.
    await fetch(`${baseURL.slice(0, -3)}/oauth?app_id=1`)
    expect(seen.splice(0)).toStrictEqual(['/admin'])
    const { isBroken, report } = await diagnose(baseURL, { appID: 'mine' })
    expect([isBroken, seen]).toStrictEqual([false, []])
    expect(report).toContain(`differs Login page: It leads to ${origin}, a private address, and no one typed it`)
    expect(report).not.toContain('allowedCallbackOrigins')
  })

  test('of the API: it is not asked', async () => {
    const origin = await inside()
    const redirecting = await serve((request, response) =>
      page(301, { location: `${origin}${request.url}` })(request, response),
    )
    await fetch(`${redirecting}/user/me`)
    expect(seen.splice(0)).toStrictEqual(['/api/v1/user/me'])
    const { isBroken, report } = await diagnose(redirecting)
    expect([isBroken, seen]).toStrictEqual([true, []])
    expect(report).toContain(`broken Address: It leads to ${origin}, a private address, and no one typed it`)
  })

  test.each(['http://10.0.0.5/', 'http://[::1]:1/', 'http://169.254.169.254/latest', 'http://2130706433:1/'])(
    '%s is one',
    async (location) => {
      const { report } = await diagnose(await withLoginPage(page(302, { location })), { timeout: 500 })
      expect(report).toMatch(/differs Login page: It leads to \S+, a private address, and no one typed it/)
    },
  )

  test('nor is another host through a proxy, which might find it there', async () => {
    const baseURL = await fake({}, (request, response) => {
      if (request.url?.includes('/oauth?')) page(302, { location: 'http://intranet.example/' })(request, response)
    })
    const bytes: string[] = []
    process.env['http_proxy'] = await proxyTo(baseURL, (received) => bytes.push(received))
    const { report } = await diagnose('http://nowhere.invalid/api/v1', { hasProxy: true })
    delete process.env['http_proxy']
    expect([bytes.join().includes('/api/oauth'), bytes.join().includes('intranet')]).toStrictEqual([true, false])
    expect(report).toContain('Login page: It leads to http://intranet.example, another host, which a proxy might find')
  })
})

test('a proxy of the environment without which the provider is not reached', async () => {
  process.env['http_proxy'] = await proxyTo(await fake({}))
  const { isBroken, report } = await diagnose('http://nowhere.invalid/api/v1', { hasProxy: true })
  delete process.env['http_proxy']
  expect(report).not.toContain('broken Network')
  expect(report).toContain('differs Proxy: A direct request failed')
  expect(report).toContain("dispatcher: new EnvHttpProxyAgent(), // from 'undici'")
  // Plain http beyond this machine.
  expect([isBroken, report]).toStrictEqual([true, expect.stringContaining('broken Encryption')])
})
