import { type Application, FakeProvider } from '../../lib/testing'
import { listen } from '../support/listen'
import { bearer, signInAs, tokenFor } from '../support/provider-http'
import { type RawAnswer, sendRaw } from '../support/raw-requests'

// What a website can do while its visitor runs a fake provider on 127.0.0.1:4400 of the same machine.

let provider: FakeProvider
let application: Application
let cookie: string
let token: string

beforeEach(async () => {
  provider = await FakeProvider.start()
  application = provider.registerApplication({ name: 'My app', redirectURL: 'http://localhost:3000/cb' })
  token = await tokenFor(provider, application)
  cookie = await signInAs(provider, '1')
  provider.clearRequests()
})

afterEach(() => provider.stop())

/** The routes that change state, each with an effective form. */
const forms: ReadonlyArray<[path: string, form: string]> = [
  ['/sign-in', 'user_id=2'],
  ['/sign-out', ''],
  ['/approval', 'app_id=APP&decision=approve&remember=yes'],
  ['/approval/revoke', 'app_id=APP'],
  ['/developers', 'name=Evil&redirect_url=http://evil.example/'],
  ['/developers/APP', 'redirect_url=http://evil.example/'],
  ['/developers/APP/secret', ''],
  ['/developers/APP/delete', ''],
  ['/users', 'user_name=evil'],
  ['/users/1', 'user_name=evil'],
  ['/users/1/delete', ''],
  ['/api/authorize', 'app_id=APP&app_secret=SECRET&auth_key=KEY'],
]

const pages = ['/', '/developers', '/users', '/users/1', '/sign-in', '/style.css', '/pictures/1.svg']
const targets = ['/api/oauth?app_id=APP', '/api/authorize', '/api/v1/user/me', '/api/get_user_info?access_token=TOKEN']

/** Recorded headers of browsers on a page of https://evil.example; the second lacks Fetch Metadata. */
const crossSite = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document']
const evilHeaders = [
  ['Origin: https://evil.example', ...crossSite],
  ['Origin: https://evil.example', 'Referer: https://evil.example/'],
  ['Origin: null'],
  ['Origin: http://evil.example.127.0.0.1'],
]

function filled(text: string): string {
  const { appID, appSecret } = application
  return text.replace('APP', appID).replace('SECRET', appSecret).replace('TOKEN', token)
}

function state(): unknown {
  return structuredClone([provider.applications, provider.users, provider.requests])
}

function host(): string {
  return new URL(provider.origin).host
}

function send(origin: string, line: string, headers: readonly string[], body = ''): Promise<RawAnswer> {
  const type = body === '' ? [] : ['Content-Type: application/x-www-form-urlencoded']
  return sendRaw(origin, [`${filled(line)} HTTP/1.1`, ...headers, ...type, `Cookie: ${cookie}`], filled(body))
}

/** A provider that checks neither the origin of a form nor its Host. */
async function withNaiveProvider<T>(work: (origin: string, registered: string[]) => Promise<T>): Promise<T> {
  const registered: string[] = []
  await using listening = await listen((request, response) => {
    request.on('data', (chunk) => registered.push(String(chunk)))
    request.on('end', () => response.end('app_secret: 12345'))
  }, '127.0.0.1')
  return await work(listening.origin, registered)
}

describe('forms of another site', () => {
  test('change a provider that does not check their origin', async () => {
    await withNaiveProvider(async (origin, registered) => {
      await send(origin, 'POST /developers', [`Host: ${host()}`, ...(evilHeaders[0] ?? [])], 'name=Evil')
      expect(registered).toStrictEqual(['name=Evil'])
    })
  })

  test.each(forms)('to %s change nothing here, are not logged and consume no fault', async (path, form) => {
    provider.failNext('authorize', { status: 503 })
    const before = state()
    for (const headers of evilHeaders) {
      const answer = await send(provider.origin, `POST ${path}`, [`Host: ${host()}`, ...headers], form)
      expect(answer.status).toBe(403)
      for (const header of ['set-cookie', 'location']) expect(answer.headers).not.toHaveProperty(header)
    }
    expect(state()).toEqual(before)
    const own = await send(provider.origin, 'POST /api/authorize', [`Host: ${host()}`], 'app_id=APP')
    expect(own.status).toBe(503)
  })

  test.each(forms)('to %s are accepted from a page of the provider itself', async (path, form) => {
    const own = [`Host: ${host()}`, `Origin: ${provider.origin}`, 'Sec-Fetch-Site: same-origin']
    const { status } = await send(provider.origin, `POST ${path}`, own, form)
    expect([303, 302, 400]).toContain(status)
  })
})

