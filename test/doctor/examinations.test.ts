import { createServer, type RequestListener } from 'node:http'
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
import { Probe } from '../../lib/doctor/probe'
import { asJSON, optionLines } from '../../lib/doctor/report'
import { count, printable } from '../../lib/doctor/text'
import { countConnections } from '../support/connections'
import { findingsOf, newExamination, useServers } from '../support/doctor'
import { freePort } from '../support/free-port'
import { rejectionOf } from '../support/leak-check'
import { eventually } from '../support/turns'

// A whole examination: what it asks, in which order, and all that it tells.

const { listening, serve, proxyTo } = useServers()
afterEach(() => void jest.restoreAllMocks())
const SECRET = 'secret-canary-1'

type Answer = readonly [status: number, body: object | string]
const REFUSED: Answer = [401, { error: true }]
const NOTHING: Answer = [404, '<p>No</p>']

/** What a working provider answers to invented values, and to those of a login. */
function usual(method: string, path: string, sent: string): Answer {
  if (path.endsWith('/oauth')) return [200, '<form>']
  if (path.endsWith('/authorize')) {
    if (method === 'GET') return [405, '']
    return sent.includes(SECRET) ? [200, { access_token: 'token-1' }] : REFUSED
  }
  return sent.includes('token-1') ? [200, { user_id: 1, user_name: 'Ann' }] : REFUSED
}

type Site = (path: string, usually: Answer) => Answer

