import type { IncomingHttpHeaders } from 'node:http'
import type { ProviderResponse } from '../../../../lib/client/http/response-reader'
import { readProfile, readToken } from '../../../../lib/client/response/responses'
import { OUTCOMES, type OutcomeCode, withoutAddress } from '../../../../lib/errors'
import { expectOutcome, thrownBy } from '../../../support/outcomes'

function response(text: string, more: Partial<ProviderResponse> = {}): ProviderResponse {
  return { status: 200, headers: {}, text, retried: false, ...more }
}

/** A response, its outcome, the message, and whether another login may succeed, if that differs from other such outcomes. */
type Row = [given: ProviderResponse, code: OutcomeCode, message: RegExp, retryable?: boolean]

const readers = { exchange: readToken, profile: readProfile }

/** The message of the outcome that a response has. */
function messageOf(given: ProviderResponse, code: OutcomeCode, phase: keyof typeof readers, retryable?: boolean) {
  const error = thrownBy(() => readers[phase](given))
  const outcome = expectOutcome(error, code, phase, { retryable: retryable ?? OUTCOMES[code].retryable })
  return withoutAddress(outcome.message)
}

function expectRow([given, code, message, retryable]: Row, phase: keyof typeof readers): void {
  expect(messageOf(given, code, phase, retryable)).toMatch(message)
}

const HTML = '<h1>Hello</h1>'
const refusal = '{"error":true,"access_token":"t","user_id":"1"}'
const brackets = '['.repeat(40)
const BAD = 'provider_bad_response'
const NO_WORD_OF_A_FIREWALL = /^((?!firewall).)*$/

// A provider refuses a stale key as it likes: only the marks of a firewall make a refusal one of a firewall.
const bodies = { JSON: '{"error":true}', 'a page': HTML, text: 'Unauthorized', nothing: '' }
const marks: Record<string, IncomingHttpHeaders> = {
  'no marks': { server: 'nginx' },
  'a proxy in front': { server: 'cloudflare', 'cf-ray': '8c3f-FRA' },
  'a challenge': { 'cf-mitigated': 'challenge' },
}
const STATUSES = [400, 401, 403, 404, 405, 406]

const REFUSED = { exchange: 'auth_key_rejected', profile: 'profile_unauthorized' } as const
const cells = Object.keys(marks).flatMap((mark) =>
  Object.keys(bodies).flatMap((body) => STATUSES.map((status) => ({ status, body, mark }))),
)
type Cell = (typeof cells)[number]

function isFirewall({ status, body, mark }: Cell): boolean {
  return mark === 'a challenge' || (mark === 'a proxy in front' && body === 'a page' && [403, 406].includes(status))
}

function isRefused(cell: Cell, phase: 'exchange' | 'profile'): boolean {
  const { status, body } = cell
  if (phase === 'profile') return body === 'JSON' || (!isFirewall(cell) && [401, 403].includes(status))
  return !isFirewall(cell) && status !== 405 && (body === 'JSON' || [400, 401, 403].includes(status))
}

describe.each(['exchange', 'profile'] as const)('a refusal at the %s', (phase) => {
  test.each(cells)('with status $status, $body and $mark has its outcome', (cell) => {
    const { status, body, mark } = cell
    const given = response(Reflect.get(bodies, body), { status, headers: marks[mark] ?? {} })
    const message = messageOf(given, isRefused(cell, phase) ? REFUSED[phase] : BAD, phase)
    const saysFirewall = isFirewall(cell) ? !isRefused(cell, phase) : isRefused(cell, phase) && body === 'a page'
    expect(message.includes('firewall')).toBe(saysFirewall)
  })
})

test('the words of a firewall are its marks as well', () => {
  const page = response('<title>Just a moment...</title>', { status: 401 })
  for (const phase of ['exchange', 'profile'] as const) expectRow([page, BAD, /a firewall/], phase)
})

