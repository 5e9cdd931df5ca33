import { deflateSync } from 'node:zlib'
import type { SocialLoginClient } from '../../../../lib/client/client'
import type { OutcomeCode, Phase } from '../../../../lib/errors'
import type { Endpoint, Fault } from '../../../../lib/testing'
import { expectOutcome, key, marker, token, useClients } from '../../../support/client'
import { freePort } from '../../../support/free-port'
import { rejectionOf } from '../../../support/leak-check'

const clients = useClients()
let client: SocialLoginClient

beforeAll(() => {
  client = clients.client({ timeout: 5000 })
})

const endpoints: [Endpoint, Phase, (client: SocialLoginClient) => Promise<unknown>][] = [
  ['authorize', 'exchange', (asked) => asked.exchangeAuthKey(key)],
  ['user/me', 'profile', (asked) => asked.getCurrentUser(token)],
  ['get_user_info', 'profile', (asked) => asked.getUserInfo(token)],
]

const REPEATED: ReadonlySet<OutcomeCode> = new Set(['provider_unavailable', 'provider_unreachable'])

async function expectEverywhere(fault: Fault, code: OutcomeCode) {
  const errors = []
  for (const [endpoint, phase, ask] of endpoints) {
    clients.provider.clearRequests()
    clients.provider.failNext(endpoint, fault, { times: 3 })
    const error = expectOutcome(await rejectionOf(ask(client)), code, phase)
    errors.push(error)
    const isUnanswered = fault.reset === 'before' || fault.raw === ''
    const isRepeated = isUnanswered || (phase === 'profile' && REPEATED.has(code) && !error.retryAfter)
    // Nothing is sent elsewhere, no redirect is followed, and only profile requests are retried after a response: see
    // retried-profile.test.ts.
    const sent = isRepeated ? [endpoint, endpoint] : [endpoint]
    expect(clients.provider.requests.map((request) => request.endpoint)).toEqual(sent)
    clients.provider.clearFaults()
  }
  const { access_token } = await client.exchangeAuthKey(clients.newKey())
  expect(await client.getCurrentUser(access_token)).toMatchObject({ user_id: '1' })
  return errors
}

const okay = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const json = `{"access_token":"${token}","user_id":"1","marker":"${marker}"}`
const html = `<!doctype html><title>${marker}</title><h1>Maintenance</h1>`

test.each([300, 301, 302, 303, 304, 305, 307, 308])(
  'a redirect with status %d is never followed, and its body is ignored',
  async (status) => {
    const [error] = await expectEverywhere(
      { status, redirect: `/api/get_user_info?x=${marker}` },
      'provider_redirected',
    )
    expect(error?.message).toContain('baseURL')
    if (status === 304) return
    await expectEverywhere({ status, redirect: `https://evil.example/${marker}`, body: json }, 'provider_redirected')
    await expectEverywhere({ status, body: json }, 'provider_redirected')
  },
)

test.each([500, 501, 502, 503, 504, 521, 599])(
  'status %d gives provider_unavailable, whatever its body',
  async (status) => {
    for (const body of ['', html, json]) await expectEverywhere({ status, body }, 'provider_unavailable')
  },
)

test.each([
  ['120', 120],
  ['0', 0],
  ['9999999999', 86_400],
  ['99999999999999999999', 86_400],
  ['9'.repeat(400), 86_400],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
  ['soon', undefined],
  ['1e3', undefined],
  ['-5', undefined],
  ['soon 3000', undefined],
  ['', undefined],
  [`1; ${marker}`, undefined],
])('a rate limit with Retry-After %j asks to wait for %p seconds', async (value, seconds) => {
  const fault = { status: 429, headers: { 'retry-after': value }, body: json }
  for (const error of await expectEverywhere(fault, 'provider_rate_limited')) expect(error.retryAfter).toBe(seconds)
  const unavailable = await expectEverywhere({ ...fault, status: 503 }, 'provider_unavailable')
  for (const error of unavailable) expect(error.retryAfter).toBe(seconds)
})

