import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import type { RecordedMode, SuggestedOptions } from '../../lib/doctor/examination'
import { type ExchangeMethod, GET_WARNING } from '../../lib/doctor/exchange'
import { isSlow, LoginExamination, reportTime } from '../../lib/doctor/login'
import { findingsOf, newExamination, useServers } from '../support/doctor'

// What the doctor sends in a login, and what it tells, proposes and records of it.

const { serve } = useServers()
const HEX = '0123456789abcdef0123456789abcdef'
const ann = { user_id: 1, user_name: 'Ann' }

type Answer = readonly [status: number, body: object | string]
const TOKEN: Answer = [200, { access_token: 'token-1' }]
const REFUSED: Answer = [401, { error: true }]
const PAGE: Answer = [200, '<p>Hello</p>']

interface Given {
  readonly address?: string | undefined
  readonly referer?: string
  /** What the answers to invented values suggested. */
  readonly method?: ExchangeMethod
  readonly allowGet?: boolean
  readonly spendTwice?: boolean
  /** What exchanges are answered, one after the other. */
  readonly post?: readonly Answer[]
  readonly get?: readonly Answer[]
  readonly profile?: Answer
  readonly options?: SuggestedOptions
  readonly mode?: RecordedMode
  /** Milliseconds until an answer. */
  readonly delay?: number
}

/** Makes a login. `ORIGIN` in what is told is the provider's own. */
async function logIn({ method = 'post', post = [TOKEN], get = [REFUSED], profile = [200, ann], ...given }: Given) {
  const sent: string[] = []
  const answers = { POST: [...post], GET: [...get] }
  const listener: RequestListener = async (request, response) => {
    const body = await text(request)
    sent.push(`${request.method} ${request.url} ${body}`.trim())
    const answer = request.url?.includes('/authorize')
      ? (answers[request.method === 'POST' ? 'POST' : 'GET'].shift() ?? REFUSED)
      : profile
    const [status, content] = answer
    setTimeout(() => {
      response.writeHead(status).end(typeof content === 'string' ? content : JSON.stringify(content))
    }, given.delay ?? 0)
  }
  const baseURL = await serve(listener)
  const { origin } = new URL(baseURL)
  const followed: string[] = []
  const examination = newExamination(origin, { progress: (what) => followed.push(what), finding: () => {} })
  Object.assign(examination.options, { baseURL, ...given.options })
  Object.assign(examination.mode, given.mode)
  const driver = {
    logIn: async (url: string) => {
      followed.push(url)
      return 'address' in given ? given.address : 'http://a.example/cb?auth_key=key-1'
    },
    ...(given.referer !== undefined && { referer: () => given.referer?.replace('ORIGIN', origin) }),
    mayExchangeByGet: async () => {
      followed.push('asked for GET')
      return given.allowGet ?? false
    },
  }
  const { spendTwice = false } = given
  const login = { appID: 'my app', appSecret: 'secret-1', spendTwice, driver }
  await new LoginExamination(new URL(baseURL), method, login, examination).run()
  await examination.probe.close()
  const { baseURL: _, ...options } = examination.options
  const findings = findingsOf(examination).map((line) =>
    given.delay === undefined ? line.replace(/\d+ ms, \d+/, '# ms, #') : line,
  )
  const told = { findings, options, sent, followed }
  const isHidden = ['key-1', 'token-1'].map((secret) => !examination.isHarmless(secret))
  return { ...JSON.parse(JSON.stringify(told).replaceAll(origin, 'ORIGIN')), mode: examination.mode, isHidden }
}

const form = { htmlContentType: false, sessionCookie: false, scriptWarnings: false }
const person: RecordedMode = {
  htmlAtStatus200: false,
  withoutUserMe: false,
  wrapUser: false,
  extraFields: false,
  blankPictures: false,
}
const exchanged: RecordedMode = { ...form, hexCredentials: false, redirectWithJSONBody: false }
const complete: RecordedMode = { ...exchanged, ...person, getOnly: false }
const CALLBACK = 'good Callback: The provider came back with an auth_key in the query.'
const BLIND =
  'broken Callback: The provider appends the key blindly, so that applications cannot find it: register a redirect URL without a query and without a fragment.'
const WITHOUT_KEY =
  'broken Callback: That address has no auth_key. (Cancel leads to the home page of the provider, without one.)'
const LOGIN = 'good Login: The provider exchanged the key for a token.'
const PERSON = 'good Profile: The person was read.'
const SPEED = 'good Speed: A login took # ms, # % of the default timeout of 10 seconds.'
const FIELDS = 'app_id=my+app&app_secret=secret-1&auth_key=key-1'
const POST = `POST /api/authorize ${FIELDS}`
const GET = `GET /api/authorize?${FIELDS}`
const PROFILES = ['GET /api/v1/user/me', 'GET /api/get_user_info?access_token=token-1']
const ASKED = 'asked for GET'
const URL_OF_LOGIN = 'ORIGIN/api/oauth?app_id=my+app'
const EXCHANGING = 'Exchanging the key'
const READING = 'Reading the profile'

