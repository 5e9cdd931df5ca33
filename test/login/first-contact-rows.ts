import type { OutcomeCode } from '../../lib'
import type { Fault } from '../../lib/testing'
import { atBoth, BODY_CANARY, BOTH, EXCHANGE, fault, json, type Row, type Scenario, visitWith } from './outcome-row'

const ALL = [...BOTH, 'get_user_info']

const page: Fault = { headers: { 'content-type': 'text/html' }, body: `<!doctype html><h1>${BODY_CANARY}</h1>` }

const challenge: Fault = { ...page, headers: { ...page.headers, 'cf-mitigated': 'challenge' } }

const pages: [status: number, code: OutcomeCode][] = [
  [400, 'auth_key_rejected'],
  [401, 'auth_key_rejected'],
  [403, 'auth_key_rejected'],
  [406, 'provider_bad_response'],
  [429, 'provider_rate_limited'],
  [503, 'provider_unavailable'],
]

const pageRows: Row[] = [
  ...pages.flatMap(([status, code]): Row[] => [
    {
      situation: `a page with status ${status} instead of an exchange`,
      code,
      record: 'removed',
      sent: EXCHANGE,
      arrange: fault('authorize', { ...page, status }),
    },
    {
      situation: `a page of a firewall with status ${status} instead of an exchange`,
      code: 'provider_bad_response',
      retryable: status === 429 || status === 503,
      record: 'removed',
      sent: EXCHANGE,
      arrange: fault('authorize', { ...challenge, status }),
    },
  ]),
  ...[401, 403].map(
    (status): Row => ({
      situation: `a page with status ${status} instead of a profile`,
      code: 'profile_unauthorized',
      record: 'removed',
      sent: BOTH,
      arrange: fault('user/me', { ...page, status }),
    }),
  ),
  ...[
    ...atBoth('a page', 'provider_bad_response', page),
    ...atBoth('nothing', 'provider_bad_response', { body: '' }),
  ].map((row) => ({ ...row, retryable: true })),
  ...atBoth('a page of 230 KB', 'provider_bad_response', { ...page, body: `<h1>${BODY_CANARY.repeat(10_000)}</h1>` }),
]

const refusedByLimit = [{ 'x-ratelimit-remaining': '0' }, { 'retry-after': '17' }].flatMap((headers) =>
  atBoth(`a refusal with ${JSON.stringify(headers)}`, 'provider_rate_limited', {
    headers,
    ...json('{"error":true,"message":"CANARY"}'),
  }),
)

// Sent once: the provider may have exchanged the key.
const brokenExchanges: [Fault, OutcomeCode][] = [
  [{ status: 503 }, 'provider_unavailable'],
  [{ reset: 'headers' }, 'provider_unreachable'],
  [{ redirect: '/api/authorize' }, 'provider_redirected'],
]

const byGet = { strategy: { exchangeMethod: 'get' } } as const

const byGetRows: Row[] = [
  {
    situation: 'an exchange by GET that the provider does not offer',
    code: 'provider_bad_response',
    record: 'removed',
    sent: EXCHANGE,
    app: byGet,
  },
  {
    situation: 'an exchange by POST that the provider does not offer',
    code: 'provider_bad_response',
    record: 'removed',
    sent: EXCHANGE,
    arrange: ({ provider }) => provider.setMode({ getOnly: true }),
  },
  {
    situation: 'an exchange by POST at a provider that reads only the query',
    code: 'auth_key_rejected',
    record: 'removed',
    sent: EXCHANGE,
    arrange: ({ provider }) => provider.setMode({ getOnly: true, postAnswer: 'invalid-app-id' }),
  },
  {
    situation: 'an unknown key, sent by GET',
    code: 'auth_key_rejected',
    record: 'removed',
    sent: EXCHANGE,
    app: byGet,
    arrange: ({ provider }) => provider.setMode({ getOnly: true }),
    visit: visitWith(() => '?auth_key=0123456789abcdef0123456789abcdef'),
  },
  ...brokenExchanges.map(
    ([what, code]): Row => ({
      situation: `an exchange by GET that ends in ${JSON.stringify(what)}`,
      code,
      record: 'removed',
      sent: EXCHANGE,
      app: byGet,
      arrange: fault('authorize', what),
    }),
  ),
]

const auto = { strategy: { profileEndpoint: 'auto' } } as const
const legacyOnly =
  (what: Fault) =>
  ({ provider }: Scenario): void => {
    provider.setMode({ withoutUserMe: true })
    provider.failNext('get_user_info', what, { times: 2 })
  }

const autoRows: Row[] = [
  {
    situation: 'neither profile endpoint (404)',
    code: 'provider_bad_response',
    record: 'removed',
    sent: ALL,
    app: auto,
    arrange: legacyOnly({ ...page, status: 404 }),
  },
  {
    situation: 'a token that the legacy endpoint alone refuses',
    code: 'profile_unauthorized',
    record: 'removed',
    sent: ALL,
    app: auto,
    arrange: legacyOnly(json('{"error":true,"message":"CANARY"}')),
  },
  {
    situation: 'nobody at the legacy endpoint',
    code: 'profile_invalid',
    record: 'removed',
    sent: ALL,
    app: auto,
    arrange: legacyOnly({ body: '[]' }),
  },
  {
    situation: 'a legacy endpoint that is down',
    code: 'provider_unavailable',
    record: 'removed',
    sent: [...ALL, 'get_user_info'],
    app: auto,
    arrange: legacyOnly({ status: 503 }),
  },
  {
    situation: 'a legacy endpoint that is silent',
    code: 'provider_timeout',
    record: 'removed',
    sent: ALL,
    app: { strategy: { profileEndpoint: 'auto', timeout: 300 } },
    arrange: legacyOnly({ hang: true }),
  },
]

/** Rows about servers that are not quite what the specification describes, and about what stands in front of them. */
export const firstContactFailures: readonly Row[] = [...pageRows, ...refusedByLimit, ...byGetRows, ...autoRows]
