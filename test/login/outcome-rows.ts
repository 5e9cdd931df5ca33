import { MemoryStore } from 'express-session'
import type { OutcomeCode, Provider, ProviderResult } from '../../lib'
import type { AppOptions } from '../support/app'
import { Browser } from '../support/browser'
import { firstContactFailures } from './first-contact-rows'
import { atBoth, BODY_CANARY, BOTH, callback, EXCHANGE, fault, json, type Row, visitWith } from './outcome-row'

/** A session store that can be switched off. */
export class FailingStore extends MemoryStore {
  failing = false
  override set(...[sid, session, callback]: Parameters<MemoryStore['set']>): void {
    if (this.failing) callback?.(new Error(`store down: redis://user:${BODY_CANARY}@db`))
    else super.set(sid, session, callback)
  }
}

/** Rows in which the application finds another community at the callback than at the start. */
const communityRows: Row[] = [
  ...[undefined, null].map((none) =>
    communityRow(`a community that has become ${none}`, 'provider_unknown', () => none),
  ),
  communityRow('a community whose search hangs', 'provider_lookup_timeout', () => new Promise(() => {}), {
    timeout: 100,
  }),
  communityRow('a community that is another one', 'provider_invalid', (community) => ({ ...community, name: 'other' })),
  communityRow('a community whose application id was replaced', 'context_mismatch', (community) => ({
    ...community,
    clientID: 'new',
  })),
  communityRow(
    'a community that is no longer complete',
    'provider_invalid',
    ({ clientSecret: _, ...community }) => community,
  ),
  communityRow('a community whose name is not text', 'provider_invalid', (community) => ({ ...community, name: 7n })),
  communityRow('a community of plain http', 'provider_invalid', (community) => ({
    ...community,
    baseURL: `http://${BODY_CANARY}.test/api/v1`,
  })),
  communityRow('a community that is text', 'provider_invalid', () => BODY_CANARY),
]

function communityRow(
  situation: string,
  code: OutcomeCode,
  answer: (community: Provider) => unknown,
  strategy: AppOptions['strategy'] = {},
): Row {
  // Reflect, because the types refuse a wrong answer.
  const find = (community: Provider, url: string): ProviderResult =>
    url.includes('changed') ? Reflect.get([answer(community)], '0') : community
  const visit = visitWith(({ authKey }) => `?auth_key=${authKey}&changed`)
  return { situation, code, record: 'kept', sent: [], app: { provider: find, strategy }, visit }
}