describe('DNS rebinding', () => {
  const rebound = ['Host: evil.example:4400', 'Origin: http://evil.example:4400', 'Sec-Fetch-Site: same-origin']

  test('reads the secrets of a provider that accepts any Host', async () => {
    const { body } = await withNaiveProvider((origin) => send(origin, 'GET /developers', rebound))
    expect(body).toContain('app_secret: 12345')
  })

  test.each([...pages, ...targets])('reads nothing of %s', async (path) => {
    const { status, body, headers } = await send(provider.origin, `GET ${path}`, rebound)
    expect([status, headers['location']]).toStrictEqual([421, undefined])
    for (const secret of [application.appSecret, application.appID, 'Lovelace']) expect(body).not.toContain(secret)
    expect(provider.requests).toStrictEqual([])
  })

  test.each(forms)('changes nothing with %s', async (path, form) => {
    const before = state()
    const { status, headers } = await send(provider.origin, `POST ${path}`, rebound, form)
    expect([status, headers['set-cookie']]).toStrictEqual([421, undefined])
    expect(state()).toEqual(before)
  })

  test.each([
    'evil.example',
    'evil.example.',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.test.example',
    'evil.example@localhost',
    '[::1].evil.example',
    '192.0.2.1',
    '%6cocalhost',
    // Names that a neighbour in the same network can answer for, by LLMNR, NetBIOS or DHCP.
    'printer:4400',
    'provider',
    'provider.test',
    'printer.local',
    'evil.localhost.example',
    'x'.repeat(300),
    '',
  ])('does not work with the Host %s', async (name) => {
    expect((await send(provider.origin, 'GET /developers', [`Host: ${name}`])).status).toBe(421)
  })

  test.each(['localhost:4400', '127.0.0.1', '[::1]:4400', 'a.localhost', '127.1.2.3'])(
    'cannot use the Host %s, which is accepted',
    async (name) => {
      expect((await send(provider.origin, 'GET /developers', [`Host: ${name}`])).status).toBe(200)
    },
  )

  test('the option origin allows another name', async () => {
    const named = new FakeProvider({ origin: 'https://social.example' })
    await using listening = await listen(named.requestListener, '127.0.0.1')
    const { origin } = listening
    const answers = ['social.example', 'evil.example'].map((name) => send(origin, 'GET /', [`Host: ${name}`]))
    expect((await Promise.all(answers)).map(({ status }) => status)).toStrictEqual([200, 421])
  })
})

test.each([
  ['localhost:4400', 200],
  ['provider:4400', 200],
  ['social.example', 200],
  ['evil.example', 421],
  ['192.0.2.1:4400', 421],
])('beyond loopback, with a public origin, the Host %s gets the status %i', async (name, status) => {
  const remote = new FakeProvider({ allowRemote: true, origin: 'http://social.example' })
  await using listening = await listen(remote.requestListener, '127.0.0.1')
  expect((await send(listening.origin, 'GET /developers', [`Host: ${name}`])).status).toBe(status)
})

test('no response can be read by a script of another site, and no page framed by it', async () => {
  const reading = [`Host: ${host()}`, 'Origin: https://evil.example']
  for (const path of [...pages, ...targets]) {
    for (const method of ['GET', 'OPTIONS', 'HEAD']) {
      const { headers } = await send(provider.origin, `${method} ${path}`, reading)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toStrictEqual([])
      if (headers['content-type']?.startsWith('text/html') !== true) continue
      expect([headers['x-frame-options'], headers['cache-control']]).toStrictEqual(['DENY', 'no-store'])
      expect(headers['content-security-policy']).toMatch(/^default-src 'none';.*frame-ancestors 'none'/)
    }
  }
})

test.each([
  ['an image', ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: image']],
  ['a script', ['Sec-Fetch-Site: same-site', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: script']],
  // As Chromium sends it, which Node takes for an ordinary request.
  [
    'a WebSocket',
    ['Upgrade: websocket', 'Origin: https://evil.example', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='],
  ],
])('%s of a page of another site is refused, neither logged nor given a fault', async (_kind, headers) => {
  for (const endpoint of ['oauth', 'get_user_info'] as const) {
    provider.failNext(endpoint, { status: 500 })
    const { status } = await send(provider.origin, `GET /api/${endpoint}`, [`Host: ${host()}`, ...headers])
    expect([status, provider.requests]).toStrictEqual([403, []])
  }
})

test('an application, and an address that is typed, reach the endpoints for servers', async () => {
  const typed = [`Host: ${host()}`, 'Sec-Fetch-Site: none']
  expect((await send(provider.origin, 'GET /api/get_user_info?access_token=TOKEN', typed)).status).toBe(200)
  expect((await fetch(`${provider.baseURL}/user/me`, { headers: bearer(token) })).status).toBe(200)
})

test('an application on another site can send its users to the login, and only there', async () => {
  const link = [`Host: ${host()}`, ...crossSite]
  const { status, body } = await send(provider.origin, 'GET /api/oauth?app_id=APP', link)
  expect([status, body.includes('would like to sign you in')]).toStrictEqual([200, true])
})

test('a form of its own pages is accepted, even from a browser without Fetch Metadata', async () => {
  const lines = (origin: string): string[] => [
    'POST /sign-in HTTP/1.1',
    `Host: ${host()}`,
    `Origin: ${origin}`,
    'Content-Type: application/x-www-form-urlencoded',
  ]
  const statuses = [`http://${host()}`, `https://${host()}`, `http://${host()}.evil.example`].map(
    async (origin) => (await sendRaw(provider.origin, lines(origin), 'user_id=2')).status,
  )
  expect(await Promise.all(statuses)).toStrictEqual([303, 303, 403])
})
