import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { type DoctorInput, examine } from '../../lib/doctor/doctor'
import {
  inventedForm,
  inventedLike,
  loginURL,
  requestExchange,
  requestUserInfo,
  requestUserMe,
} from '../../lib/doctor/endpoints'
import type { Finding } from '../../lib/doctor/examination'
import { reportTime } from '../../lib/doctor/login'
import { reportOrigin } from '../../lib/doctor/login-page'
import { Probe } from '../../lib/doctor/probe'
import { asJSON, optionLines } from '../../lib/doctor/report'
import { count, printable } from '../../lib/doctor/text'
import { countConnections } from '../support/connections'
import { findingsOf, newExamination, useServers } from '../support/doctor'
import { type Answers, answering, inputOf, PAGE } from '../support/doctor-answers'
import { rejectionOf } from '../support/leak-check'
import { until } from '../support/turns'

// A whole examination: what is requested and reported, in which order, and the form of what is printed.

const { listening, serve, proxyTo } = useServers()
afterEach(() => {
  jest.restoreAllMocks()
  delete process.env['http_proxy']
})
const SECRET = 'secret-canary-1'

/** Examines a provider that answers so: its requests, and what the follower is told, in order. */
async function follow(answers: Answers, more: Partial<DoctorInput> = {}, path = '/api/v1') {
  const requests: string[] = []
  const listener = answering(answers, [])
  const site = await serve((request, response) => {
    requests.push(`${request.method} ${request.url?.replace(/\?.*/, '')}`)
    listener(request, response)
  })
  return { ...(await followAt(new URL(path, site), more)), requests }
}

async function followAt(baseURL: URL, more: Partial<DoctorInput> = {}) {
  const told: string[] = []
  const observer = {
    progress: (line: string): void => void told.push(`${line} ...`),
    finding: ({ level, code }: Finding): void => void told.push(`${level} ${code}`),
  }
  const examination = await examine({ baseURL, userAgent: 'test', timeout: 5000, hasProxy: false, ...more }, observer)
  return { told, findings: told.filter((line) => !line.endsWith('...')), examination }
}

const ASKED = [
  'GET /api/v1/user/me',
  'GET /api/oauth',
  'POST /api/authorize',
  'GET /api/authorize',
  'GET /api/get_user_info',
]
const FOLLOWED = [
  'Looking for the API ...',
  'good address_good',
  'Visiting the login page ...',
  'good login_page_good',
  'Asking for an exchange with invented values ...',
  'good exchange_good',
  'Asking for a profile with an invented token ...',
  'good profile_good',
]

describe('a working provider', () => {
  test('is asked once for each finding, which is told immediately', async () => {
    const { requests, told } = await follow({})
    expect([requests, told]).toStrictEqual([ASKED, FOLLOWED])
  })

  test('with an application is asked for its login page, too', async () => {
    const { requests } = await follow({}, { appID: 'app-7' })
    expect(requests).toStrictEqual([...ASKED.slice(0, 2), ...ASKED.slice(1)])
  })

  test('with a login is asked with its secret', async () => {
    const { requests, told } = await follow({}, { login: inputOf({}) })
    expect(requests).toStrictEqual([...ASKED, 'POST /api/authorize', 'GET /api/v1/user/me', 'GET /api/get_user_info'])
    expect(told).toStrictEqual([
      ...FOLLOWED,
      'good key_received',
      'Exchanging the key ...',
      'good login_good',
      'Reading the profile ...',
      'good person_good',
      'good speed_good',
    ])
  })

  test('is reached directly, where the environment names a proxy that is not needed', async () => {
    const { requests, told } = await follow({}, { hasProxy: true })
    expect([requests, told]).toStrictEqual([['GET /api/v1/user/me', ...ASKED], FOLLOWED])
  })
})

