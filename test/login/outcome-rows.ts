import { MemoryStore } from 'express-session'
import type { OutcomeCode, Provider, ProviderResult } from '../../lib'
import type { AppOptions } from '../support/app'
import { Browser } from '../support/browser'
import { firstContactFailures } from './first-contact-rows'
import {
  atBoth,
  BODY_CANARY,
  BOTH,
  callback,
  EXCHANGE,
  exchangeRow,
  json,
  profileRequests,
  profileRow,
  type Row,
  refused,
  visitWith,
} from './outcome-row'

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
  return refused(situation, code, visit, { app: { provider: find, strategy } })
}

const withKey = visitWith(({ authKey }) => `?auth_key=${authKey}`)

/** The genuine callback with other headers than a browser's on its way back. */
const withHeaders = (headers: Record<string, string>) => visitWith(({ authKey }) => `?auth_key=${authKey}`, headers)

// How a query or the headers of a callback are read: test/unit/login/request*.test.ts and test/security/parameters.test.ts.
const callbackRows: Row[] = [
  refused('a session that Passport cannot renew', 'session_unsupported', withHeaders({ 'x-cannot-renew': 'yes' }), {
    keep: ['session', 'cookie'],
    app: {
      before: (app) =>
        app.use((req, _res, next) => {
          if (req.headers['x-cannot-renew']) Object.assign(req.session, { regenerate: undefined })
          next()
        }),
    },
  }),
  ...(['POST', 'HEAD'] as const).map((method) =>
    refused(`a callback by ${method}`, 'method_not_allowed', (scenario) =>
      scenario.browser.comeBack(callback(scenario), { method }),
    ),
  ),
  refused(
    'no auth_key',
    'auth_key_missing',
    visitWith(() => ''),
  ),
  refused(
    'a key appended blindly to a URL with a query',
    'auth_key_malformed',
    visitWith(({ authKey }) => `?a=1?auth_key=${authKey}`),
  ),
  refused(
    'a callback linked from a foreign page',
    'callback_forged',
    withHeaders({ referer: 'https://evil.example/' }),
  ),
  refused('a typed or mailed callback', 'callback_forged', withHeaders({ 'sec-fetch-site': 'none' })),
  refused('a callback in a browser without a login', 'login_not_started', (scenario) =>
    new Browser().comeBack(callback(scenario)),
  ),
  refused('a record of another provider, application or strategy', 'context_mismatch', ({ app, authKey, browser }) =>
    browser.comeBack(`${app.otherCallbackURL}?auth_key=${authKey}`),
  ),
  refused('the session store failing when the record is consumed', 'session_unavailable', withKey, {
    keep: ['session'],
    app: { store: new FailingStore() },
    arrange: ({ app }) => Object.assign(app.store, { failing: true }),
  }),
  {
    situation: 'a record older than ten minutes',
    code: 'login_expired',
    record: 'over',
    sent: [],
    arrange: () => jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 10 * 60 * 1000 + 1000),
    // Sends the cookie explicitly: a real browser has dropped it by now.
    visit: (scenario) => scenario.browser.comeBack(callback(scenario), { headers: { cookie: scenario.cookies } }),
  },
  {
    situation: 'a different user signed in than at the start',
    code: 'user_changed',
    record: 'over',
    sent: [],
    arrange: ({ app, browser }) => browser.follow(`${app.origin}/become`),
  },
]

