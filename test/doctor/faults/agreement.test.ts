import { createServer, type RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { type OutcomeCode, SocialLoginClient } from '../../../lib'
import { examine } from '../../../lib/doctor/doctor'
import type { Examination } from '../../../lib/doctor/examination'
import { FakeProvider, type Fault } from '../../../lib/testing'
import type { Row, Scenario } from '../../login/outcome-row'
import { failures } from '../../login/outcome-rows'
import { examineProvider } from '../../support/doctor'
import { port } from '../../support/listen'

// The doctor, with a login, calls a provider broken exactly where logins fail, with the options that it proposes.

// exchangeMethod: 'get' warns: see endpoints.exchange-by-get.test.ts.
const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
afterAll(() => emitWarning.mockRestore())

/** Fails at both profile endpoints alike, so that the doctor cannot propose the other one. */
class Provider extends FakeProvider {
  override failNext(...[endpoint, fault, options]: Parameters<FakeProvider['failNext']>): void {
    super.failNext(endpoint, fault, options)
    if (endpoint === 'user/me') super.failNext('get_user_info', fault, options)
  }
}

let provider: Provider
const server = createServer((...request: Parameters<RequestListener>) => provider.requestListener(...request))
const TIMEOUT = 300

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => server.close().closeAllConnections())
beforeEach(() => {
  provider = new Provider({ origin: `http://127.0.0.1:${port(server)}` })
})

/** Whether a login succeeds, and the outcome if not. */
async function logIn(arrange: () => void, { options }: Examination, timeout: number): Promise<OutcomeCode | 'in'> {
  const [application] = provider.applications
  if (application === undefined) throw new Error('no application')
  const { appID, appSecret } = application
  const { exchangeMethod = 'post', profileEndpoint = 'user/me' } = options
  const credentials = { baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret }
  const client = new SocialLoginClient({ ...credentials, exchangeMethod, timeout })
  const authKey = provider.issueAuthKey({ appID, userID: '1' })
  arrange()
  try {
    const { access_token } = await client.exchangeAuthKey(authKey)
    await client.fetchUser(profileEndpoint, access_token)
    return 'in'
  } catch (error) {
    return Object(error).code
  } finally {
    await client.close()
  }
}

async function compare(arrange: () => void, timeout = 10_000) {
  const redirectURL = 'http://localhost:1/cb'
  const application = provider.registerApplication({ name: 'App', redirectURL })
  const examination = await examineProvider(provider, application, { arrange, timeout })
  provider.clearFaults()
  return { examination, outcome: await logIn(arrange, examination, timeout) }
}

const isOfProvider = ({ sent, visit, app }: Row): boolean => sent.length > 0 && !visit && !app?.provider && !app?.store
const rows = failures.filter((row) => row.arrange && isOfProvider(row))

test('the table of outcomes has many rows about providers', () => {
  expect(rows.length).toBeGreaterThan(70)
})

test.each(rows)('$situation: the doctor says so, or which options mend it', async ({ arrange, app }) => {
  const scenario = { provider } as Partial<Scenario> as Scenario
  const { examination, outcome } = await compare(() => arrange?.(scenario), app?.strategy?.timeout && TIMEOUT)
  expect([examination.isBroken, outcome]).toStrictEqual([outcome !== 'in', outcome])
})

const OKAY = 'HTTP/1.1 200 OK\r\n'
const big = (size: number) => ({ 'content-security-policy': 'x'.repeat(size) })
const same = (body: string): string => body
const changed = (from: string, to: string): Fault => ({ rewrite: (body) => body.replace(from, to) })