describe('at a path of no API', () => {
  const elsewhere: Answers = {
    me: (path) => (path.startsWith('/old') ? [404] : [401, { error: true }]),
    post: (path) => (path.startsWith('/old') ? [404] : [401, { error: true }]),
  }
  const LOOKED = ['GET /old/api/v1/user/me', 'POST /old/api/authorize', 'POST /api/authorize']

  test('the usual path of the host is looked at, and a login is not made there', async () => {
    const { requests, findings } = await follow(elsewhere, { login: inputOf({}) }, '/old/api/v1')
    expect(requests).toStrictEqual([...LOOKED, ...ASKED])
    expect([findings.at(1), findings.at(-1)]).toStrictEqual(['broken path_wrong', 'broken login_not_tried'])
  })

  test.each<[what: string, Answers]>([
    ['an exchange alone', { me: [404] }],
    ['nothing, as the usual one', { me: [404], post: [404] }],
    ['nothing, where the usual one is no JSON', { me: [404], post: (path) => (/^.old/.test(path) ? [404] : [401]) }],
    ['a connection that closes', { me: [404], post: () => undefined }],
  ])('with %s, it is kept', async (_what, answers) => {
    const { examination } = await follow(answers, {}, '/old/api/v1')
    expect(examination.options.baseURL).toContain('/old/api/v1')
  })

  test('an error of the follower ends the examination', async () => {
    const defect = new RangeError('defect')
    const finding = ({ code }: Finding): void => {
      if (code === 'path_wrong') throw defect
    }
    const baseURL = new URL('/old/api/v1', await serve(answering(elsewhere, [])))
    const input = { baseURL, userAgent: 'test', timeout: 5000, hasProxy: false }
    expect(await rejectionOf(examine(input, { progress: () => {}, finding }))).toBe(defect)
  })
})

test('a redirect of the API ends before a login, which overrules nothing then', async () => {
  const me = (path: string) =>
    path.startsWith('/old') ? ([301, '', { location: path.slice(4) }] as const) : ([401, { error: true }] as const)
  const { findings } = await follow({ me, post: PAGE }, { login: inputOf({}) }, '/old/api/v1')
  expect(findings).toStrictEqual([
    'differs address_redirects',
    'good login_page_good',
    'broken exchange_page',
    'good profile_good',
    'broken login_not_tried',
  ])
})

test('a login overrules what invented values suggest', async () => {
  const { findings } = await follow({ post: PAGE, get: PAGE }, { login: inputOf({}) })
  expect(findings[2]).toBe('differs exchange_page')
})

describe('without a connection', () => {
  test('the proxy of the environment is taken, and a login needs https there', async () => {
    process.env['http_proxy'] = await proxyTo(await serve(answering({}, [])))
    const more = { hasProxy: true, timeout: 2000, login: inputOf({}) }
    const { findings, examination } = await followAt(new URL('http://nowhere.invalid/api/v1'), more)
    const good = FOLLOWED.filter((line) => line.startsWith('good')).slice(1)
    expect(findings).toStrictEqual([
      'differs proxy_needed',
      'good address_good',
      'broken plain_http',
      ...good,
      'broken login_not_tried',
    ])
    expect(examination.options.proxied).toBe(true)
  })

  test('that answers HTTP, but that opens, no proxy is needed', async () => {
    const closing = createServer((request) => request.socket.destroy())
    const large = createServer((_request, response) => response.writeHead(200, { 'x-a': 'x'.repeat(40_000) }).end())
    for (const server of [closing, large]) {
      const baseURL = new URL(`http://localhost:${await listening(server)}/api/v1`)
      expect((await followAt(baseURL, { hasProxy: true })).findings).toStrictEqual(['broken provider_unreachable'])
    }
  })
})

test('slow refusals are reported, unless a login follows; then its time is', async () => {
  let clock = 0
  jest.spyOn(performance, 'now').mockImplementation(() => clock)
  /** Takes two seconds for each request. */
  const slow = () => {
    clock += 2000
    return [401, { error: true }] as const
  }
  const guessed = await follow({ post: slow, me: slow })
  expect([guessed.findings.at(-1), guessed.examination.options.timeout]).toStrictEqual(['differs speed_slow', 12_000])
  const known = await follow({ post: slow, me: slow }, { login: inputOf({}) })
  expect(known.findings.at(-1)).toBe('good speed_good')
})