function siteOf(site: Site, sent: string[] = []): RequestListener {
  return async (request, response) => {
    const { method = '', url = '' } = request
    const path = url.replace(/\?.*/, '')
    sent.push(`${method} ${path}`)
    const content = `${url} ${request.headers.authorization} ${await text(request)}`
    const [status, body] = site(path, usual(method, path, content))
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

/** Examines a site. `ORIGIN` in what is told is its own. */
async function examined(site: Site, more: Partial<DoctorInput> = {}, path = '/api/v1') {
  const sent: string[] = []
  const { origin } = new URL(await serve(siteOf(site, sent)))
  return { ...(await examinedAt(origin + path, more)), sent }
}

async function examinedAt(address: string, more: Partial<DoctorInput> = {}) {
  const followed: string[] = []
  const progress = (line: string): void => void followed.push(line)
  const finding = ({ check }: Finding): void => void followed.push(`-> ${check}`)
  const baseURL = new URL(address)
  const request = { userAgent: 'test', timeout: 5000, hasProxy: false }
  const examination = await examine({ baseURL, ...request, ...more }, { progress, finding })
  const { isBroken } = examination
  const told = (text: string): string => text.replaceAll(baseURL.origin, 'ORIGIN')
  const options = Object.fromEntries(
    Object.entries(examination.options).map(([name, value]) => [name, typeof value === 'string' ? told(value) : value]),
  )
  const findings = findingsOf(examination).map((line) => told(line).replace(/took \d+ ms, \d+/, 'took # ms, #'))
  const isHidden = !examination.isHarmless(SECRET)
  return { findings, options, isBroken, followed, isHidden }
}

const login = (): DoctorInput['login'] => ({
  appID: 'app-7',
  appSecret: SECRET,
  spendTwice: false,
  driver: {
    logIn: async () => 'http://a.example/cb?auth_key=key-1',
    mayExchangeByGet: async () => false,
  },
})

const ADDRESS = 'good Address: ORIGIN/api/v1 answers, without a redirect.'
const LOGIN_PAGE = 'good Login page: It is on the origin of the API.'
const SAME =
  'differs Application: The login page looks the same for an id that nobody has: whether yours is known shows in a browser.'
const EXCHANGE = 'good Exchange: It refuses invented values as JSON, with status 401.'
const PROFILE = 'good Profile: user/me refuses an invented token with status 401.'
const LOGIN = [
  'good Callback: The provider came back with an auth_key in the query.',
  'good Login: The provider exchanged the key for a token.',
  'good Profile: The person was read.',
  'good Speed: A login took # ms, # % of the default timeout of 10 seconds.',
]
const GOOD = [ADDRESS, LOGIN_PAGE, EXCHANGE, PROFILE]
const POST = 'POST /api/authorize'
const SENT = ['GET /api/v1/user/me', 'GET /api/oauth', POST, 'GET /api/authorize', 'GET /api/get_user_info']
const FOLLOWED = [
  'Looking for the API',
  '-> Address',
  'Visiting the login page',
  '-> Login page',
  'Asking for an exchange with invented values',
  '-> Exchange',
  'Asking for a profile with an invented token',
  '-> Profile',
]
const whole = {
  findings: GOOD,
  options: { baseURL: 'ORIGIN/api/v1' },
  isBroken: false,
  isHidden: false,
  sent: SENT,
  followed: FOLLOWED,
}
const working: Site = (_path, usually) => usually

describe('a working provider', () => {
  test('is asked once for each finding, which is told at once', async () => {
    expect(await examined(working)).toStrictEqual(whole)
  })

  test('with an application is asked for its login page, too', async () => {
    const { findings, options, sent } = await examined(working, { appID: 'app-7', redirectURL: 'http://a.example/cb' })
    expect(findings).toEqual([ADDRESS, LOGIN_PAGE, SAME, EXCHANGE, PROFILE])
    expect(options).toEqual({ baseURL: 'ORIGIN/api/v1', clientID: 'app-7', callbackURL: 'http://a.example/cb' })
    expect(sent).toEqual([...SENT.slice(0, 2), ...SENT.slice(1)])
  })

  test('with a login is asked with its secret, which no finding holds', async () => {
    const told = await examined(working, { login: login() })
    expect(told).toStrictEqual({
      ...whole,
      findings: [...GOOD, ...LOGIN],
      isHidden: true,
      sent: [...SENT, POST, 'GET /api/v1/user/me', 'GET /api/get_user_info'],
      followed: [
        ...FOLLOWED,
        '-> Callback',
        'Exchanging the key',
        '-> Login',
        'Reading the profile',
        '-> Profile',
        '-> Speed',
      ],
    })
  })

  test('is reached directly, where the environment names a proxy that is not needed', async () => {
    const told = await examined(working, { hasProxy: true })
    expect(told).toStrictEqual({ ...whole, sent: ['GET /api/v1/user/me', ...SENT] })
  })
})

/** Answers an invented key with a page. */
const silent: Site = (path, usually) =>
  path.endsWith('/authorize') && usually === REFUSED ? [200, '<p>Hello</p>'] : usually
const page = 'Exchange: A page instead of the API: maintenance, or an address that is not the API (status 200).'

test('a login overrules what invented values suggest', async () => {
  const guessed = await examined(silent)
  expect([guessed.findings[2], guessed.isBroken]).toEqual([`broken ${page}`, true])
  const known = await examined(silent, { login: login() })
  expect([known.findings[2], known.isBroken]).toEqual([`differs ${page} The login tells.`, false])
})

describe('a path', () => {
  const AT = '/community/api/v1'
  const MOVED = 'broken Path: The API is not at that path, but at ORIGIN/api/v1.'
  const elsewhere: Site = (path, usually) => (path.startsWith('/community') ? NOTHING : usually)
  const THERE = 'good Address: ORIGIN/community/api/v1 answers, without a redirect.'
  const FOUND = ['GET /community/api/v1/user/me', 'POST /community/api/authorize']

  test('that is wrong is told, and the right one is examined', async () => {
    const told = await examined(elsewhere, {}, AT)
    expect(told).toStrictEqual({
      ...whole,
      findings: [THERE, MOVED, LOGIN_PAGE, EXCHANGE, PROFILE],
      isBroken: true,
      sent: [...FOUND, POST, ...SENT],
      followed: [...FOLLOWED.slice(0, 2), '-> Path', ...FOLLOWED.slice(2)],
    })
  })

  test('that is wrong ends before a login', async () => {
    const { findings, sent } = await examined(elsewhere, { login: login() }, AT)
    const NOT_TRIED =
      'broken Login: Not tried: a secret is sent only to the address that was typed: run this with ORIGIN/api/v1'
    expect(findings).toEqual([THERE, MOVED, LOGIN_PAGE, EXCHANGE, PROFILE, NOT_TRIED])
    expect(sent).toEqual([...FOUND, POST, ...SENT])
  })

  test.each<[title: string, site: Site, sent: string[]]>([
    ['is right', working, []],
    ['has an exchange alone', (path, usually) => (path.includes('user') ? NOTHING : usually), FOUND.slice(1)],
    ['has nothing, as any other path', () => NOTHING, [...FOUND.slice(1), POST]],
    [
      'has nothing, where the usual one refuses without JSON',
      (path) => (path.startsWith('/community') ? NOTHING : [401, 'No']),
      [...FOUND.slice(1), POST],
    ],
  ])('that %s is kept', async (_title, site, sent) => {
    const told = await examined(site, {}, AT)
    expect(told.options['baseURL']).toBe(`ORIGIN${AT}`)
    expect(told.sent.slice(1, 1 + sent.length + 1)).toEqual([...sent, 'GET /community/api/oauth'])
  })

  test('that is the usual one is looked for nowhere else', async () => {
    const { sent } = await examined(() => NOTHING)
    expect(sent).toEqual(SENT)
  })

  test('is kept where a connection closes', async () => {
    const site = siteOf((path, usually) => (path.startsWith('/community') ? NOTHING : usually))
    const { origin } = new URL(
      await serve((request, response) => {
        if (request.url === '/api/authorize') request.socket.destroy()
        else site(request, response)
      }),
    )
    const told = await examinedAt(origin + AT)
    expect(told.options['baseURL']).toBe(`ORIGIN${AT}`)
    expect(told.findings[0]).toBe(THERE)
  })

  test('is not kept where whoever follows the examination throws an error: that ends it', async () => {
    const defect = new RangeError('defect')
    const { origin } = new URL(await serve(siteOf(elsewhere)))
    const finding = ({ check }: Finding): void => {
      if (check === 'Path') throw defect
    }
    const input = { baseURL: new URL(origin + AT), userAgent: 'test', timeout: 5000, hasProxy: false }
    expect(await rejectionOf(examine(input, { progress: () => {}, finding }))).toBe(defect)
  })
})

test('a redirect ends before a login, too', async () => {
  const { origin } = new URL(
    await serve((request, response) => {
      const { url = '' } = request
      if (url.startsWith('/old')) response.writeHead(301, { location: url.slice(4) }).end()
      else siteOf(silent)(request, response)
    }),
  )
  const { findings } = await examinedAt(`${origin}/old/api/v1`, { login: login() })
  expect(findings.slice(1)).toEqual([
    LOGIN_PAGE,
    `broken ${page}`,
    PROFILE,
    'broken Login: Not tried: a secret is sent only to the address that was typed: run this with ORIGIN/api/v1',
  ])
})

describe('without a connection', () => {
  const refused = 'broken Network: The connection was refused: nothing listens there, or a firewall rejects it.'
  afterEach(() => void delete process.env['http_proxy'])

  test('nothing else is told', async () => {
    const told = await examinedAt(`http://localhost:${await freePort()}/api/v1`, { timeout: 1500, login: login() })
    expect(told).toStrictEqual({
      findings: [refused],
      options: {},
      isBroken: true,
      isHidden: true,
      followed: ['Looking for the API', '-> Network'],
    })
  })

  test('the proxy of the environment is taken, and a login needs https there', async () => {
    process.env['http_proxy'] = await proxyTo(await serve(siteOf(working)))
    const told = await examinedAt('http://nowhere.invalid/api/v1', { hasProxy: true, timeout: 2000, login: login() })
    expect(told.findings).toEqual([
      'differs Proxy: The provider is reached through the proxy of this machine alone: give a dispatcher.',
      ADDRESS,
      expect.stringMatching(/^broken Encryption: /),
      ...GOOD.slice(1),
      'broken Login: Not tried: by plain http, everybody on the way could read the secret.',
    ])
    expect(told.options).toEqual({ baseURL: 'ORIGIN/api/v1', proxied: true })
  })

  test('that answers HTTP, but that opens, no proxy is needed', async () => {
    const closing = createServer((request) => request.socket.destroy())
    const large = createServer((_request, response) => response.writeHead(200, { 'x-a': 'x'.repeat(40_000) }).end())
    for (const server of [closing, large]) {
      const address = `http://localhost:${await listening(server)}/api/v1`
      const { findings } = await examinedAt(address, { hasProxy: true })
      expect(findings).toEqual([expect.stringMatching(/^broken Network: /)])
    }
  })
})

describe('of slow refusals', () => {
  let clock = 0
  beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => clock))

  /** Takes two seconds for each request. */
  const slow: Site = (_path, usually) => {
    clock += 2000
    return usually
  }

  test('the time is told, where no login follows', async () => {
    const { findings, options } = await examined(slow)
    const SLOW =
      'differs Speed: Two refusals took # ms, # % of the default timeout of 10 seconds: raise the option timeout to 12000.'
    expect(findings).toEqual([...GOOD, SLOW])
    expect(options).toEqual({ baseURL: 'ORIGIN/api/v1', timeout: 12_000 })
  })

  test('that of the login is told, where one follows', async () => {
    const { findings } = await examined(slow, { login: login() })
    expect(findings.filter((line) => line.includes('Speed'))).toEqual([
      'differs Speed: A login took # ms, # % of the default timeout of 10 seconds: raise the option timeout to 12000.',
    ])
  })
})

