import { execFile } from 'node:child_process'
import type { RequestListener } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { findSecrets } from '../support/canaries'
import { page, sendJSON, useServers } from '../support/doctor'
import { type Ended, runDoctor, runDoctorProcess, unwrapped } from '../support/doctor-command'
import { repeat, type Wire } from '../support/raw-provider'

// Providers that try to harm the doctor.

const SECRET = 'app-secret-canary-5c1e9a7f'
const KEY = 'auth-key-canary-77aa0b1c'
const TOKEN = 'token-canary-c0ffee51de'
const ESCAPES = '\x1b]0;title\x07\x1b[2J\x9b31m\u202etxt\r'
const { listening, serve, proxyTo } = useServers()

/** Connections are tried again for a third of it: what cannot be reached is given up soon. */
const SOON = ['--timeout', '1']

const login = (baseURL: string, { secret = SECRET, more = [] as string[] } = {}) =>
  runDoctor([baseURL, '--app-id', 'mine', '--login', '--spend-twice', '--allow-get', ...more], {
    env: { SOCIAL_CLIENT_SECRET: secret },
    input: `http://app.example/cb?auth_key=${KEY}\nhttp://app.example/cb?auth_key=${KEY}\n`,
  })

/** A provider whose logins end in this token. @returns what it received */
function siteWithToken(token: string, profile: object = { user_id: '1', user_name: 'Ann' }) {
  const bodies: string[] = []
  const listener: RequestListener = async (request, response) => {
    const body = await text(request)
    bodies.push(`${request.url} ${body}`)
    if (request.url?.includes('/oauth?')) response.end('<form>')
    else if (body.includes(KEY)) sendJSON(response, { access_token: token })
    else if (request.headers.authorization === `Bearer ${token}`) sendJSON(response, profile)
    else sendJSON(response, { error: true }, 401)
  }
  return { bodies, listener }
}

const OKAY = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