test.each([
  [12.2, 'good', '13 ms, 0 %', undefined],
  [3333, 'good', '3333 ms, 33 %', undefined],
  [3333.4, 'differs', '3334 ms, 33 %', 11_000],
  [3666.7, 'differs', '3667 ms, 37 %', 12_000],
  [60_000, 'differs', '60000 ms, 600 %', 120_000],
])('%d ms of a login are reported as a share of the default timeout', (duration, level, share, timeout) => {
  const examination = newExamination()
  reportTime('A login took', duration, examination)
  expect(findingsOf(examination)).toStrictEqual([expect.stringContaining(`${level} Speed: A login took ${share} of`)])
  expect(examination.options.timeout).toBe(timeout)
})

test.each([
  ['https://a.example/sign-in', 'login_page_good', undefined],
  ['https://login.a.example/sign-in', 'login_page_other_origin', ['https://login.a.example']],
  ['https://canary.example/', undefined, undefined],
])('a login page at %s is reported with its option, unless a secret is in its name', (url, code, origins) => {
  const examination = newExamination()
  examination.hide('canary')
  reportOrigin(new URL('https://a.example/api/v1'), { url: new URL(url) }, examination)
  expect([examination.findings[0]?.code, examination.options.allowedCallbackOrigins]).toStrictEqual([code, origins])
})

test('the connections of an examination are closed with it', async () => {
  // A server that closes none by itself.
  const server = createServer({ keepAliveTimeout: 0 }, answering({}, []))
  const connections = countConnections(server)
  await followAt(new URL(`http://localhost:${await listening(server)}/api/v1`), { hasProxy: true })
  await until(() => connections.open === 0)
  expect(connections.accepted).toBe(2)
})

test('a finding is told to the follower, and a guess is no verdict if a login follows', () => {
  const told: unknown[] = []
  const examination = newExamination('http://localhost', { progress: () => {}, finding: (found) => told.push(found) })
  examination.differs('exchange_page', 'Dif\x1bfers.')
  expect(examination.isBroken).toBe(false)
  examination.suspect('exchange_page', 'It fails.')
  expect(examination.isBroken).toBe(true)
  examination.loginFollows = true
  examination.suspect('exchange_page', 'It fails.')
  expect(examination.findings).toStrictEqual([
    { level: 'differs', code: 'exchange_page', check: 'Exchange', message: 'Dif?fers.' },
    { level: 'broken', code: 'exchange_page', check: 'Exchange', message: 'It fails.' },
    { level: 'differs', code: 'exchange_page', check: 'Exchange', message: 'It fails. The login will show.' },
  ])
  expect(told).toEqual(examination.findings)
})