test('a rate limit that lasts until a date asks to wait until then', async () => {
  const date = new Date(Date.now() + 3600_000).toUTCString()
  for (const error of await expectEverywhere(
    { status: 429, headers: { 'retry-after': date } },
    'provider_rate_limited',
  )) {
    expect(error.retryAfter).toBeGreaterThan(3500)
    expect(error.retryAfter).toBeLessThanOrEqual(3600)
    expect(error.headers['Retry-After']).toBe(String(error.retryAfter))
  }
})

test('a rate limit without Retry-After, or with two, gives no time', async () => {
  for (const headers of [{}, { 'retry-after': ['1', '2'] }, { 'x-ratelimit-reset': '9' }]) {
    const errors = await expectEverywhere({ status: 429, headers }, 'provider_rate_limited')
    for (const error of errors) expect(error.retryAfter).toBeUndefined()
  }
})

test.each<[string, Fault]>([
  ['3 MB', { body: `{"access_token":"${'x'.repeat(3_000_000)}"}` }],
  ['64 KiB and one byte', { body: json.padEnd(65_537) }],
  ['no end', { endless: true, body: json }],
  ['no end and an error status', { endless: true, status: 404, body: marker }],
  ['gzip', { headers: { 'content-encoding': 'gzip' }, body: json }],
  ['br', { headers: { 'content-encoding': 'br' }, body: json }],
  ['a deflate bomb', { headers: { 'content-encoding': 'deflate' }, body: deflateSync(Buffer.alloc(5_000_000)) }],
  ['two encodings', { headers: { 'content-encoding': 'identity, gzip' }, body: json }],
  ['invalid UTF-8', { body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) }],
  ['UTF-16', { body: Buffer.from(json, 'utf16le') }],
  ['an overlong UTF-8 sequence', { body: Buffer.from([0x22, 0xc0, 0xaf, 0x22]) }],
])('a body of %s is refused', async (_, fault) => {
  await expectEverywhere(fault, 'provider_bad_response')
})

test.each(['identity', 'Identity', ''])('a content-encoding of %j counts as none', async (encoding) => {
  clients.provider.failNext('authorize', { headers: { 'content-encoding': encoding }, body: json })
  expect(await client.exchangeAuthKey(key)).toMatchObject({ access_token: token })
})

test('a body of 64 KiB is read to its end', async () => {
  clients.provider.failNext('authorize', { body: json.padEnd(65_536) })
  expect(await client.exchangeAuthKey(key)).toMatchObject({ access_token: token })
})

test('a body that arrives byte by byte is read completely, including multi-byte characters', async () => {
  clients.provider.failNext('user/me', { drip: 1, body: '{"user_id":"1","user_name":"Zoë 😀"}' })
  expect(await client.getCurrentUser(token)).toMatchObject({ user_id: '1', user_name: 'Zoë 😀' })
})

test.each<[string, Fault]>([
  ['an SSH banner', { raw: `SSH-2.0-${marker}\r\n` }],
  ['HTTP/0.9', { raw: json }],
  ['a bad status line', { raw: `HTTP/1.1 two hundred\r\n\r\n${marker}` }],
  ['a bad Content-Length', { raw: `${okay}content-length: ${marker}\r\n\r\n${json}` }],
  ['two Content-Lengths', { raw: `${okay}content-length: 5\r\ncontent-length: 6\r\n\r\n${json}` }],
  ['a length and chunks', { raw: `${okay}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n` }],
  ['a bad chunk', { raw: `${okay}transfer-encoding: chunked\r\n\r\n${marker}\r\n` }],
  ['a header of 20 kB', { raw: `${okay}x-canary: ${'x'.repeat(20_000)}\r\n\r\n{}` }],
  ['10,000 headers', { raw: `${okay}${Array.from({ length: 10_000 }, (_, n) => `x-${n}: 1\r\n`).join('')}\r\n{}` }],
  ['a negative length', { raw: `${okay}content-length: -1\r\n\r\n${json}` }],
  ['a list of lengths', { raw: `${okay}content-length: 5, 6\r\n\r\n${json}` }],
  ['a header of 1 MB', { raw: `${okay}x-canary: ${'x'.repeat(1_000_000)}\r\n\r\n{}` }],
  ['a control character in a header', { raw: `${okay}x-a: \u0000\r\n\r\n{}` }],
])('a response with %s gives provider_bad_response', async (_, fault) => {
  await expectEverywhere(fault, 'provider_bad_response')
})