const whole = {
  findings: [CALLBACK, LOGIN, PERSON, SPEED],
  options: {},
  mode: complete,
  sent: [POST, ...PROFILES],
  followed: [URL_OF_LOGIN, EXCHANGING, READING],
  isHidden: [true, true],
}

test('a login sends the key once, and the token to both endpoints of the profile', async () => {
  expect(await logIn({})).toStrictEqual(whole)
})

test('a login without an address ends at once', async () => {
  expect(await logIn({ address: undefined })).toStrictEqual({
    findings: ['broken Login: Not tried: no address was given to which a browser came back.'],
    options: {},
    mode: {},
    sent: [],
    followed: [URL_OF_LOGIN],
    isHidden: [false, false],
  })
})

describe('the address to which a browser came back', () => {
  const blindly = { appendAuthKeyBlindly: true }
  const not = { appendAuthKeyBlindly: false }
  const ofLength = (length: number): string => 'http://a.example/cb?auth_key=k&x='.padEnd(length, 'x')

  test.each<[address: string, key: string, mode: RecordedMode, finding?: string]>([
    ['http://a.example/cb?auth_key=key-1', 'key-1', {}],
    [' \t\u00a0http://a.example/cb?auth_key=key-1\u00a0\r\n', 'key-1', {}],
    ['http://a.example/cb?auth_key=key-1#top', 'key-1', not],
    ['http://a.example/cb?auth_key=key-1&b=2', 'key-1', { escapeRedirectAmpersands: false }],
    ['http://a.example/cb?auth_key=key-1&amp;b=2', 'key-1', { escapeRedirectAmpersands: true }],
    ['http://a.example/cb?a=1&auth_key=key-1', 'key-1', { ...not, escapeRedirectAmpersands: false }],
    ['http://a.example/cb?a=1&amp;auth_key=key-1', 'key-1', { ...not, escapeRedirectAmpersands: true }, BLIND],
    ['http://a.example/cb?a=1?auth_key=key-1', 'key-1', blindly, BLIND],
    ['http://a.example/cb#top?auth_key=key-1', 'key-1', blindly, BLIND],
    ['http://a.example/cb?auth_key=key-1?b=2', 'key-1', {}],
    ['http://a.example/cb?auth_key=key-1 2', 'key-1', {}],
    ['http://a.example/cb?auth_key=k%20%41%C3%A9', 'k Aé', {}],
    ['http://a.example/cb?auth_key=k%zz', 'k%zz', {}],
    [ofLength(4096), 'k', { escapeRedirectAmpersands: false }],
  ])('%j: its key is %j', async (address, key, mode, finding = CALLBACK) => {
    const fields = new URLSearchParams({ app_id: 'my app', app_secret: 'secret-1', auth_key: key })
    const told = await logIn({ address, post: [REFUSED] })
    expect([told.findings[0], told.mode, told.sent]).toEqual([finding, mode, [`POST /api/authorize ${fields}`]])
  })

  test.each([
    '',
    'http://a.example/',
    'http://a.example/cb?auth_key=',
    'http://a.example/cb?auth_key=#top',
    'http://a.example/cb?my_auth_key=key-1',
    'http://a.example/cb;auth_key=key-1',
    'a.example/cb?auth_key=key-1',
    '?auth_key=key-1',
    ofLength(4097),
  ])('%j has no key', async (address) => {
    const { findings, mode, sent, followed } = await logIn({ address })
    expect([findings, mode, sent, followed]).toEqual([[WITHOUT_KEY], {}, [], [URL_OF_LOGIN]])
  })
})

test.each([
  [HEX, HEX, true],
  [HEX, `${HEX}0`, false],
  [HEX, `x${HEX}`, false],
  [HEX, HEX.slice(1), false],
  [HEX, HEX.toUpperCase(), false],
  [HEX, HEX.replaceAll('a', '-'), false],
  ['key-1', HEX, false],
])('the key %s and the token %s are hexadecimal: %s', async (key, token, hexCredentials) => {
  const told = await logIn({ address: `http://a.example/cb?auth_key=${key}`, post: [[200, { access_token: token }]] })
  expect(told.mode).toStrictEqual({ ...complete, hexCredentials })
})