describe('a report', () => {
  const options = {
    baseURL: 'https://a.example/api/v1',
    clientID: "it's\\",
    callbackURL: 'https://b.example/cb\u00e9',
    exchangeMethod: 'get',
    profileEndpoint: 'get_user_info',
    allowedCallbackOrigins: ['https://c.example', 'https://d\u00e9.example'],
    timeout: 11_000,
    uploadsURL: 'https://secret-canary-1.example/',
  } as const

  test('has the options as code', () => {
    const examination = newExamination()
    expect(optionLines(examination)).toBe(`new Strategy({
  baseURL: process.env.SOCIAL_BASE_URL,
  clientID: process.env.SOCIAL_CLIENT_ID,
  clientSecret: process.env.SOCIAL_CLIENT_SECRET,
  callbackURL: '/auth/social-login/callback', // as you registered it
}, verify)`)
    examination.hide(SECRET)
    Object.assign(examination.options, options, { proxied: true })
    expect(optionLines(examination)).toBe(`new Strategy({
  baseURL: 'https://a.example/api/v1',
  clientID: 'it\\'s\\\\',
  clientSecret: process.env.SOCIAL_CLIENT_SECRET,
  callbackURL: 'https://b.example/cb?',
  exchangeMethod: 'get',
  profileEndpoint: 'get_user_info',
  allowedCallbackOrigins: ["https://c.example","https://d?.example"],
  timeout: 11000,
  dispatcher: new EnvHttpProxyAgent(), // from 'undici'
}, verify)`)
  })

  test('is one document for a program', () => {
    const examination = newExamination()
    examination.hide(SECRET)
    Object.assign(examination.options, { timeout: 11_000, uploadsURL: options.uploadsURL })
    examination.mode.getOnly = true
    examination.broken('exchange_page', 'B.')
    expect(asJSON(examination)).toBe(`{
  "version": 1,
  "broken": true,
  "findings": [
    {
      "level": "broken",
      "code": "exchange_page",
      "check": "Exchange",
      "message": "B."
    }
  ],
  "options": {
    "timeout": 11000
  },
  "mode": {
    "getOnly": true
  }
}`)
  })

  test('is visible ASCII, and counts', () => {
    expect(printable(' ~\x1f\x7f\n\u00e9A')).toBe(' ~????A')
    expect([0, 1, 2].map((number) => count(number, 'day'))).toStrictEqual(['0 days', '1 day', '2 days'])
  })
})

describe('a request of the specification', () => {
  test('is sent as it says', async () => {
    const received: unknown[] = []
    const baseURL = new URL(
      await serve(async (request, response) => {
        const { 'content-type': type, authorization } = request.headers
        received.push([request.method, request.url, type, authorization, await text(request)])
        response.end()
      }),
    )
    const probe = new Probe('test', 5000, baseURL.origin)
    const form = { app_id: 'a b', app_secret: 'c', auth_key: 'd&' }
    await requestExchange(probe, baseURL, 'POST', form)
    await requestExchange(probe, baseURL, 'GET', form)
    await requestUserMe(probe, baseURL, 'token-1')
    await requestUserInfo(probe, baseURL, 'token 1')
    await requestUserMe(probe, baseURL)
    await requestUserInfo(probe, baseURL)
    await probe.close()
    const fields = 'app_id=a+b&app_secret=c&auth_key=d%26'
    const json = 'application/json'
    expect(received).toStrictEqual([
      ['POST', '/api/authorize', 'application/x-www-form-urlencoded', undefined, fields],
      ['GET', `/api/authorize?${fields}`, undefined, undefined, ''],
      ['GET', '/api/v1/user/me', json, 'Bearer token-1', ''],
      ['GET', '/api/get_user_info?access_token=token+1', json, undefined, ''],
      ['GET', '/api/v1/user/me', json, expect.stringMatching(/^Bearer [\da-f]{32}$/), ''],
      ['GET', expect.stringMatching(/^\/api\/get_user_info\?access_token=[\da-f]{32}$/), json, undefined, ''],
    ])
    expect(loginURL(new URL('https://a.example/x/v1'), 'a b').href).toBe('https://a.example/x/oauth?app_id=a+b')
  })

  test('has invented values, no two of which are the same', () => {
    const form = inventedForm()
    expect(Object.keys(form)).toStrictEqual(['app_id', 'app_secret', 'auth_key'])
    for (const value of Object.values(form)) expect(value).toMatch(/^[\da-f]{32}$/)
    expect(new Set(Object.values(form)).size).toBe(3)
  })

  test('has an invented id of the form of another', () => {
    const ids = Array.from({ length: 500 }, () => inventedLike('aZ-09_\u00e9z5'))
    for (const id of ids) expect(id).toMatch(/^[a-f]{2}-\d\d_\u00e9[a-f]\d$/)
    expect([...new Set(ids.join('').match(/[a-z\d]/g))].sort().join('')).toBe('0123456789abcdef')
  })
})