test.each<[string, Fault]>([
  ['reset before the answer', { reset: 'before' }],
  ['reset within the headers', { reset: 'headers', body: json }],
  ['reset within the body', { reset: 'body', body: json }],
  ['closed without an answer', { raw: '' }],
  ['closed within the headers', { raw: 'HTTP/1.1 200 OK\r\ncontent-ty' }],
  ['closed within the body', { body: json, truncate: 10 }],
  ['switched to another protocol', { raw: 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n' }],
  ['closed within a chunk', { raw: `${okay}transfer-encoding: chunked\r\n\r\nff\r\n{` }],
])('a connection that is %s gives provider_unreachable', async (_, fault) => {
  await expectEverywhere(fault, 'provider_unreachable')
})

test('bytes after a complete response do not belong to it', async () => {
  clients.provider.failNext('authorize', { raw: `${okay}content-length: ${json.length}\r\n\r\n${json}JUNK ${marker}` })
  expect(await client.exchangeAuthKey(key)).toMatchObject({ access_token: token })
})

test('a connection that is reset after a complete response gives success or provider_unreachable', async () => {
  for (const [endpoint, phase, ask] of endpoints) {
    clients.provider.failNext(endpoint, { reset: 'after', body: json })
    const error = await ask(client).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (error !== undefined) expectOutcome(error, 'provider_unreachable', phase)
  }
})

test.each<[string, Fault]>([
  ['never comes', { hang: true }],
  ['comes late', { delay: 60_000 }],
  ['stops within the headers', { raw: `${okay}x-a: ${'b'.repeat(5000)}`, drip: 20 }],
  ['drips', { body: json.padEnd(5000), drip: 20 }],
  ['drips with an error status', { status: 400, body: json.padEnd(5000), drip: 20 }],
  ['consists of early hints only', { raw: 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500), drip: 5 }],
])('a response that %s is given up at the deadline', async (_, fault) => {
  const hasty = clients.client({ timeout: 250 })
  const asked = endpoints.map(async ([endpoint, phase, ask]) => {
    clients.provider.failNext(endpoint, fault)
    const start = performance.now()
    expectOutcome(await rejectionOf(ask(hasty)), 'provider_timeout', phase)
    const elapsed = performance.now() - start
    expect(elapsed).toBeGreaterThan(200)
    expect(elapsed).toBeLessThan(1500)
  })
  await Promise.all(asked)
})

test('20 faults in a row do not affect the next login', async () => {
  const hasty = clients.client({ timeout: 100, maxConnections: 2 })
  for (const fault of [{ hang: true }, { endless: true, status: 500 }, { reset: true }, { raw: 'x' }]) {
    clients.provider.failNext('authorize', fault, { times: 20 })
    const errors = await Promise.all(Array.from({ length: 20 }, () => rejectionOf(hasty.exchangeAuthKey(key))))
    for (const error of errors) expect(error).toHaveProperty('phase', 'exchange')
    clients.provider.clearFaults()
    const { access_token } = await client.exchangeAuthKey(clients.newKey())
    expect(await client.getCurrentUser(access_token)).toMatchObject({ user_id: '1' })
  }
})

test('plain HTTP where TLS is expected gives provider_unreachable', async () => {
  const asked = clients.client({ baseURL: clients.provider.baseURL.replace('http:', 'https:') })
  for (const [, phase, ask] of endpoints) expectOutcome(await rejectionOf(ask(asked)), 'provider_unreachable', phase)
  expect(clients.provider.requests).toEqual([])
})

test('a closed port and an unknown host give provider_unreachable', async () => {
  for (const [baseURL, hint] of [
    [`http://127.0.0.1:${await freePort()}/api/v1`, 'was refused: nothing listens'],
    // A label that is too long for DNS, so that no name server is asked.
    [`https://${'a'.repeat(64)}.invalid/api/v1`, 'could not be looked up'],
  ] as const) {
    // A third of the timeout is for new attempts to connect.
    const asked = clients.client({ baseURL, timeout: 300 })
    for (const [, phase, ask] of endpoints) {
      const { message } = expectOutcome(await rejectionOf(ask(asked)), 'provider_unreachable', phase)
      expect(message).toContain(hint)
    }
  }
})
