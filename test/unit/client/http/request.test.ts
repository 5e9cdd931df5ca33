import type { SocialLoginClient } from '../../../../lib/client/client'
import type { OutcomeCode, Phase } from '../../../../lib/errors'
import type { Endpoint, Fault } from '../../../../lib/testing'
import { useClients } from '../../../support/client'
import { rejectionOf } from '../../../support/leak-check'
import { expectOutcome, key, marker, token } from '../../../support/outcomes'

// Faults of a provider in whole logins: test/login/outcome-rows.ts. Here are those of the bytes alone.

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

/** The outcome of each endpoint with this fault; nothing affects the next login. */
async function expectEverywhere(fault: Fault, code: OutcomeCode): Promise<void> {
  for (const [endpoint, phase, ask] of endpoints) {
    clients.provider.clearRequests()
    clients.provider.failNext(endpoint, fault, { times: 3 })
    expectOutcome(await rejectionOf(ask(client)), code, phase)
    expect(new Set(clients.provider.requests.map((request) => request.endpoint))).toEqual(new Set([endpoint]))
    clients.provider.clearFaults()
  }
  const { access_token } = await client.exchangeAuthKey(clients.newKey())
  expect(await client.getCurrentUser(access_token)).toMatchObject({ user_id: '1' })
}

const okay = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const json = `{"access_token":"${token}","user_id":"1","marker":"${marker}"}`

test.each([300, 304, 307])('a redirect with status %d is never followed, and its body is ignored', async (status) => {
  await expectEverywhere({ status, redirect: `/api/get_user_info?x=${marker}` }, 'provider_redirected')
  if (status !== 304) await expectEverywhere({ status, body: json }, 'provider_redirected')
})

// What else is no HTTP: not-http.test.ts.
const badBytes: { title: string; raw: string }[] = [
  { title: 'two Content-Lengths', raw: `${okay}content-length: 5\r\ncontent-length: 6\r\n\r\n${json}` },
  { title: 'a list of lengths', raw: `${okay}content-length: 5, 6\r\n\r\n${json}` },
  { title: 'a header of 20 kB', raw: `${okay}x-canary: ${'x'.repeat(20_000)}\r\n\r\n{}` },
  { title: '10,000 headers', raw: `${okay}${'x-a: 1\r\n'.repeat(10_000)}\r\n{}` },
]

test.each(badBytes)('a response with $title gives provider_bad_response', async ({ raw }) => {
  await expectEverywhere({ raw }, 'provider_bad_response')
})

const broken: { title: string; fault: Fault }[] = [
  { title: 'closed within the headers', fault: { raw: 'HTTP/1.1 200 OK\r\ncontent-ty' } },
  { title: 'closed within the body', fault: { body: json, truncate: 10 } },
  { title: 'closed within a chunk', fault: { raw: `${okay}transfer-encoding: chunked\r\n\r\nff\r\n{` } },
  {
    title: 'switched to another protocol',
    fault: { raw: 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n' },
  },
]

test.each(broken)('a connection that is $title gives provider_unreachable', async ({ fault }) => {
  await expectEverywhere(fault, 'provider_unreachable')
})

test('bytes after a complete response do not belong to it', async () => {
  clients.provider.failNext('authorize', { raw: `${okay}content-length: ${json.length}\r\n\r\n${json}JUNK ${marker}` })
  expect(await client.exchangeAuthKey(key)).toMatchObject({ access_token: token })
})

test('a body that arrives byte by byte is read completely, including multi-byte characters', async () => {
  clients.provider.failNext('user/me', { drip: 1, body: '{"user_id":"1","user_name":"Zoë 😀"}' })
  expect(await client.getCurrentUser(token)).toMatchObject({ user_id: '1', user_name: 'Zoë 😀' })
})

const slow: { title: string; fault: Fault }[] = [
  { title: 'stops within the headers', fault: { raw: `${okay}x-a: ${'b'.repeat(5000)}`, drip: 20 } },
  { title: 'drips with an error status', fault: { status: 400, body: json.padEnd(5000), drip: 20 } },
  { title: 'is early hints only', fault: { raw: 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500), drip: 5 } },
]

test.each(slow)('a response that $title is given up at the deadline', async ({ fault }) => {
  const hasty = clients.client({ timeout: 250 })
  const asked = endpoints.map(async ([endpoint, phase, ask]) => {
    clients.provider.failNext(endpoint, fault)
    expectOutcome(await rejectionOf(ask(hasty)), 'provider_timeout', phase)
  })
  await Promise.all(asked)
})