const endless: readonly (readonly [what: string, wire: Wire, sentence: RegExp])[] = [
  ['an endless body', repeat(`${OKAY}\r\n`, 'x'.repeat(1000)), /is no exchange/],
  [
    'chunks of one byte with extensions of 8 KB',
    repeat(`${OKAY}transfer-encoding: chunked\r\n\r\n`, `1;${'x'.repeat(8000)}\r\nx\r\n`),
    /within 1 second|is no exchange|The response is larger/,
  ],
  [
    'a chunk of 2 GB',
    repeat(`${OKAY}transfer-encoding: chunked\r\n\r\n7fffffff\r\n`, 'x'.repeat(65_536)),
    /is no exchange/,
  ],
  [
    'brackets in chunks of one byte, all together',
    (socket: Socket) =>
      socket.write(
        `${OKAY}connection: close\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\n[\r\n'.repeat(30_000)}0\r\n\r\n`,
      ),
    /is no exchange/,
  ],
  [
    'early hints without end',
    repeat('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
    /within 1 second|The response is larger/,
  ],
  ['a header of megabytes', repeat(`${OKAY}x-a: `, 'x'.repeat(65_536)), /The headers of the response are larger/],
  [
    'trailers without end',
    repeat(`${OKAY}transfer-encoding: chunked\r\n\r\n0\r\n`, 'x-a: b\r\n'),
    /The headers of the response are larger/,
  ],
]

describe('a process with a tenth of the memory that one of these would take', () => {
  const reports: Ended[] = []

  beforeAll(async () => {
    const urls: string[] = []
    for (const [, wire] of endless) {
      const server = createServer((socket) => void socket.once('data', () => wire(socket, '')))
      urls.push(`http://localhost:${await listening(server)}/api/v1`)
    }
    const program = ['--max-old-space-size=64', join(__dirname, 'doctor-program.js'), ...urls]
    const { stdout } = await promisify(execFile)(process.execPath, program, {
      env: { PATH: process.env['PATH'] ?? '' },
    })
    reports.push(...JSON.parse(stdout))
  }, 30_000)

  test.each(endless.map(([what, , sentence], index) => [what, sentence, index] as const))(
    '%s ends at a bound',
    (_what, sentence, index) => {
      expect(reports[index]).toEqual({ code: 1, stderr: '', stdout: expect.stringMatching(sentence) })
    },
  )
})

const ROOT = `https://uploads.example/${ESCAPES.trim()}/`

test.each<[place: string, RequestListener, check: string]>([
  [
    'bodies, headers and addresses',
    // Sent as bytes: node:http refuses such headers.
    ({ url = '' }, response) =>
      response.socket?.end(
        Buffer.from(
          `HTTP/1.1 ${url.includes('oauth') ? '302 Found' : `401 ${'\x9b31m'}`}\r\nlocation: /x${encodeURIComponent(ESCAPES)}\r\n` +
            `server: ${'\x9b31m'}\r\n\r\n{"error":true,"message":"${ESCAPES}","${ESCAPES}":1}`,
          'latin1',
        ),
      ),
    'Exchange',
  ],
  [
    'the address of a picture, whose root would be printed',
    siteWithToken(TOKEN, { user_id: 1, user_picture: 'a.png', profile_picture: `${ROOT}a.png` }).listener,
    'Pictures',
  ],
])('terminal escapes in %s do not reach the terminal', async (_place, listener, check) => {
  const baseURL = await serve(listener)
  for (const more of [[], ['--json']]) {
    const { stdout, stderr } = await login(baseURL, { more })
    expect(stdout).toContain(check)
    expect(`${stdout}${stderr}`).toMatch(/^[\n -~]*$/)
  }
})

test.each([
  ['the secret', SECRET],
  ['the key', KEY],
  ['the token', TOKEN],
])('%s, which the provider repeats wherever something is shown, is in no output', async (_what, everywhere) => {
  const picture = `p/${everywhere}.jpg`
  const { listener } = siteWithToken(TOKEN, {
    user_id: 1,
    user_name: everywhere,
    user_picture: picture,
    profile_picture: `http://uploads.example/${everywhere}/${picture}`,
    [everywhere]: everywhere,
  })
  const baseURL = await serve((request, response) => {
    response.setHeader('keep-alive', `timeout=5 ${everywhere}`)
    response.setHeader('x-ratelimit-limit', everywhere)
    // Key and token are not known before the login.
    if (request.url?.includes('/oauth?') && everywhere === SECRET)
      page(302, { location: `http://${everywhere}.invalid/` })(request, response)
    else listener(request, response)
  })
  for (const more of [[], ['--json']]) {
    const { stdout, stderr, code } = await login(baseURL, { more: [...SOON, ...more] })
    expect([typeof code, findSecrets([everywhere], { stdout, stderr })]).toStrictEqual(['number', []])
    expect(unwrapped(stdout)).toContain('Find the folder in the address of a picture')
  }
})

test.each([
  [SECRET, SECRET],
  [SECRET, SECRET.replace('a', '%61')],
  [SECRET, SECRET.replace('a', '%61').concat('-%zz')],
  [SECRET, SECRET.replace('a', '%25252561')],
  ['clé-secrète-5c1e9a7f', encodeURIComponent('clé-secrète-5c1e9a7f')],
])('the secret %s, which the provider repeats before it is sent, is in no output: %s', async (secret, repeated) => {
  const baseURL = await serve((request, response) => {
    const location = `/${repeated}/v1/user/me`
    if (request.url?.startsWith('/api/v1')) response.writeHead(302, { location }).end()
    else sendJSON(response, { error: true }, 401)
  })
  for (const more of [[], ['--json']]) {
    const { code, stdout, stderr } = await login(baseURL, { secret, more })
    expect([code, findSecrets([secret, repeated], { stdout, stderr })]).toStrictEqual([1, []])
    expect(unwrapped(stdout)).toContain('The provider repeated a secret')
  }
})

test('no redirect is followed with a secret', async () => {
  const seen: string[] = []
  const other = await serve((request, response) => {
    seen.push(request.url ?? '')
    response.end()
  })
  const baseURL = await serve(async (request, response) => {
    if (!(await text(request)).includes(SECRET)) return sendJSON(response, { error: true }, 401)
    response.writeHead(307, { location: `${other}/steal` }).end()
  })
  const { code, stdout } = await login(baseURL)
  expect([code, seen]).toStrictEqual([1, []])
  expect(unwrapped(stdout)).toContain('broken   Login: The exchange was answered neither with a token')
})

test('a login is not made where the provider redirected to, but only at the address that was typed', async () => {
  const bodies: string[] = []
  const baseURL = await serve((request, response) => {
    const { url = '' } = request
    if (url.startsWith('/api')) return void response.writeHead(307, { location: `/members${url}` }).end()
    request.on('data', (chunk) => bodies.push(String(chunk)))
    sendJSON(response, { error: true }, 401)
  })
  // A program that follows redirects.
  await fetch(baseURL.replace('v1', 'authorize'), { method: 'POST', body: new URLSearchParams({ SECRET }) })
  expect(bodies.splice(0).join()).toContain(SECRET)
  const { code, stdout, stderr } = await login(baseURL)
  expect([code, bodies.join().includes(SECRET), stderr]).toStrictEqual([1, false, ''])
  const final = baseURL.replace('/api', '/members/api')
  expect(unwrapped(stdout)).toContain(`a secret is sent only to the address that was typed: run this with ${final}`)
})

test('a login is not made by plain http beyond this machine', async () => {
  const seen: string[] = []
  const baseURL = await serve(siteWithToken(TOKEN).listener)
  const { code, stdout } = await runDoctorProcess(
    ['http://nowhere.invalid/api/v1', '--app-id', 'mine', '--login', ...SOON],
    {
      env: { SOCIAL_CLIENT_SECRET: SECRET, http_proxy: await proxyTo(baseURL, (bytes) => seen.push(bytes)) },
      input: `http://app.example/cb?auth_key=${KEY}\n`,
    },
  )
  expect([code, seen.join().includes('authorize'), seen.join().includes(SECRET)]).toStrictEqual([1, true, false])
  expect(unwrapped(stdout)).toContain('Not tried: by plain http, anyone on the way could read the secret.')
})

test('a redirect to something that is no base URL changes no address', async () => {
  const { bodies, listener } = siteWithToken(TOKEN)
  // Without its last three characters, as if it ended in /v1, the address of site.com.au would be that of site.com.
  const baseURL = await serve((request, response) =>
    (request.url === '/api/v1/user/me' ? page(301, { location: '/user/me' }) : listener)(request, response),
  )
  const { stdout } = await runDoctor([baseURL])
  expect(stdout).toContain('good     Exchange: It refuses invented values as JSON')
  expect(bodies.join()).toContain('/api/authorize')
})

test('a token that is part of the address of the provider ends in a report', async () => {
  const { code, stdout, stderr } = await login(await serve(siteWithToken('http').listener))
  expect([code, stderr]).toStrictEqual([expect.any(Number), expect.not.stringContaining('failed')])
  expect(stdout).toContain('baseURL: process.env.SOCIAL_BASE_URL,')
})

test('a proxy that is no address ends in a report', async () => {
  const env = { http_proxy: 'foo' }
  const { code, stdout, stderr } = await runDoctorProcess(['http://social.invalid/api/v1', ...SOON], { env })
  expect([code, stderr, unwrapped(stdout)]).toStrictEqual([
    1,
    '',
    expect.stringContaining('names a proxy by something'),
  ])
})