const callbackRows: Row[] = [
  {
    situation: 'a session that Passport cannot renew',
    code: 'session_unsupported',
    keep: ['session', 'cookie'],
    record: 'kept',
    sent: [],
    app: {
      before: (app) =>
        app.use((req, _res, next) => {
          if (req.headers['x-cannot-renew']) Object.assign(req.session, { regenerate: undefined })
          next()
        }),
    },
    visit: visitWith(({ authKey }) => `?auth_key=${authKey}`, { 'x-cannot-renew': 'yes' }),
  },
  {
    situation: 'a callback by another method',
    code: 'method_not_allowed',
    record: 'kept',
    sent: [],
    visit: (scenario) => scenario.browser.comeBack(callback(scenario), { method: 'POST' }),
  },
  {
    situation: 'a callback by HEAD, which Express gives to the GET route',
    code: 'method_not_allowed',
    record: 'kept',
    sent: [],
    visit: (scenario) => scenario.browser.comeBack(callback(scenario), { method: 'HEAD' }),
  },
  { situation: 'no auth_key', code: 'auth_key_missing', record: 'kept', sent: [], visit: visitWith(() => '') },
  {
    situation: 'an empty auth_key',
    code: 'auth_key_missing',
    record: 'kept',
    sent: [],
    visit: visitWith(() => '?auth_key='),
  },
  {
    situation: 'an error text in the query, which is never shown',
    code: 'auth_key_missing',
    record: 'kept',
    sent: [],
    visit: visitWith(() => `?error=${BODY_CANARY}&error_description=${BODY_CANARY}&message=${BODY_CANARY}`),
  },
  {
    situation: 'a repeated auth_key',
    code: 'auth_key_malformed',
    record: 'kept',
    sent: [],
    visit: visitWith(({ authKey }) => `?auth_key=${authKey}&auth_key=${authKey}`),
  },
  {
    situation: 'a bracketed auth_key',
    code: 'auth_key_malformed',
    record: 'kept',
    sent: [],
    visit: visitWith(({ authKey }) => `?auth_key[]=${authKey}`),
  },
  {
    situation: 'an auth_key that is too long',
    code: 'auth_key_malformed',
    record: 'kept',
    sent: [],
    visit: visitWith(() => `?auth_key=${'a'.repeat(513)}`),
  },
  {
    situation: 'an auth_key with control characters',
    code: 'auth_key_malformed',
    record: 'kept',
    sent: [],
    visit: visitWith(({ authKey }) => `?auth_key=${authKey}%0d%0aSet-Cookie:x`),
  },
  {
    situation: 'a key appended blindly to a URL with a query',
    code: 'auth_key_malformed',
    record: 'kept',
    sent: [],
    visit: visitWith(({ authKey }) => `?a=1?auth_key=${authKey}`),
  },
  {
    situation: 'a callback in a frame',
    code: 'callback_forged',
    record: 'kept',
    sent: [],
    visit: visitWith(({ authKey }) => `?auth_key=${authKey}`, { 'sec-fetch-dest': 'iframe' }),
  },
  {
    situation: 'a callback linked from a foreign page',
    code: 'callback_forged',
    record: 'kept',
    sent: [],
    visit: visitWith(({ authKey }) => `?auth_key=${authKey}`, { referer: 'https://evil.example/' }),
  },
  {
    situation: 'a typed or mailed callback',
    code: 'callback_forged',
    record: 'kept',
    sent: [],
    visit: visitWith(({ authKey }) => `?auth_key=${authKey}`, { 'sec-fetch-site': 'none' }),
  },
  {
    situation: 'a callback linked inside the application',
    code: 'callback_forged',
    record: 'kept',
    sent: [],
    visit: visitWith(({ authKey }) => `?auth_key=${authKey}`, { 'sec-fetch-site': 'same-origin' }),
  },
  {
    situation: 'a callback in a browser without a login',
    code: 'login_not_started',
    record: 'kept',
    sent: [],
    visit: (scenario) => new Browser().comeBack(callback(scenario)),
  },
  {
    situation: 'a record older than ten minutes',
    code: 'login_expired',
    record: 'removed',
    sent: [],
    arrange: () => jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 10 * 60 * 1000 + 1000),
    // Sends the cookie explicitly: a real browser has dropped it by now.
    visit: (scenario) => scenario.browser.comeBack(callback(scenario), { headers: { cookie: scenario.cookies } }),
  },
  {
    situation: 'a record of another provider, application or strategy',
    code: 'context_mismatch',
    record: 'kept',
    sent: [],
    visit: ({ app, authKey, browser }) => browser.comeBack(`${app.otherCallbackURL}?auth_key=${authKey}`),
  },
  {
    situation: 'a different user signed in than at the start',
    code: 'user_changed',
    record: 'removed',
    sent: [],
    arrange: ({ app, browser }) => browser.follow(`${app.origin}/become`),
  },
  {
    situation: 'the session store failing when the record is consumed',
    code: 'session_unavailable',
    record: 'kept',
    sent: [],
    keep: ['session'],
    app: { store: new FailingStore() },
    arrange: ({ app }) => Object.assign(app.store, { failing: true }),
  },
]

const exchangeRows: Row[] = [
  {
    situation: 'an unknown key',
    code: 'auth_key_rejected',
    record: 'removed',
    sent: EXCHANGE,
    visit: visitWith(() => '?auth_key=0123456789abcdef0123456789abcdef'),
  },
  ...[
    json('{"error":true,"message":"CANARY"}'),
    json('{}'),
    json('{"access_token":""}'),
    json('{"access_token":null}'),
    json('{"error":true,"access_token":"CANARY"}'),
    { status: 401, body: BODY_CANARY },
    { status: 404, body: '{"error":"no such key"}' },
  ].map(
    (answer): Row => ({
      situation: `the key refused with ${JSON.stringify(answer)}`,
      code: 'auth_key_rejected',
      record: 'removed',
      sent: EXCHANGE,
      arrange: fault('authorize', answer),
    }),
  ),
  ...[
    'true',
    '["CANARY"]',
    '{"a":"CANARY"}',
    '"CANARY\\r\\nX-Injected: 1"',
    '"CANARY\\u0000"',
    `"${'a'.repeat(4097)}"`,
  ].map(
    (token): Row => ({
      situation: `a token that is ${token.slice(0, 40)}`,
      code: 'provider_bad_response',
      record: 'removed',
      sent: EXCHANGE,
      arrange: fault('authorize', json(`{"access_token":${token}}`)),
    }),
  ),
  ...['null', '[]', '"CANARY"', '7', 'access_token=CANARY', 'Warning: CANARY {"access_token":"x"}'].map(
    (body): Row => ({
      situation: `the exchange answered with ${JSON.stringify(body)}`,
      code: 'provider_bad_response',
      record: 'removed',
      sent: EXCHANGE,
      arrange: fault('authorize', json(body)),
    }),
  ),
  {
    situation: 'no authorize endpoint there (404, HTML)',
    code: 'provider_bad_response',
    record: 'removed',
    sent: EXCHANGE,
    arrange: fault('authorize', { status: 404, body: `<h1>${BODY_CANARY}</h1>` }),
  },
]

