import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import type { RecordedMode, SuggestedOptions } from '../../lib/doctor/examination'
import { checkExchange, type ExchangeMethod, GET_WARNING, isBlocked, problemOf } from '../../lib/doctor/exchange'
import type { ProbeResponse } from '../../lib/doctor/probe'
import { findingsOf, newExamination, responseOf, useServers } from '../support/doctor'

// What the doctor asks with an invented key, and what it tells, proposes and records of the answers.

const { serve } = useServers()

type Answer = readonly [status: number, body: object | string, headers?: Readonly<Record<string, string>>]

/** What is answered to invented values by POST and by GET, and to none; the same as to invented ones, if not given. */
interface Given {
  readonly post: Answer
  readonly get: Answer
  readonly emptyPost?: Answer
  readonly emptyGet?: Answer
}

async function check({ post, get, emptyPost = post, emptyGet = get }: Given) {
  const sent: string[] = []
  const listener: RequestListener = async (request, response) => {
    const { method, url = '' } = request
    const fields = method === 'POST' ? await text(request) : (url.split('?')[1] ?? '')
    sent.push(`${method} ${url.replace(/\?.*/, '')} ${fields.replace(/=[\da-f]{32}(&|$)/g, '=*$1')}`.trim())
    const answers = method === 'POST' ? [emptyPost, post] : [emptyGet, get]
    const [status, body, headers = {}] = answers[fields === '' ? 0 : 1] ?? post
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  const baseURL = new URL(await serve(listener))
  const progress: string[] = []
  const examination = newExamination(baseURL.origin, { progress: (line) => progress.push(line), finding: () => {} })
  const { method, duration } = await checkExchange(baseURL, examination)
  await examination.probe.close()
  expect([progress, duration > 0]).toEqual([['Asking for an exchange with invented values'], true])
  const { options, mode } = examination
  return { method, findings: findingsOf(examination), options, mode, sent }
}

const VALUES = 'app_id=*&app_secret=*&auth_key=*'
const WITH_VALUES = [`POST /api/authorize ${VALUES}`, `GET /api/authorize ${VALUES}`]
const ALL = [...WITH_VALUES, 'POST /api/authorize', 'GET /api/authorize']

const form = { htmlContentType: false, sessionCookie: false, scriptWarnings: false }
const postOnly: RecordedMode = { ...form, getOnly: false, getAndPost: false }
const getOnly = { getOnly: true, postAnswer: 'invalid-app-id' } as const
const PAGE = '<p>Hello</p>'
const REFUSED: Answer = [401, { error: true }]
const OTHERWISE: Answer = [400, { error: true }]
const NO_METHOD: Answer = [405, '']

const TOKEN = 'broken Exchange: It hands out a token for invented values: whoever asks can sign in.'
const ONLY_TELLS = 'Logins may work: only one (--login) tells.'
const refuses = (how: string) => `good Exchange: It refuses invented values as JSON, ${how}`
const differs = (how: string) => `differs Exchange: It ${how}. ${GET_WARNING}`
const answers = (content: string) =>
  `differs Exchange: It answers invented values with ${content}, no refusal as JSON. ${ONLY_TELLS}`

interface Told {
  readonly finding: string
  readonly method?: ExchangeMethod
  readonly options?: SuggestedOptions
  readonly mode?: RecordedMode
  readonly sent?: readonly string[]
}

test.each<[title: string, Given, Told]>([
  [
    'refuses a POST, and a GET by its method',
    { post: REFUSED, get: NO_METHOD },
    { finding: refuses('with status 401.') },
  ],
  [
    'refuses within status 200',
    { post: [200, { error: true }], get: NO_METHOD },
    { finding: refuses('within status 200, as most providers do.') },
  ],
  [
    'refuses with a cookie',
    { post: [400, {}, { 'set-cookie': 'a=1' }], get: NO_METHOD },
    {
      finding: refuses('with status 400. It sets a cookie, which is ignored.'),
      mode: { ...postOnly, sessionCookie: true },
    },
  ],
  [
    'refuses behind a warning',
    { post: [401, 'Warning: {"error":true}'], get: NO_METHOD },
    {
      finding:
        "broken Warnings: The warnings of a script precede the JSON, so that no client can read it. The provider's operator must turn off display_errors.",
      mode: { ...postOnly, scriptWarnings: true },
    },
  ],
  [
    'refuses with words of success',
    { post: [400, { success: true }], get: NO_METHOD },
    {
      finding:
        'broken Exchange: There is JSON, but no login reads it. The JSON tells of success and has no access_token, only: success.',
    },
  ],
  [
    'refuses before other text',
    { post: [401, '{"error":true};'], get: NO_METHOD },
    {
      finding: answers('a text (status 401)'),
      mode: { getOnly: false, getAndPost: false },
    },
  ],
  [
    'answers with other JSON',
    { post: [200, { status: 1 }], get: NO_METHOD },
    { finding: answers('an object of status (status 200)') },
  ],
  [
    'answers with a text that is compressed in an unknown way',
    { post: [400, 'x', { 'content-encoding': 'zstd' }], get: NO_METHOD },
    {
      finding:
        'broken Exchange: The response is compressed although that was not accepted, and in a way that the client does not read (status 400).',
      mode: { getOnly: false, getAndPost: false },
    },
  ],
  [
    'answers with a page',
    { post: [200, PAGE], get: [200, PAGE] },
    {
      finding:
        'broken Exchange: A page instead of the API: maintenance, or an address that is not the API (status 200).',
      method: 'unknown',
      mode: {},
      sent: WITH_VALUES,
    },
  ],
  [
    'answers with a page, and refuses a GET by its method',
    { post: [200, PAGE], get: NO_METHOD },
    {
      finding:
        'broken Exchange: A page instead of the API: maintenance, or an address that is not the API (status 200).',
      method: 'unknown',
      mode: {},
      sent: WITH_VALUES,
    },
  ],
  [
    'refuses both methods',
    { post: NO_METHOD, get: NO_METHOD },
    {
      finding: 'broken Exchange: It refuses POST, and a GET is not answered as an exchange either (status 405).',
      method: 'unknown',
      mode: {},
      sent: WITH_VALUES,
    },
  ],
  [
    'is not there',
    { post: [404, PAGE], get: [404, PAGE] },
    {
      finding: 'broken Exchange: There is no exchange at this address (status 404).',
      method: 'unknown',
      mode: {},
      sent: WITH_VALUES,
    },
  ],
  [
    'is there by GET alone',
    { post: [404, PAGE], get: REFUSED },
    {
      finding: differs('refuses a POST with status 404, and answers a GET'),
      method: 'get',
      options: { exchangeMethod: 'get' },
      mode: { ...form, getOnly: true, postAnswer: 'not-found' },
      sent: WITH_VALUES,
    },
  ],
  [
    'allows a GET alone',
    { post: NO_METHOD, get: REFUSED },
    {
      finding: differs('refuses a POST with status 405, and answers a GET'),
      method: 'get',
      options: { exchangeMethod: 'get' },
      mode: { ...form, getOnly: true, postAnswer: 'method-not-allowed' },
      sent: WITH_VALUES,
    },
  ],
  [
    'fails for a POST, and refuses a GET',
    { post: [500, PAGE], get: REFUSED },
    { finding: 'broken Exchange: The provider fails (status 500).', method: 'unknown', mode: form, sent: WITH_VALUES },
  ],
  ['hands out a token for a POST', { post: [200, { access_token: 'abc' }], get: NO_METHOD }, { finding: TOKEN }],
  [
    'hands out a token for a GET',
    { post: REFUSED, get: [200, { access_token: 'abc' }] },
    { finding: TOKEN, method: 'unknown', mode: { ...form, getAndPost: false }, sent: ALL },
  ],
  [
    'hands out a token for any GET, and reads a POST',
    { post: REFUSED, get: [200, { access_token: 'abc' }], emptyPost: OTHERWISE },
    { finding: TOKEN, method: 'post', mode: { ...form, getAndPost: false }, sent: ALL },
  ],
  [
    'reads a POST alone',
    { post: REFUSED, get: OTHERWISE, emptyPost: OTHERWISE },
    { finding: refuses('with status 401.'), mode: { ...form, getAndPost: false }, sent: ALL },
  ],
  [
    'reads both',
    { post: REFUSED, get: REFUSED, emptyPost: OTHERWISE, emptyGet: OTHERWISE },
    { finding: refuses('with status 401.'), mode: { ...form, getAndPost: true }, sent: ALL },
  ],
  [
    'reads a GET alone',
    { post: OTHERWISE, get: REFUSED, emptyGet: OTHERWISE },
    {
      finding: differs('answers a POST as if nothing had been sent, and a GET not so'),
      method: 'get',
      options: { exchangeMethod: 'get' },
      mode: { ...form, ...getOnly, getAndPost: false },
      sent: ALL,
    },
  ],
  [
    'reads neither, and answers both alike',
    { post: REFUSED, get: REFUSED },
    { finding: refuses('with status 401.'), mode: { ...form, getAndPost: false }, sent: ALL },
  ],
  [
    'reads neither, and answers a POST otherwise than a GET',
    { post: REFUSED, get: OTHERWISE },
    { finding: refuses('with status 401.'), method: 'unknown', mode: { ...form, getAndPost: false }, sent: ALL },
  ],
  [
    'answers a POST in words, and a GET with JSON and a cookie',
    { post: [400, 'No'], get: [400, {}, { 'set-cookie': 'a=1' }] },
    {
      finding: answers('a text (status 400)'),
      method: 'unknown',
      mode: { ...form, sessionCookie: true, getAndPost: false },
      sent: ALL,
    },
  ],
])('an exchange that %s', async (_title, given, told) => {
  const { finding, method = 'post', options = {}, mode = postOnly, sent = WITH_VALUES } = told
  expect(await check(given)).toStrictEqual({ method, findings: [finding], options, mode, sent })
})

test.each<[one: string, other: string, isAlike: boolean]>([
  ['no application 4711', 'no application 12', true],
  ['no application 0123456789abcdef', 'no application fedcba9876543210', true],
  ['no application 1a2b3c4d', 'no application 9F8E7D6C', true],
  ['no application abcdefab', 'no application fedcbafe', true],
  ['no application 1a2b3c4', 'no application 9f8e7d6', false],
  ['no application', 'send app_id', false],
  ['no such application', 'no such secret here', false],
])('the answers "%s" and "%s" say the same: %s', async (one, other, isAlike) => {
  const { method } = await check({ post: REFUSED, get: [400, one], emptyGet: [400, other] })
  expect(method).toBe(isAlike ? 'unknown' : 'get')
})

test('an exchange whose connections close is told, and how it is asked for is not known', async () => {
  const baseURL = new URL(await serve((request) => request.socket.destroy()))
  const examination = newExamination(baseURL.origin)
  expect(await checkExchange(baseURL, examination)).toEqual({ method: 'unknown', duration: 0 })
  await examination.probe.close()
  expect(findingsOf(examination)).toEqual([
    'broken Exchange: The connection was closed before the response was complete.',
  ])
})

const MARK = { 'cf-mitigated': 'challenge' }
const ZSTD = { 'content-encoding': 'zstd' }
const COMPRESSED =
  'The response is compressed although that was not accepted, and in a way that the client does not read'

test.each<[Partial<ProbeResponse>, problem: string]>([
  [{ status: 404 }, 'There is no exchange at this address (status 404).'],
  [{ status: 405 }, 'It refuses POST, and a GET is not answered as an exchange either (status 405).'],
  [
    { status: 403, headers: MARK },
    'By its marks, a firewall or bot protection in front of the provider refuses this machine, by its address or its User-Agent. The provider must let it pass (status 403).',
  ],
  [{ text: PAGE }, 'A page instead of the API: maintenance, or an address that is not the API (status 200).'],
  [
    { status: 302 },
    'It redirects, which is never followed with a secret: baseURL must be the final address (status 302).',
  ],
  [{ status: 500 }, 'The provider fails (status 500).'],
  [{ status: 429 }, 'The provider refuses further requests of this machine: try again later (status 429).'],
  [{ text: 'x'.repeat(1001) }, 'What answers there is no exchange of this API (status 200).'],
  [{ status: 500, headers: ZSTD }, `${COMPRESSED} (status 500).`],
  [{ status: 500, headers: ZSTD, json: {} }, 'The provider fails (status 500).'],
  [{ status: 500, headers: { 'content-encoding': 'none' } }, 'The provider fails (status 500).'],
])('why %j is no response of an exchange', (response, problem) => {
  expect(problemOf(responseOf(response))).toBe(problem)
})

test('a firewall may have refused a request, by its marks, or by a status of firewalls without JSON', () => {
  const statuses = [200, 302, 400, 401, 402, 403, 404, 405, 406, 410, 428, 429, 430, 500, 502, 503, 504]
  const blocked = (more: Partial<ProbeResponse>) =>
    statuses.filter((status) => isBlocked(responseOf({ status, ...more })))
  expect(blocked({})).toEqual([403, 406, 429, 503])
  expect(blocked({ json: {} })).toEqual([])
  expect(blocked({ headers: MARK })).toEqual(statuses)
  expect(blocked({ headers: MARK, json: {} })).toEqual(statuses.filter((status) => status >= 400))
})