describe('where a browser came from', () => {
  const FOREIGN =
    'differs Callback: It came from a page of https://b.example, which may be any site that opened the redirect URL meanwhile. Only if you know that people sign in at the provider by that site, name it in allowedCallbackOrigins: without that, the first login of such a person is refused (callback_forged), and a second try succeeds.'

  test.each<[referer: string, options: SuggestedOptions, finding?: string]>([
    ['https://b.example/page', {}, FOREIGN],
    ['https://b.example/page', { callbackURL: 'https://a.example/cb' }, FOREIGN],
    ['https://b.example/page', { allowedCallbackOrigins: ['https://b.example:8443'] }, FOREIGN],
    ['https://b.example/page', { callbackURL: 'https://b.example/cb' }],
    ['https://b.example/page', { allowedCallbackOrigins: ['https://b.example'] }],
    ['ORIGIN/page', {}],
    ['about:blank', { callbackURL: 'https://a.example/cb' }],
    ['', { callbackURL: 'https://a.example/cb' }],
    ['', {}],
  ])('%s, with the options %j', async (referer, options, finding = '') => {
    const told = await logIn({ referer, options })
    const findings = [CALLBACK, finding, LOGIN, PERSON, SPEED].filter((line) => line !== '')
    expect(told).toStrictEqual({ ...whole, findings, options })
  })
})

const suggested = { options: { exchangeMethod: 'get' }, mode: { getOnly: true, postAnswer: 'not-found' } } as const
const REFUSED_KEY = (more = ''): string =>
  `broken Login: The provider refused the key: check the application id and the secret. (A key can be exchanged once${more}.)`
const NEITHER = (seen: string): string =>
  `broken Login: The exchange was answered neither with a token nor with a refusal. ${seen}`
const NO_LEAVE = 'differs Login: Not completed: an exchange by GET was not allowed (--allow-get).'
const BY_GET: RecordedMode = { ...exchanged, ...person }
const unknown = '; an old server may exchange by GET alone: --allow-get'

interface Told {
  readonly findings: readonly string[]
  readonly sent?: readonly string[]
  readonly followed?: readonly string[]
  readonly options?: SuggestedOptions
  readonly mode?: RecordedMode
  readonly isHidden?: readonly boolean[]
}

/** A login that ended with the exchange. */
const ended = (finding: string, more: Omit<Told, 'findings'> = {}): Told => ({
  findings: [CALLBACK, finding],
  mode: {},
  sent: [POST],
  followed: [URL_OF_LOGIN, EXCHANGING],
  isHidden: [true, false],
  ...more,
})
const asked = { followed: [URL_OF_LOGIN, EXCHANGING, ASKED] }
const byGet = { sent: [POST, GET, ...PROFILES], followed: [URL_OF_LOGIN, EXCHANGING, ASKED, READING] }

describe('an exchange', () => {
  test.each<[title: string, Given, Told]>([
    ['by POST, although a GET was suggested', { method: 'get', ...suggested }, { findings: whole.findings }],
    ['by POST, although nothing was suggested', { method: 'unknown' }, { findings: whole.findings }],
    ['that is refused', { post: [REFUSED], allowGet: true }, ended(REFUSED_KEY())],
    ['that is refused by a page', { post: [[403, PAGE[1]]] }, ended(REFUSED_KEY())],
    [
      'that is refused, by a method that nobody knows',
      { post: [REFUSED], method: 'unknown' },
      ended(REFUSED_KEY(unknown), asked),
    ],
    [
      'that is refused by both methods',
      { post: [REFUSED], method: 'unknown', allowGet: true },
      ended(REFUSED_KEY(unknown), { ...asked, sent: [POST, GET] }),
    ],
    [
      'that a GET alone does',
      { post: [REFUSED], get: [TOKEN], method: 'unknown', allowGet: true },
      {
        findings: [
          CALLBACK,
          `differs Method: A POST is refused as if nothing had been sent, and a GET is not. ${GET_WARNING}`,
          LOGIN,
          PERSON,
          SPEED,
        ],
        options: { exchangeMethod: 'get' },
        mode: { ...BY_GET, getOnly: true, postAnswer: 'invalid-app-id' },
        ...byGet,
      },
    ],
    [
      'that a GET alone does, as was suggested',
      { post: [PAGE], get: [TOKEN], method: 'get', allowGet: true, ...suggested },
      { findings: whole.findings, options: suggested.options, mode: { ...BY_GET, ...suggested.mode }, ...byGet },
    ],
    ['that a GET alone does, without leave', { post: [PAGE], method: 'get' }, ended(NO_LEAVE, asked)],
    [
      'that a GET refuses, as was suggested',
      { post: [PAGE], method: 'get', allowGet: true },
      ended(REFUSED_KEY(), { ...asked, sent: [POST, GET] }),
    ],
    [
      'that is answered with a page',
      { post: [PAGE], method: 'unknown', allowGet: true },
      ended(NEITHER('A page instead of the API: maintenance, or an address that is not the API (status 200).')),
    ],
    [
      'that is answered with other JSON',
      { post: [[200, { token: 1 }]] },
      ended(NEITHER('It was an object of token (status 200).')),
    ],
    [
      'that hands out a token in a redirect',
      { post: [[302, TOKEN[1]]], profile: REFUSED },
      {
        findings: [
          CALLBACK,
          'broken Login: The token came in the body of a redirect, which spends the key and is never followed: make baseURL the address that the provider itself is configured with (https, www).',
          'broken Profile: There was no person in the profile, but an object of error (status 401).',
        ],
        mode: { ...exchanged, getOnly: false, redirectWithJSONBody: true },
      },
    ],
    [
      'whose token has no profile',
      { profile: PAGE },
      {
        findings: [CALLBACK, LOGIN, 'broken Profile: There was no person in the profile, but a page (status 200).'],
        mode: { ...exchanged, getOnly: false },
      },
    ],
    [
      'that hands out a token behind a warning',
      { post: [[200, 'Warning: {"access_token":"token-1"}']] },
      {
        findings: [
          CALLBACK,
          "broken Login: The warnings of a script precede the JSON, so that no client can read it. The provider's operator must turn off display_errors.",
          PERSON,
          SPEED,
        ],
      },
    ],
  ])('%s', async (_title, given, told) => {
    expect(await logIn(given)).toStrictEqual({ ...whole, ...told })
  })

  test('that meets a closed connection is told', async () => {
    const baseURL = await serve((request) => request.socket.destroy())
    const examination = newExamination(new URL(baseURL).origin)
    const driver = { logIn: async () => 'http://a.example/cb?auth_key=key-1', mayExchangeByGet: async () => false }
    const login = { appID: 'mine', appSecret: 'secret-1', spendTwice: false, driver }
    await new LoginExamination(new URL(baseURL), 'post', login, examination).run()
    await examination.probe.close()
    const closed = 'broken Login: The connection was closed before the response was complete.'
    expect(findingsOf(examination)).toEqual([CALLBACK, closed])
  })
})

