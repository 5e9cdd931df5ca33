import type { ProviderResponse } from '../../../lib/client/http/response-reader'
import { readProfile, readToken } from '../../../lib/client/responses'
import { OUTCOMES, type OutcomeCode, type Phase } from '../../../lib/errors'
import { expectOutcome, thrownBy } from '../../support/client'

function response(text: string, more: Partial<ProviderResponse> = {}): ProviderResponse {
  return { status: 200, text, isPage: false, exhaustedLimit: undefined, retried: false, ...more }
}

/** A response, its outcome, the message, and whether another login may succeed, if that differs from other such outcomes. */
type Row = [given: ProviderResponse, code: OutcomeCode, message: RegExp, retryable?: boolean]

function expectRow([given, code, message, retryable]: Row, phase: Phase, read: (given: ProviderResponse) => unknown) {
  const error = thrownBy(() => read(given))
  const outcome = expectOutcome(error, code, phase, { retryable: retryable ?? OUTCOMES[code].retryable })
  expect(outcome.message).toMatch(message)
  expect(outcome.retryAfter).toBe(given.exhaustedLimit?.retryAfter)
}

const html = { isPage: true }
const page = (status: number): ProviderResponse => response('<h1>Hello</h1>', { status, isPage: true })
const refusal = '{"error":true,"access_token":"t","user_id":"1"}'
const brackets = '['.repeat(40)
const BAD = 'provider_bad_response'

test.each([
  ['{"access_token":"t","x":[1]}', { access_token: 't', x: [1] }],
  ['{"access_token":7}', { access_token: '7' }],
  [`{"error":false,"access_token":"${'t'.repeat(4096)}"}`, { error: false, access_token: 't'.repeat(4096) }],
])('the exchange number %# is a token with whatever came beside it', (text, token) => {
  expect(readToken(response(text))).toEqual(token)
  expect(readToken(response(text, html))).toEqual(token)
})

const exhausted = { exhaustedLimit: { retryAfter: 9 } }

test.each<Row>([
  ...['{}', '{"access_token":""}', '{"access_token":null}', refusal].map((text) => rejected(text)),
  ...[400, 401, 403].map((status) => rejected('', status)),
  ...[400, 404, 499].map((status) => rejected('{}', status)),
  [response(refusal, html), 'auth_key_rejected', /a firewall/],
  [response(refusal, exhausted), 'provider_rate_limited', /./],
  ...['{"access_token":[]}', '{"access_token":true}', '{"access_token":"a b"}'].map(malformed),
  ...['a\\n', ' a', 'é', 't'.repeat(4097)].map((token) => malformed(`{"access_token":"${token}"}`)),
  ...[400, 401, 403, 406].map((status): Row => [page(status), BAD, /a firewall/]),
  [response('', { status: 405 }), BAD, /refuses this method: see exchangeMethod\.$/],
  [response(refusal, { status: 405 }), BAD, /refuses this method: see exchangeMethod\.$/],
  [response('', { status: 404 }), BAD, /no authorize endpoint at that address .*see exchangeMethod\)\.$/],
  [response('[]', { status: 404 }), BAD, /no authorize endpoint at that address/],
  [page(404), BAD, /no authorize endpoint at that address/],
  [page(200), BAD, /a page, not the API, or empty: maintenance/, true],
  [response(' \n'), BAD, /a page, not the API, or empty: maintenance/, true],
  [response(''), BAD, /a page, not the API, or empty: maintenance/, true],
  ...['Hello', '[]', 'null', `Hello ${brackets}`].map(
    (text): Row => [response(text), BAD, /with a JSON object\. It may have no duplicate/],
  ),
  ...[brackets, ` \n${brackets}`, `{"a":${brackets}`].map((text): Row => [response(text), BAD, /at most 33 levels\.$/]),
])('the exchange number %# has its outcome', (...row) => {
  expectRow(row, 'exchange', readToken)
})

function rejected(text: string, status = 200): Row {
  return [response(text, { status }), 'auth_key_rejected', /^((?!firewall).)*$/]
}

function malformed(text: string): Row {
  return [response(text), BAD, /must have 1 to 4,096 visible ASCII characters\.$/]
}

test.each(['{"user_id":"7"}', '{"error":false,"user_id":"7"}', '{"user_info":{"user_id":"7"}}'])(
  'the profile %s is a user with the text of the response',
  (text) => {
    expect(readProfile(response(text))).toMatchObject({ user: { user_id: '7' }, raw: text })
  },
)

test.each<Row>([
  [response(refusal), 'profile_unauthorized', /^((?!firewall).)*$/],
  [response(refusal, { status: 404 }), 'profile_unauthorized', /./],
  [response('', { status: 401 }), 'profile_unauthorized', /^((?!firewall).)*$/],
  [response('{}', { status: 403 }), 'profile_unauthorized', /./],
  [page(401), 'profile_unauthorized', /a firewall/],
  [page(403), 'profile_unauthorized', /a firewall/],
  [response('', { status: 403, ...exhausted }), 'provider_rate_limited', /./],
  [page(400), BAD, /a firewall/],
  [page(406), BAD, /a firewall/],
  [page(404), BAD, /no such profile endpoint: try another \(user\/me, get_user_info or auto\)\.$/],
  [response('', { status: 400 }), BAD, /no such profile endpoint: try another \(user\/me, get_user_info or auto\)\.$/],
  [response('{"user_id":"7"}', { status: 404 }), BAD, /no such profile endpoint/],
  [page(200), BAD, /a page, not the API, or empty: maintenance/, true],
  [response('Hello'), BAD, /must be answered with JSON\. It may/],
  [response('[]'), 'profile_invalid', /./],
])('the profile number %# has its outcome', (...row) => {
  expectRow(row, 'profile', readProfile)
})
