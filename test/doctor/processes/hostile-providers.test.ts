import { createServer as createHTTPServer, type RequestListener, type ServerResponse } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { findSecrets } from '../../support/canaries'
import { runDoctorProcess as runDoctor, unwrapped } from '../../support/doctor-command'
import { type Listening, listen, port } from '../../support/listen'
import { repeat } from '../../support/raw-provider'

// Providers that want to harm whoever examines them.

const SECRET = 'app-secret-canary-5c1e9a7f'
const KEY = 'auth-key-canary-77aa0b1c'
const TOKEN = 'token-canary-c0ffee51de'
const ESCAPES = '\x1b]0;title\x07\x1b[2J\x9b31m\u202etxt\r'
const sockets = new Set<Socket>()
const started: Pick<Listening, 'stop'>[] = []

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  for (const each of started.splice(0)) await each.stop()
})

async function serve(listener: RequestListener): Promise<string> {
  const running = await listen(listener)
  started.push(running)
  return `${running.origin}/api/v1`
}

const json = (response: ServerResponse, body: object, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const login = (baseURL: string, ...more: string[]) =>
  runDoctor([baseURL, '--app-id', 'mine', '--login', '--spend-twice', '--allow-get', ...more], {
    env: { SOCIAL_CLIENT_SECRET: SECRET },
    input: `http://app.example/cb?auth_key=${KEY}\nhttp://app.example/cb?auth_key=${KEY}\n`,
  })

const OKAY = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

test.each([
  ['an endless body', repeat(`${OKAY}\r\n`, 'x'.repeat(1000)), /is no exchange/],
  [
    'chunks of one byte with extensions of 8 KB',
    repeat(`${OKAY}transfer-encoding: chunked\r\n\r\n`, `1;${'x'.repeat(8000)}\r\nx\r\n`),
    /within 5 seconds|is no exchange/,
  ],
  [
    'a chunk of 2 GB',
    repeat(`${OKAY}transfer-encoding: chunked\r\n\r\n7fffffff\r\n`, 'x'.repeat(65_536)),
    /is no exchange/,
  ],
  [
    'brackets in chunks of one byte, all at once',
    (socket: Socket) =>
      socket.write(
        `${OKAY}connection: close\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\n[\r\n'.repeat(30_000)}0\r\n\r\n`,
      ),
    /is no exchange/,
  ],
  ['early hints without end', repeat('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), /within 5 seconds/],
  ['a header of megabytes', repeat(`${OKAY}x-a: `, 'x'.repeat(65_536)), /not HTTP/],
  [
    'trailers without end',
    repeat(`${OKAY}transfer-encoding: chunked\r\n\r\n0\r\n`, 'x-a: b\r\n'),
    /too large|not HTTP/,
  ],
])('%s ends at a bound', async (_name, wire, sentence) => {
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', () => wire(socket, ''))
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  started.push({ stop: () => new Promise((resolve) => void server.close(() => resolve())) })
  const before = performance.now()
  // A tenth of the memory that one of these would take.
  const ended = await runDoctor([`http://localhost:${port(server)}/api/v1`, '--timeout', '5'], {
    env: { NODE_OPTIONS: '--max-old-space-size=64' },
  })
  expect([ended.code, ended.stderr, ended.stdout]).toEqual([1, '', expect.stringMatching(sentence)])
  expect(performance.now() - before).toBeLessThan(30_000)
})

test('texts with terminal escapes, in bodies, headers and addresses, do not reach the terminal', async () => {
  const baseURL = await serve((request, response) => {
    // Sent as bytes: node:http refuses such headers.
    response.socket?.end(
      Buffer.from(
        `HTTP/1.1 ${request.url?.includes('oauth') ? '302 Found' : `401 ${ESCAPES}`}\r\nlocation: /x${encodeURIComponent(ESCAPES)}\r\n` +
          `server: ${ESCAPES.slice(4, 9)}\r\nx-ratelimit-limit: ${'9'.repeat(30)}\r\n\r\n{"error":true,"message":"${ESCAPES}"}`,
        'latin1',
      ),
    )
  })
  for (const more of [[], ['--json']]) expect(unprintable(await login(baseURL, ...more))).toEqual([])
})

test('nor do those in the address of a picture, whose root would be printed', async () => {
  const baseURL = await serve(({ url = '', headers }, response) => {
    if (url.includes(KEY)) return json(response, { access_token: TOKEN })
    if (!headers.authorization?.includes(TOKEN)) return json(response, { error: true }, 401)
    const root = `https://uploads.example/${ESCAPES.trim()}/`
    json(response, { user_id: 1, user_picture: 'a.png', profile_picture: `${root}a.png` })
  })
  for (const more of [[], ['--json']]) {
    const { stdout, stderr } = await login(baseURL, ...more)
    expect(stdout).toContain('Pictures')
    expect(unprintable({ stdout, stderr })).toEqual([])
  }
})

const unprintable = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string[] =>
  [...(stdout + stderr)].filter((character) => character !== '\n' && (character < ' ' || character > '~'))

test('secrets that the provider repeats wherever something is shown are in no output', async () => {
  const everywhere = `${SECRET}.${KEY}.${TOKEN}`
  const baseURL = await serve((request, response) => {
    const url = request.url ?? ''
    response.setHeader('keep-alive', `timeout=5 ${everywhere}`)
    response.setHeader('x-ratelimit-limit', everywhere)
    if (url.includes('/oauth?'))
      return void response.writeHead(302, { location: `http://${everywhere}.invalid/` }).end()
    if (url.includes('/authorize')) {
      let body = ''
      request.on('data', (chunk) => {
        body += String(chunk)
      })
      request.on('end', () =>
        body.includes(KEY)
          ? json(response, { access_token: TOKEN, x: SECRET })
          : json(response, { error: true, message: everywhere }),
      )
      return
    }
    const isKnown = JSON.stringify([url, request.headers]).includes(TOKEN)
    if (!isKnown) return json(response, { error: true, message: everywhere }, 401)
    const picture = `p/${everywhere}.jpg`
    json(response, {
      user_id: 1,
      user_name: everywhere,
      user_picture: picture,
      profile_picture: `http://uploads.example/${everywhere}/${picture}`,
      [SECRET]: TOKEN,
    })
  })
  for (const more of [[], ['--json']]) {
    const { stdout, stderr, code } = await login(baseURL, ...more)
    expect([typeof code, findSecrets([SECRET, KEY, TOKEN], { stdout, stderr })]).toEqual(['number', []])
    expect(stdout).toContain('Profile')
  }
})

test.each([
  ['file:///etc/passwd', 'redirects to something that is no web address'],
  ['gopher://127.0.0.1:70/', 'redirects to something that is no web address'],
  ['http://169.254.169.254/api/v1/user/me', 'leads to a private address'],
  ['http://10.0.0.1/api/v1/user/me', 'leads to a private address'],
  ['http://[::ffff:10.0.0.1]/api/v1/user/me', 'leads to a private address'],
  ['http://0x7f.1/api/v1/user/me', 'leads to a private address'],
  ['http://127.0.0.1:1/api/v1/user/me', 'leads to a private address'],
])('a redirect to %s is not followed', async (location, sentence) => {
  const baseURL = await serve((_request, response) => response.writeHead(302, { location }).end())
  const { code, stdout } = await runDoctor([baseURL])
  expect([code, stdout.replace(/\n {9}/g, ' ')]).toEqual([1, expect.stringContaining(sentence)])
})

test('nor is one to a name whose address is private', async () => {
  const redirect: RequestListener = (_request, response) =>
    response.writeHead(302, { location: 'http://localhost:1/api/v1/user/me' }).end()
  const running = await listen(redirect, '127.0.0.1')
  started.push(running)
  const { stdout } = await runDoctor([`${running.origin}/api/v1`])
  expect(stdout.replace(/\n {9}/g, ' ')).toContain('It leads to a private address')
})

test('the login page may not lead to a private address either', async () => {
  const baseURL = await serve((request, response) => {
    if (request.url?.includes('/oauth')) return void response.writeHead(302, { location: 'http://127.0.0.2:1/' }).end()
    json(response, { error: true }, 401)
  })
  const { stdout } = await runDoctor([baseURL])
  expect(stdout.replace(/\n {9}/g, ' ')).toContain('broken   Login page: It leads to a private address')
})

test('no redirect is followed with a secret', async () => {
  const seen: string[] = []
  const other = await listen((request, response) => {
    seen.push(request.url ?? '')
    response.end()
  })
  started.push(other)
  const baseURL = await serve((request, response) => {
    const hasSecret = request.method === 'POST' || request.headers.authorization
    if (!hasSecret || !request.url?.includes('authorize')) return json(response, { error: true }, 401)
    let body = ''
    request.on('data', (chunk) => {
      body += String(chunk)
    })
    request.on('end', () => {
      if (body.includes(SECRET)) response.writeHead(307, { location: `${other.origin}/steal` }).end()
      else json(response, { error: true }, 401)
    })
  })
  const { code, stdout } = await login(baseURL)
  expect([code, seen]).toEqual([1, []])
  expect(stdout.replace(/\n {9}/g, ' ')).toContain('broken   Login: The exchange was answered neither with a token')
})

test('a login is not made where the provider redirected to, but only at the address that was typed', async () => {
  const bodies: string[] = []
  const thief = await serve((request, response) => {
    request.on('data', (chunk) => bodies.push(String(chunk)))
    json(response, { error: true }, 401)
  })
  const redirecting = await serve((request, response) =>
    response.writeHead(301, { location: `${new URL(thief).origin}${request.url}` }).end(),
  )
  // A program that looks for the final address, and then logs in there.
  const { url } = await fetch(`${redirecting}/user/me`)
  await fetch(url.replace('v1/user/me', 'authorize'), { method: 'POST', body: new URLSearchParams({ SECRET }) })
  expect(bodies.splice(0).join()).toContain(SECRET)
  const { code, stdout, stderr } = await login(redirecting)
  expect([code, bodies.join().includes(SECRET), stderr]).toEqual([1, false, ''])
  expect(stdout.replace(/\n {9}/g, ' ')).toContain(
    `a secret is sent only to the address that was typed: run this with ${thief}`,
  )
})

test('a login is not made by plain http beyond this machine', async () => {
  const seen: string[] = []
  const baseURL = await serve((_request, response) => json(response, { error: true }, 401))
  const proxy = await listen()
  started.push(proxy)
  proxy.server.on('connect', (_request, client: Socket) => {
    sockets.add(client.on('error', () => {}))
    const target = connect(Number(new URL(baseURL).port), 'localhost', () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
    client.on('data', (chunk) => seen.push(String(chunk)))
    target
      .on('error', () => {})
      .pipe(client)
      .pipe(target)
  })
  const { code, stdout } = await runDoctor(['http://nowhere.invalid/api/v1', '--app-id', 'mine', '--login'], {
    env: { SOCIAL_CLIENT_SECRET: SECRET, http_proxy: proxy.origin },
    input: `http://app.example/cb?auth_key=${KEY}\n`,
  })
  expect([code, seen.join().includes('authorize'), seen.join().includes(SECRET)]).toEqual([1, true, false])
  expect(stdout.replace(/\n {9}/g, ' ')).toContain(
    'Not tried: by plain http, everybody on the way could read the secret.',
  )
})

/** A provider whose logins end in this token. @returns what it received */
function siteWithToken(token: string): { readonly bodies: string[]; readonly listener: RequestListener } {
  const bodies: string[] = []
  const listener: RequestListener = (request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += String(chunk)
    })
    request.on('end', () => {
      bodies.push(`${request.url} ${body}`)
      if (request.url?.includes('/oauth?')) response.end('<form>')
      else if (body.includes(KEY)) json(response, { access_token: token })
      else if (request.headers.authorization === `Bearer ${token}`) json(response, { user_id: '1', user_name: 'Ann' })
      else json(response, { error: true }, 401)
    })
  }
  return { bodies, listener }
}

test('a redirect to something that is no base URL changes no address', async () => {
  const { bodies, listener } = siteWithToken(TOKEN)
  const baseURL = await serve((request, response) => {
    // Without its last three characters, as if it ended in /v1, the address of site.com.au would be that of site.com.
    if (request.url === '/api/v1/user/me') response.writeHead(301, { location: '/user/me' }).end()
    else listener(request, response)
  })
  const { stdout } = await runDoctor([baseURL])
  expect([stdout, bodies.join()]).toEqual([
    expect.stringContaining('good     Exchange: It refuses invented values as JSON'),
    expect.stringContaining('/api/authorize'),
  ])
})

test.each([
  SECRET,
  SECRET.replace('a', '%61'),
  SECRET.replace('a', '%61').concat('-%zz'),
  SECRET.replace('a', '%2561'),
  SECRET.replace('a', '%25252561'),
])('a secret that the provider repeats before any is sent is in no output: %s', async (text) => {
  const baseURL = await serve((request, response) => {
    if (request.url?.startsWith('/api/v1')) response.writeHead(302, { location: `/${text}/v1/user/me` }).end()
    else json(response, { error: true }, 401)
  })
  for (const more of [[], ['--json']]) {
    const { code, stdout, stderr } = await login(baseURL, ...more)
    expect([code, findSecrets([SECRET, text], { stdout, stderr })]).toEqual([1, []])
    expect(unwrapped(stdout)).toContain('The provider repeated a secret')
  }
})

test('a secret beyond ASCII that the provider repeats percent-encoded is in no output', async () => {
  const secret = 'clé-secrète-5c1e9a7f'
  const baseURL = await serve((request, response) => {
    const location = `/${encodeURIComponent(secret)}/v1/user/me`
    if (request.url?.startsWith('/api/v1')) response.writeHead(302, { location }).end()
    else json(response, { error: true }, 401)
  })
  const { stdout, stderr } = await runDoctor([baseURL, '--app-id', 'mine', '--login'], {
    env: { SOCIAL_CLIENT_SECRET: secret },
  })
  expect(findSecrets([secret], { stdout, stderr })).toEqual([])
  expect(unwrapped(stdout)).toContain('The provider repeated a secret')
})

test('a token that is part of the address of the provider ends in a report', async () => {
  const { code, stdout, stderr } = await login(await serve(siteWithToken('http').listener))
  expect([code, stderr]).toEqual([expect.any(Number), expect.not.stringContaining('failed')])
  expect(stdout).toContain('baseURL: process.env.SOCIAL_BASE_URL,')
})

test('the checks after a login page that leads to a private address are made', async () => {
  const baseURL = await serve((request, response) => {
    if (request.url?.includes('/oauth')) response.writeHead(302, { location: 'http://127.0.0.2:1/' }).end()
    else json(response, { error: true }, 401)
  })
  expect((await runDoctor([baseURL])).stdout).toContain('good     Exchange: It refuses invented values as JSON')
})

test('a proxy that is no address ends in a report', async () => {
  const { code, stdout, stderr } = await runDoctor(['http://social.invalid/api/v1'], { env: { http_proxy: 'foo' } })
  expect([code, stderr, unwrapped(stdout)]).toEqual([1, '', expect.stringContaining('names a proxy by something')])
})

describe('behind a proxy that is the only way out', () => {
  /** Leads each connection to the provider. */
  async function proxyTo(listener: RequestListener): Promise<string> {
    const { port: number } = new URL(await serve(listener))
    const server = createHTTPServer().on('connect', (_request, socket: Socket) => {
      const there = connect(Number(number), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(there).pipe(socket)
      })
      for (const each of [there, socket]) sockets.add(each.on('error', () => {}))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    started.push({ stop: () => new Promise((resolve) => void server.close(() => resolve())) })
    return `http://127.0.0.1:${port(server)}`
  }

  test('a redirect to a host of NO_PROXY, which may be private, is not followed', async () => {
    const { bodies, listener } = siteWithToken(TOKEN)
    const { port: number } = new URL(await serve(listener))
    const env = {
      http_proxy: await proxyTo((request, response) =>
        response.writeHead(302, { location: `http://localhost:${number}${request.url}` }).end(),
      ),
      no_proxy: 'localhost',
    }
    const { code, stdout } = await runDoctor(['http://social.invalid/api/v1'], { env })
    expect([code, unwrapped(stdout), bodies]).toEqual([1, expect.stringContaining('It leads to another host'), []])
  })
})
