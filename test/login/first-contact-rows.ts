import type { OutcomeCode } from '../../lib'
import type { Fault, ProviderBehaviours } from '../../lib/testing'
import {
  atBoth,
  BODY_CANARY,
  BOTH,
  EXCHANGE,
  exchangeRow,
  json,
  profileRequests,
  profileRow,
  type Row,
  type Scenario,
  visitWith,
} from './outcome-row'

const ALL = [...BOTH, 'get_user_info']

const page: Fault = { headers: { 'content-type': 'text/html' }, body: `<!doctype html><h1>${BODY_CANARY}</h1>` }

const challenge: Fault = { ...page, headers: { ...page.headers, 'cf-mitigated': 'challenge' } }

const pages: [status: number, code: OutcomeCode][] = [
  [403, 'auth_key_rejected'],
  [503, 'provider_unavailable'],
]

const pageRows: Row[] = [
  ...pages.flatMap(([status, code]): Row[] => [
    exchangeRow(`a page with status ${status} instead of an exchange`, code, { ...page, status }),
    exchangeRow(
      `a page of a firewall with status ${status} instead of an exchange`,
      'provider_bad_response',
      { ...challenge, status },
      { retryable: status === 503 },
    ),
  ]),
  profileRow('a page with status 403 instead of a profile', 'profile_unauthorized', { ...page, status: 403 }),
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

// Sent once: the provider may have exchanged the key. Nothing may show the URL, which has the secret.
const brokenExchanges: [Fault, OutcomeCode][] = [
  [{ status: 503 }, 'provider_unavailable'],
  [{ reset: 'headers' }, 'provider_unreachable'],
  [{ redirect: '/api/authorize' }, 'provider_redirected'],
  [json('{"access_token":["CANARY"]}'), 'provider_bad_response'],
]

const byGet = { strategy: { exchangeMethod: 'get' } } as const

const byGetRows: Row[] = [
  serverRow('an exchange by GET that the provider does not offer', 'provider_bad_response', {}, { app: byGet }),
  serverRow('an exchange by POST that the provider does not offer', 'provider_bad_response', { getOnly: true }),
  serverRow('an exchange by POST at a provider that reads only the query', 'auth_key_rejected', {
    getOnly: true,
    postAnswer: 'invalid-app-id',
  }),
  serverRow(
    'an unknown key, sent by GET',
    'auth_key_rejected',
    { getOnly: true },
    { app: byGet, visit: visitWith(() => '?auth_key=0123456789abcdef0123456789abcdef') },
  ),
  ...brokenExchanges.map(([what, code]) =>
    exchangeRow(`an exchange by GET that ends in ${JSON.stringify(what)}`, code, what, { app: byGet }),
  ),
]

/** A server of this mode, whose exchange fails. */
function serverRow(
  situation: string,
  code: OutcomeCode,
  mode: Partial<ProviderBehaviours>,
  more: Partial<Row> = {},
): Row {
  const arrange = ({ provider }: Scenario): void => provider.setMode(mode)
  return { situation, code, record: 'over', sent: EXCHANGE, arrange, ...more }
}

const auto = { strategy: { profileEndpoint: 'auto' } } as const
const legacyOnly =
  (what: Fault) =>
  ({ provider }: Scenario): void => {
    provider.setMode({ withoutUserMe: true })
    provider.failNext('get_user_info', what, { times: Number.POSITIVE_INFINITY })
  }

function autoRow(situation: string, code: OutcomeCode, what: Fault, more: Partial<Row> = {}): Row {
  return { situation, code, record: 'over', sent: ALL, app: auto, arrange: legacyOnly(what), ...more }
}

const autoRows: Row[] = [
  autoRow('neither profile endpoint (404)', 'provider_bad_response', { ...page, status: 404 }),
  autoRow(
    'a token that the legacy endpoint alone refuses',
    'profile_unauthorized',
    json('{"error":true,"message":"CANARY"}'),
  ),
  autoRow('nobody at the legacy endpoint', 'profile_invalid', { body: '[]' }),
  autoRow(
    'a legacy endpoint that is down',
    'provider_unavailable',
    { status: 503 },
    {
      sent: [...BOTH, ...profileRequests('provider_unavailable', 'get_user_info')],
    },
  ),
  autoRow(
    'a legacy endpoint that is silent',
    'provider_timeout',
    { hang: true },
    {
      app: { strategy: { profileEndpoint: 'auto', timeout: 200 } },
    },
  ),
]

/** Rows about servers that are not quite what the specification describes, and about what stands in front of them. */
export const firstContactFailures: readonly Row[] = [...pageRows, ...refusedByLimit, ...byGetRows, ...autoRows]