describe('a key that is exchanged again', () => {
  const ONCE = 'good Second use: The provider refuses a key that was exchanged before.'
  const AGAIN =
    'broken Second use: The provider exchanges a key twice: whoever finds an old callback address can use it.'
  const UNKNOWN =
    'differs Second use: Not known: a key that was exchanged before was answered with an object of status (status 200).'

  test.each<[Answer, string]>([
    [REFUSED, ONCE],
    [TOKEN, AGAIN],
    [[200, { status: 1 }], UNKNOWN],
  ])('and answered with %j', async (answer, finding) => {
    const findings = [...whole.findings, finding]
    const byPost = await logIn({ post: [TOKEN, answer], spendTwice: true })
    expect(byPost).toStrictEqual({ ...whole, findings, sent: [...whole.sent, POST] })
    const byGet = await logIn({
      method: 'unknown',
      post: [REFUSED],
      get: [TOKEN, answer],
      allowGet: true,
      spendTwice: true,
    })
    expect([byGet.findings.at(-1), byGet.sent]).toEqual([finding, [POST, GET, ...PROFILES, GET]])
  })

  test('is so by POST, where a GET was suggested and a POST worked', async () => {
    const { sent } = await logIn({ method: 'get', spendTwice: true })
    expect(sent).toEqual([...whole.sent, POST])
  })
})

describe('the time of a login', () => {
  test('is that of the exchange and of the profile together', async () => {
    const { findings } = await logIn({ delay: 100 })
    const [, milliseconds] = /^good Speed: A login took (\d+) ms/.exec(findings[3]) ?? []
    // A timer may be a millisecond early.
    expect(Number(milliseconds)).toBeGreaterThanOrEqual(198)
  })

  test('is slow from a third of the default timeout on', () => {
    expect([3333, 10_000 / 3, 3334].map(isSlow)).toEqual([false, true, true])
  })

  test.each([
    [12.2, 'good', '13 ms, 0 %', undefined],
    [3333, 'good', '3333 ms, 33 %', undefined],
    [3333.4, 'differs', '3334 ms, 33 %', 11_000],
    [3666.6, 'differs', '3667 ms, 37 %', 11_000],
    [3666.7, 'differs', '3667 ms, 37 %', 12_000],
    [40_000, 'differs', '40000 ms, 400 %', 120_000],
    [60_000, 'differs', '60000 ms, 600 %', 120_000],
  ])('%d ms is told as a share of timeout', (duration, level, share, timeout) => {
    const examination = newExamination()
    reportTime('A login took', duration, examination)
    const cure = timeout === undefined ? '.' : `: raise the option timeout to ${timeout}.`
    expect(findingsOf(examination)).toEqual([
      `${level} Speed: A login took ${share} of the default timeout of 10 seconds${cure}`,
    ])
    expect(examination.options).toEqual(timeout === undefined ? {} : { timeout })
  })
})