// A success that uses up the quota is a success.
const exhausted = { headers: { 'retry-after': '9', 'x-ratelimit-remaining': '0' } }

test.each([
  ['{"access_token":"t","x":[1]}', { access_token: 't', x: [1] }],
  ['{"access_token":7}', { access_token: '7' }],
  [`{"error":false,"access_token":"${'t'.repeat(4096)}"}`, { error: false, access_token: 't'.repeat(4096) }],
])('the exchange number %# is a token with whatever came beside it', (text, token) => {
  expect(readToken(response(text))).toEqual(token)
  expect(readToken(response(text, { headers: { 'content-type': 'text/html' } }))).toEqual(token)
  expect(readToken(response(text, exhausted))).toEqual(token)
  expect(readToken(response(text, { status: 399 }))).toEqual(token)
})

test.each<Row>([
  ...['{}', '{"access_token":""}', '{"Access_Token":""}', '{"__proto__":{"access_token":"t"}}', refusal].map((text) =>
    rejected(text),
  ),
  ...['{"status":"error"}', '{"success":false}', '{"error":"false"}', '{"error":true,"success":true}'].map((text) =>
    rejected(text),
  ),
  rejected('{"error":true,"data":{"access_token":"t"}}'),
  ...['Access_Token', 'accessToken', 'token'].map(
    (name): Row => [response(`{"${name}":"t"}`), BAD, /the provider must call it access_token\.$/],
  ),
  [response(JSON.stringify('{"access_token":"t"}')), BAD, /it was encoded twice\.$/],
  [response(refusal, { status: 403, headers: { 'ratelimit-remaining': '0' } }), 'provider_rate_limited', /./],
  ...[400, 404, 499].map((status) => rejected('{}', status)),
  [response(refusal, exhausted), 'provider_rate_limited', /./],
  ...['{"access_token":[]}', '{"access_token":true}', '{"access_token":"a b"}'].map(malformed),
  ...['a\\n', ' a', 'é', 't'.repeat(4097)].map((token) => malformed(`{"access_token":"${token}"}`)),
  [response('', { status: 405 }), BAD, /refuses this method: see exchangeMethod\.$/],
  [response(refusal, { status: 405 }), BAD, /refuses this method: see exchangeMethod\.$/],
  ...['', '[]', HTML].map(
    (text): Row => [response(text, { status: 404 }), BAD, /no authorize endpoint .*exchangeMethod\)\.$/],
  ),
  ...[HTML, ' \n', ''].map((text): Row => [response(text), BAD, /a page, not the API, or empty: maintenance/, true]),
  [response('', { status: 202, headers: { 'x-amzn-waf-action': 'challenge' } }), BAD, /a firewall/, true],
  [response(`Hello ${brackets}`), BAD, /with a JSON object\. It ends in the middle/],
  ...['Hello', 'null', 'Hello {main}'].map(
    (text): Row => [response(text), BAD, /with a JSON object\. It holds none\.$/],
  ),
  [response('[]'), BAD, /with a JSON object\.$/],
])('the exchange number %# has its outcome', (...row) => {
  expectRow(row, 'exchange')
})

function rejected(text: string, status = 200): Row {
  return [response(text, { status }), 'auth_key_rejected', NO_WORD_OF_A_FIREWALL]
}

function malformed(text: string): Row {
  return [response(text), BAD, /must have 1 to 4,096 visible ASCII characters\.$/]
}

const deep = '{"data":{"b":{"c":{"access_token":"t"}}},"error":false}'