// Every body of the two responses: test/unit/client/response/responses.test.ts and profile.test.ts.
const exchangeRows: Row[] = [
  {
    situation: 'an unknown key',
    code: 'auth_key_rejected',
    record: 'over',
    sent: EXCHANGE,
    visit: visitWith(() => '?auth_key=0123456789abcdef0123456789abcdef'),
  },
  ...[
    json('{"error":true,"message":"CANARY"}'),
    json('{}'),
    { status: 401, body: BODY_CANARY },
    { status: 404, body: '{"error":"no such key"}' },
  ].map((answer) => exchangeRow(`the key refused with ${JSON.stringify(answer)}`, 'auth_key_rejected', answer)),
  ...['["CANARY"]', '"CANARY\\r\\nX-Injected: 1"'].map((token) =>
    exchangeRow(`a token that is ${token}`, 'provider_bad_response', json(`{"access_token":${token}}`)),
  ),
  ...['null', 'access_token=CANARY', 'Warning: CANARY {"access_token":"x"}'].map((body) =>
    exchangeRow(`the exchange answered with ${JSON.stringify(body)}`, 'provider_bad_response', json(body)),
  ),
  exchangeRow('no authorize endpoint there (404, HTML)', 'provider_bad_response', {
    status: 404,
    body: `<h1>${BODY_CANARY}</h1>`,
  }),
]

const transportRows: Row[] = [
  {
    situation: 'a provider whose port is closed',
    code: 'provider_unreachable',
    record: 'over',
    sent: [],
    app: { strategy: { baseURL: 'http://127.0.0.1:1/api/v1', timeout: 150 } },
  },
  // Sent again when the first connection closes: see connections.test.ts.
  {
    situation: 'resets before the answer at the exchange',
    code: 'provider_unreachable',
    record: 'over',
    sent: ['authorize', 'authorize'],
    byFetch: { sent: EXCHANGE },
    arrange: ({ provider }) => provider.failNext('authorize', { reset: 'before' }, { times: Number.POSITIVE_INFINITY }),
  },
  {
    situation: 'resets before the answer at the profile',
    code: 'provider_unreachable',
    record: 'over',
    sent: [...EXCHANGE, ...profileRequests('provider_unreachable')],
    arrange: ({ provider }) => provider.failNext('user/me', { reset: 'before' }, { times: Number.POSITIVE_INFINITY }),
  },
  ...atBoth('a reset within the headers', 'provider_unreachable', { reset: 'headers' }),
  ...atBoth('a reset within the body', 'provider_unreachable', { reset: 'body' }),
  ...atBoth('silence', 'provider_timeout', { hang: true }, { strategy: { timeout: 100 } }),
  exchangeRow('an answer that drips', 'provider_timeout', { drip: 40 }, { app: { strategy: { timeout: 100 } } }),
  ...[302, 307].flatMap((status) =>
    atBoth(`a ${status} to another host, with JSON inside`, 'provider_redirected', {
      status,
      redirect: 'http://127.0.0.1:1/steal',
      body: `{"access_token":"${BODY_CANARY}","user_id":1}`,
    }),
  ),
  ...atBoth('a 304', 'provider_redirected', { status: 304 }),
  ...[500, 503].flatMap((status) =>
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
    ({ sent, ...row }) => {
      const again = profileRequests('provider_unreachable')
      const sentByFetch = sent.flatMap((endpoint) => (endpoint === 'user/me' ? again : endpoint))
      return { ...row, sent, byFetch: { code: 'provider_unreachable' as const, sent: sentByFetch } }
    },
  ),
]

const profileRows: Row[] = [
  ...['[]', '{}', '{"user_id":0}', '{"user_info":{"user_id":"0"}}'].map((body) =>
    profileRow(`a profile that is ${body}`, 'profile_invalid', json(body)),
  ),
  profileRow('a profile with two ids', 'provider_bad_response', json('{"user_id":1,"user_id":2}')),
  ...[{ status: 401 }, { status: 403, body: BODY_CANARY }, json('{"error":true,"message":"CANARY"}')].map((answer) =>
    profileRow(`the token refused with ${JSON.stringify(answer)}`, 'profile_unauthorized', answer),
  ),
  profileRow('no such profile endpoint (404)', 'provider_bad_response', { status: 404, body: '<h1>404</h1>' }),
  {
    situation: 'a verify function that never answers',
    code: 'verify_timeout',
    keep: ['session', 'cookie'],
    record: 'over',
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