const peculiar: Record<string, Fault> = {
  nothing: {},
  'a coding that is none': { headers: { 'content-encoding': 'none' } },
  'two codings that are none': { headers: { 'content-encoding': 'UTF-8, none' } },
  'the label of a coding': { headers: { 'content-encoding': 'br' } },
  'the label of an unknown coding': { headers: { 'content-encoding': 'zstd' } },
  'the label of two codings': { headers: { 'content-encoding': 'gzip, gzip' } },
  'headers of 5 KB': { headers: big(5000) },
  'headers of 7 KB': { headers: big(7000) },
  'headers of 20 KB': { headers: big(20_000) },
  'a body of 60 KB': { rewrite: (body) => body.padEnd(60_000) },
  'a body of 65,537 bytes': { rewrite: (body) => body.padEnd(65_537) },
  'a mark of byte order': { rewrite: (body) => `\ufeff${body}` },
  'a mark of byte order under the label of a coding': {
    headers: { 'content-encoding': 'br' },
    rewrite: (body) => `\ufeff${body}`,
  },
  'two marks of byte order': { rewrite: (body) => `\ufeff\ufeff${body}` },
  'white space around it': { rewrite: (body) => `\r\n\t ${body}\r\n` },
  'a comment behind it': { rewrite: (body) => `${body}<!-- 3 ms -->` },
  'a comment before it': { rewrite: (body) => `<!-- 3 ms -->${body}` },
  'a script around it': { rewrite: (body) => `callback(${body})` },
  'another object behind it': { rewrite: (body) => `${body}{}` },
  'a list around it': { rewrite: (body) => `[${body}]` },
  'a member twice': { rewrite: (body) => body.replace('{', '{"a":1,"a":2,') },
  'a prototype': { rewrite: (body) => body.replace('{', '{"__proto__":{"a":1},') },
  '33 levels': { rewrite: (body) => body.replace('{', `{"a":${'['.repeat(32)}${']'.repeat(32)},`) },
  '34 levels': { rewrite: (body) => body.replace('{', `{"a":${'['.repeat(33)}${']'.repeat(33)},`) },
  'a success that it reports': changed('{', '{"error":false,'),
  'an error that it reports': changed('{', '{"error":true,'),
  'an error as a text': changed('{', '{"error":"none",'),
  'a wrapper': { rewrite: (body) => `{"data":${body}}` },
  'an unknown wrapper': { rewrite: (body) => `{"response":${body}}` },
  'words of a firewall': changed('{', '{"note":"see captcha-delivery.com",'),
  'a mark of a firewall': { headers: { 'cf-mitigated': 'challenge' } },
  'the label of a page': { headers: { 'content-type': 'text/html' } },
  'no label': { headers: { 'content-type': '' } },
  'the status 201': { status: 201, rewrite: same },
  'the status 203': { status: 203, rewrite: same },
  'the status 204': { status: 204 },
  'the status 302': { status: 302, rewrite: same },
  'the status 400': { status: 400, rewrite: same },
  'the status 404': { status: 404, rewrite: same },
  'the status 429': { status: 429, rewrite: same },
  'the status 500': { status: 500, rewrite: same },
  'the status 503': { status: 503, rewrite: same },
  'a limit that is reached': { headers: { 'x-ratelimit-remaining': '0' } },
  'a time to wait': { headers: { 'retry-after': '9' } },
  'an id that is a text like a number': changed('"user_id":1', '"user_id":"374e76010383810"'),
  'an id that is a number like that': changed('"user_id":1', '"user_id":374e76010383810'),
  'an id of many digits': changed('"user_id":1', '"user_id":90071992547409931'),
  'the id 0': changed('"user_id":1', '"user_id":"0"'),
  'no id': changed('"user_id":1', '"user_id":null'),
  'an id with a space': changed('"user_id":1', '"user_id":"1 2"'),
  'an id elsewhere': changed('{"user_id":1', '{"a":{"user_id":1}'),
  'a token that is a number': { rewrite: (body) => body.replace(/"access_token":"[^"]*"/, '"access_token":77') },
  'a token with a space': changed('"access_token":"', '"access_token":"a '),
  'a token of 5,000 characters': changed('"access_token":"', `"access_token":"${'a'.repeat(5000)}`),
  'an empty body': { body: '' },
  'a body in UTF-16': { body: Buffer.from('\ufeff{"access_token":"a","user_id":1}', 'utf16le') },
  'a body in Latin-1': { body: Buffer.from('{"access_token":"a","user_id":1,"name":"é"}', 'latin1') },
  'a body that is compressed': { headers: { 'content-encoding': 'gzip' }, body: gzipSync('{"access_token":"a"}') },
  'a body that is compressed and does not say so': { body: gzipSync('{"access_token":"a","user_id":1}') },
  'a body without its end': { truncate: 5 },
  'HTTP/1.0': { raw: `HTTP/1.0 200 OK\r\n\r\n{"access_token":"a","user_id":1}` },
  'an early hint': {
    raw: `HTTP/1.1 103 Early Hints\r\n\r\n${OKAY}content-length: 32\r\n\r\n{"access_token":"a","user_id":1}`,
  },
  'more than its length': { raw: `${OKAY}content-length: 1\r\n\r\n{}` },
  'two lengths': { raw: `${OKAY}content-length: 2\r\ncontent-length: 3\r\n\r\n{}` },
  'a connection that closes': { reset: 'before' },
}

const cases = (['authorize', 'user/me'] as const).flatMap((endpoint) =>
  Object.entries(peculiar).map(([title, fault]) => ({ endpoint, title, fault })),
)

const seen = new Set<string>()

test.each(cases)('$title at $endpoint: the doctor says what a login meets', async ({ endpoint, fault }) => {
  const { examination, outcome } = await compare(() =>
    provider.failNext(endpoint, fault, { times: Number.POSITIVE_INFINITY }),
  )
  seen.add(outcome)
  expect([examination.isBroken, outcome]).toStrictEqual([outcome !== 'in', outcome])
})

test.each([200, 401])('a refusal with status %d that no login reads is reported without one', async (status) => {
  provider.setMode({ errorsAtStatus200: status === 200 })
  for (const endpoint of ['authorize', 'user/me'] as const)
    provider.failNext(endpoint, peculiar['a comment before it'] ?? {}, { times: 4 })
  const request = { userAgent: 'test', timeout: 5000, hasProxy: false }
  const examination = await examine(
    { baseURL: new URL(provider.baseURL), ...request },
    { progress: () => {}, finding: () => {} },
  )
  const found = examination.findings.filter(({ level }) => level === 'broken').map(({ check }) => check)
  expect(found).toStrictEqual([expect.stringMatching('Exchange|Warnings'), 'Profile'])
})

test('some of these are good, and others end in many ways', () => {
  expect([...seen].sort()).toEqual(
    expect.arrayContaining([
      'in',
      'auth_key_rejected',
      'profile_invalid',
      'profile_unauthorized',
      'provider_bad_response',
    ]),
  )
})