const transportRows: Row[] = [
  {
    situation: 'a provider whose port is closed',
    code: 'provider_unreachable',
    record: 'removed',
    sent: [],
    app: { strategy: { baseURL: 'http://127.0.0.1:1/api/v1', timeout: 150 } },
  },
  // Sent again when the first connection closes: see connections.test.ts.
  {
    situation: 'two resets before the answer at the exchange',
    code: 'provider_unreachable',
    record: 'removed',
    sent: ['authorize', 'authorize'],
    byFetch: { sent: EXCHANGE },
    arrange: ({ provider }) => provider.failNext('authorize', { reset: 'before' }, { times: 2 }),
  },
  {
    situation: 'two resets before the answer at the profile',
    code: 'provider_unreachable',
    record: 'removed',
    sent: ['authorize', 'user/me', 'user/me'],
    arrange: ({ provider }) => provider.failNext('user/me', { reset: 'before' }, { times: 2 }),
  },
  ...atBoth('a reset within the headers', 'provider_unreachable', { reset: 'headers' }),
  ...atBoth('a reset within the body', 'provider_unreachable', { reset: 'body' }),
  ...atBoth('silence', 'provider_timeout', { hang: true }, { strategy: { timeout: 150 } }),
  ...atBoth('an answer that drips', 'provider_timeout', { drip: 40 }, { strategy: { timeout: 150 } }),
  ...[301, 302, 303, 307, 308].flatMap((status) =>
    atBoth(`a ${status} to another host, with JSON inside`, 'provider_redirected', {
      status,
      redirect: 'http://127.0.0.1:1/steal',
      body: `{"access_token":"${BODY_CANARY}","user_id":1}`,
    }),
  ),
  ...atBoth('a 304', 'provider_redirected', { status: 304 }),
  ...[500, 502, 503].flatMap((status) =>
    atBoth(`a ${status}`, 'provider_unavailable', { status, body: `{"access_token":"${BODY_CANARY}","user_id":1}` }),
  ),
  ...atBoth('the rate limit', 'provider_rate_limited', {
    status: 429,
    headers: { 'retry-after': '17' },
    body: BODY_CANARY,
  }),
  ...atBoth('3 MB', 'provider_bad_response', { body: `"${BODY_CANARY.repeat(100_000)}"` }),
  ...atBoth('an endless body', 'provider_bad_response', { body: BODY_CANARY.repeat(50), endless: true }),
  ...atBoth('JSON cut off', 'provider_bad_response', { rewrite: (body) => body.slice(0, -2) }),
  ...atBoth('nesting without end', 'provider_bad_response', { body: '['.repeat(60_000) }),
  ...atBoth('bytes that are not UTF-8', 'provider_bad_response', { body: Uint8Array.of(0x22, 0xff, 0x22) }),
  ...atBoth('compression', 'provider_bad_response', { headers: { 'content-encoding': 'gzip' }, body: BODY_CANARY }),
  ...atBoth('something that is not HTTP', 'provider_bad_response', { raw: `SSH-2.0-${BODY_CANARY}\r\n` }).map(
    (row) => ({
      ...row,
      byFetch: { code: 'provider_unreachable' as const, sent: row.sent === BOTH ? [...BOTH, 'user/me'] : row.sent },
    }),
  ),
]

const nobodies = [
  ...['[]', 'null', '{}', '{"user_id":0}', '{"user_id":""}', '{"user_id":null}', '{"user_id":true}', '{"user_id":[]}'],
  ...['{"user_id":{}}', '{"user_id":-1}', '{"user_id":1.5}', '{"user_id":1e0}', '{"user_info":{"user_id":"0"}}'],
]

const profileRows: Row[] = [
  ...nobodies.map(
    (body): Row => ({
      situation: `a profile that is ${body}`,
      code: 'profile_invalid',
      record: 'removed',
      sent: BOTH,
      arrange: fault('user/me', json(body)),
    }),
  ),
  {
    situation: 'a profile with two ids',
    code: 'provider_bad_response',
    record: 'removed',
    sent: BOTH,
    arrange: fault('user/me', json('{"user_id":1,"user_id":2}')),
  },
  ...[{ status: 401 }, { status: 403, body: BODY_CANARY }, json('{"error":true,"message":"CANARY"}')].map(
    (answer): Row => ({
      situation: `the token refused with ${JSON.stringify(answer)}`,
      code: 'profile_unauthorized',
      record: 'removed',
      sent: BOTH,
      arrange: fault('user/me', answer),
    }),
  ),
  {
    situation: 'no such profile endpoint (404)',
    code: 'provider_bad_response',
    record: 'removed',
    sent: BOTH,
    arrange: fault('user/me', { status: 404, body: '<h1>404</h1>' }),
  },
  {
    situation: 'a verify function that never answers',
    code: 'verify_timeout',
    keep: ['session', 'cookie'],
    record: 'removed',
    sent: BOTH,
    app: { strategy: { verifyTimeout: 50 }, verify: () => {} },
  },
]

/** The rows of the table in which a callback fails. */
export const failures: readonly Row[] = [
  ...callbackRows,
  ...communityRows,
  ...exchangeRows,
  ...transportRows,
  ...profileRows,
  ...firstContactFailures,
]