test.each([
  ['{"data":{"access_token":"secret"},"expires":1}', 'it was at data.access_token.'],
  ['{"error":false,"user":{"id":1,"access_token":{"v":1}}}', 'it was at user.access_token.'],
  ['{"result":{"auth":{"access_token":"t"}}}', 'it was at result.auth.access_token.'],
  ['{"error":false,"token":"secret"}', 'the provider must call it access_token.'],
  ['{"success":true,"data":{"token":"secret"}}', 'has no access_token, only: success, data, data.token.'],
  ['{"status":"success","list":[{"a":1}]}', 'has no access_token, only: status, list.'],
  ['{"status":200,"access_token":""}', 'has no access_token, only: status, access_token.'],
  ['{"success":1,"AdaLovelace":1,"a b":2,"5f4dcc3b":3}', 'only: success, * (* is another member).'],
  ['{"AppSecret":{"access_token":"t"}}', 'it was at *.access_token (* is another member).'],
  [deep, 'has no access_token, only: data, data.*, data.*.*, error (* is another member).'],
])('a success without a token at its top says what was there: %s', (text, hint) => {
  const message = messageOf(response(text), BAD, 'exchange')
  expect(message.endsWith(hint)).toBe(true)
  expect(message).not.toContain('secret')
})

test.each([true, 1, 200, '1', '200', 'true', 'ok', 'success'])('a status of %j refuses nothing', (status) => {
  expect(messageOf(response(JSON.stringify({ status })), BAD, 'exchange')).toMatch(
    /has no access_token, only: status\.$/,
  )
})

test.each(['{"user_id":"7"}', '{"error":false,"user_id":"7"}', '{"user_info":{"user_id":"7"}}'])(
  'the profile %s is a user with the text of the response',
  (text) => {
    expect(readProfile(response(text))).toMatchObject({ user: { user_id: '7' }, raw: text })
    expect(readProfile(response(text, exhausted))).toHaveProperty('user.user_id', '7')
    expect(readProfile(response(text, { status: 399 }))).toHaveProperty('user.user_id', '7')
  },
)

test.each<Row>([
  [response(refusal), 'profile_unauthorized', NO_WORD_OF_A_FIREWALL],
  [response(refusal, { status: 404 }), 'profile_unauthorized', /./],
  [response('', { status: 403, ...exhausted }), 'provider_rate_limited', /./],
  [
    response(HTML, { status: 404 }),
    BAD,
    /no such profile endpoint: try another \(user\/me, get_user_info or auto\)\.$/,
  ],
  [response('', { status: 400 }), BAD, /no such profile endpoint: try another \(user\/me, get_user_info or auto\)\.$/],
  [response('{"user_id":"7"}', { status: 404 }), BAD, /no such profile endpoint/],
  [response(HTML), BAD, /a page, not the API, or empty: maintenance/, true],
  [response('Hello'), BAD, /must be answered with JSON\. It holds none\.$/],
  [response(brackets), BAD, /It ends in the middle/],
  [response('{"error":false}', { status: 404 }), BAD, /get_user_info or auto/],
  [response('[]'), 'profile_invalid', /It is a list instead of an object, as for a user who is banned or gone\.$/],
  [response('null'), 'profile_invalid', /It is null instead of an object/],
  [response('"nobody"'), 'profile_invalid', /It is a string instead of an object/],
  [response('{"user_name":"ada"}'), 'profile_invalid', /It has no usable user_id/],
  [response('{"user_id":0}'), 'profile_invalid', /It has no usable user_id/],
  ...[
    { error: 'banned' },
    { error: { code: 7 } },
    { errors: ['gone'] },
    { ok: 0 },
    { success: false },
    ...[false, 0, '0', 'false', 'error', 'fail', 'failed', 'failure'].map((status) => ({ status })),
  ].map((body): Row => [response(JSON.stringify(body)), 'profile_unauthorized', /banned or gone/]),
  ...[
    ...[null, false, 0, '', '0', 'false', 'none', []].map((error) => ({ error, errors: error })),
    { success: true },
    { status: 'ok' },
  ].map((body): Row => [response(JSON.stringify(body)), 'profile_invalid', /It has no usable user_id/]),
])('the profile number %# has its outcome', (...row) => {
  expectRow(row, 'profile')
})