test('the connections of an examination are closed with it', async () => {
  // A server that closes none by itself.
  const server = createServer({ keepAliveTimeout: 0 }, siteOf(working))
  const connections = countConnections(server)
  await examinedAt(`http://localhost:${await listening(server)}/api/v1`, { hasProxy: true })
  await eventually(() => connections.open === 0)
  expect(connections.accepted).toBe(2)
})

test('a finding and a step are told to whoever follows', () => {
  const told: unknown[] = []
  const examination = newExamination('http://localhost', {
    progress: (line) => told.push(line),
    finding: (finding) => told.push(finding),
  })
  examination.progress('Step')
  examination.good('A', 'Good.')
  examination.differs('B', 'Differs.')
  expect(examination.isBroken).toBe(false)
  examination.broken('C', 'Bro\x1bken.')
  const findings = [
    { level: 'good', check: 'A', message: 'Good.' },
    { level: 'differs', check: 'B', message: 'Differs.' },
    { level: 'broken', check: 'C', message: 'Bro?ken.' },
  ]
  expect([told, examination.findings, examination.isBroken]).toEqual([['Step', ...findings], findings, true])
})

test('what invented values suggest is broken, or unclear where a login follows', () => {
  const examination = newExamination()
  examination.suspect('A', 'It fails.')
  examination.unclear('B', 'It may be.')
  examination.loginFollows = true
  examination.suspect('A', 'It fails.')
  examination.unclear('B', 'It may be.')
  expect(findingsOf(examination)).toEqual([
    'broken A: It fails.',
    'differs B: It may be. Logins may work: only one (--login) tells.',
    'differs A: It fails. The login tells.',
    'differs B: It may be. The login tells.',
  ])
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
    examination.broken('A', 'B.')
    expect(asJSON(examination)).toBe(`{
  "version": 1,
  "broken": true,
  "findings": [
    {
      "level": "broken",
      "check": "A",
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
    expect([0, 1, 2].map((number) => count(number, 'day'))).toEqual(['0 days', '1 day', '2 days'])
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
    expect(received).toEqual([
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
    expect(Object.keys(form)).toEqual(['app_id', 'app_secret', 'auth_key'])
    for (const value of Object.values(form)) expect(value).toMatch(/^[\da-f]{32}$/)
    expect(new Set(Object.values(form)).size).toBe(3)
  })

  test('has an invented id of the form of another', () => {
    const ids = Array.from({ length: 500 }, () => inventedLike('aZ-09_\u00e9z5'))
    for (const id of ids) expect(id).toMatch(/^[a-f]{2}-\d\d_\u00e9[a-f]\d$/)
    expect([...new Set(ids.join('').match(/[a-z\d]/g))].sort().join('')).toBe('0123456789abcdef')
  })
})
