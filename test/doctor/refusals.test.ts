import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { diagnose, useServers } from '../support/doctor'

// The specification does not show refusals. What the doctor says of providers that refuse in their own way, or not at all.

const KEY = 'auth-key-canary-77aa0b1c'
const TOKEN = 'token-canary-c0ffee51de'
const PAGE = '<!doctype html><h1>Hello</h1>'

const { serve } = useServers()

type Answer = readonly [status: number, body: string | object, headers?: Readonly<Record<string, string>>]
type Endpoint = 'POST authorize' | 'GET authorize' | 'user/me' | 'get_user_info'

/** How a provider answers: the key and the token of a login, and any other. */
interface Answers {
  readonly refuse: Answer | ((endpoint: Endpoint) => Answer)
  readonly accept?: (endpoint: Endpoint) => Answer | undefined
}

const send = (response: ServerResponse, [status, body, headers = {}]: Answer): void => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, headers).end(text)
}

const endpointOf = ({ method, url = '' }: IncomingMessage): Endpoint => {
  if (url.includes('/authorize')) return method === 'POST' ? 'POST authorize' : 'GET authorize'
  return url.includes('/user/me') ? 'user/me' : 'get_user_info'
}

const accepted = (endpoint: Endpoint): Answer => {
  if (endpoint === 'GET authorize') return [405, { error: true }]
  return [200, endpoint === 'POST authorize' ? { access_token: TOKEN } : { user_id: '1', user_name: 'Ann' }]
}

async function provider({ refuse, accept }: Answers): Promise<string> {
  const listener: RequestListener = async (request, response) => {
    let sent = `${request.url} ${request.headers.authorization}`
    for await (const chunk of request) sent += String(chunk)
    if (request.url?.includes('/oauth?')) return send(response, [200, '<form>'])
    const endpoint = endpointOf(request)
    const isKnown = sent.includes(KEY) || sent.includes(TOKEN)
    const refusal = typeof refuse === 'function' ? refuse(endpoint) : refuse
    send(response, isKnown ? (accept?.(endpoint) ?? accepted(endpoint)) : refusal)
  }
  return serve(listener)
}

const login = (allowGet = false, spendTwice = false) => ({
  appID: 'mine',
  login: {
    appID: 'mine',
    appSecret: 'app-secret-canary-5c1e9a7f',
    spendTwice,
    driver: {
      logIn: async () => `http://localhost:1/cb?auth_key=${KEY}`,
      mayExchangeByGet: async () => allowGet,
    },
  },
})

const refusal: Answer = [401, { error: true }]

const unclear: Answer[] = [400, 401, 403, 406, 409, 422].flatMap((status): Answer[] =>
  [PAGE, '', 'Invalid key', '"invalid"', 'null'].map((body) => [status, body]),
)
const words: Answer[] = ['', 'Invalid key', '"invalid"', 'null', '[]', '{"status":"failed"}'].map((body) => [200, body])
const labelled: Answer = [401, PAGE, { server: 'cloudflare', 'cf-ray': '8c3f-FRA' }]

test.each([...unclear, ...words, labelled].map((refuse) => ({ refuse })))(
  'that refuses with $refuse: only a login can show it, and does',
  async ({ refuse }) => {
    const baseURL = await provider({ refuse })
    const guessed = await diagnose(baseURL)
    expect([guessed.isBroken, guessed.report]).toStrictEqual([
      false,
      expect.stringContaining('differs Exchange: It answers'),
    ])
    expect(guessed.report).toContain('Logins may work: only one (--login) can show it.')
    expect(guessed.report).not.toContain('firewall')
    const known = await diagnose(baseURL, login())
    expect([known.isBroken, known.report]).toStrictEqual([
      false,
      expect.stringContaining('Profile: The profile was read'),
    ])
    expect(known.report).not.toContain('profileEndpoint')
  },
)

const discouraging: Answer[] = [
  [200, PAGE],
  [302, '', { location: '/login' }],
  [404, PAGE],
  [410, ''],
  [429, ''],
  [500, PAGE],
  [500, '{"error":true}'],
  [503, ''],
  [403, PAGE, { server: 'cloudflare' }],
  [403, '', { 'cf-mitigated': 'challenge' }],
]

test.each(discouraging.map((refuse) => ({ refuse })))(
  'that refuses with $refuse: it looks broken, but a login shows that it is not',
  async ({ refuse }) => {
    const baseURL = await provider({ refuse })
    expect((await diagnose(baseURL)).isBroken).toBe(true)
    const { isBroken, report } = await diagnose(baseURL, login())
    expect([isBroken, report]).toStrictEqual([
      false,
      expect.stringContaining('good Login: The provider exchanged the key'),
    ])
    expect(report).toContain('The login will show.')
  },
)

test('where GET and POST answer alike, a key that is refused sends no secret in a URL, even with permission', async () => {
  const urls: string[] = []
  const baseURL = await serve((request, response) => {
    urls.push(request.url ?? '')
    if (request.url?.includes('/oauth?')) send(response, [200, '<form>'])
    else send(response, refusal)
  })
  const { isBroken, report } = await diagnose(baseURL, login(true))
  expect([isBroken, report]).toStrictEqual([
    true,
    expect.stringContaining('broken Login: The provider refused the key'),
  ])
  expect(urls.filter((url) => url.includes('authorize')).join()).not.toContain('app-secret-canary')
  expect(report).not.toContain('--allow-get')
})

describe.each(['user/me', 'get_user_info'] as const)('that returns a user for any token at %s', (unsafe) => {
  const fourLevelsDown = { a: { b: [{ c: { user_id: 1 } }] } }
  test.each([
    ...[{ user_id: '1' }, { user_info: { user_id: 1 } }, { response: { profile: { user_id: 1 } } }],
    fourLevelsDown,
  ])('as %j: it is unsafe', async (person) => {
    const baseURL = await provider({ refuse: (endpoint) => (endpoint === unsafe ? [200, person] : refusal) })
    const sentence = `broken Profile: ${unsafe} returns a user for an invented token`
    for (const more of [{}, login()]) {
      const { isBroken, report } = await diagnose(baseURL, more)
      expect([isBroken, report]).toStrictEqual([true, expect.stringContaining(sentence)])
    }
  })
})

const fiveLevelsDown = { a: { b: [{ c: { d: { user_id: 1 } } }] } }

test.each([{ user_id: null }, { user_info: { user_id: 0 } }, { user_id: '' }, fiveLevelsDown])(
  'that has %j for an invented token: that is no user',
  async (nobody) => {
    const refuse = (endpoint: Endpoint): Answer => (endpoint === 'user/me' ? [200, nobody] : refusal)
    expect((await diagnose(await provider({ refuse }))).isBroken).toBe(false)
  },
)

test.each<[object | string, string]>([
  [{ token: 'secret-value', expires: 3600 }, 'It was an object of token, expires (status 200).'],
  [{ status: 'ok', data: { access_token: 'secret-value' } }, 'It was an object of status, data, data.access_token'],
  [{}, 'It was an empty object (status 200).'],
  [['secret-value'], 'It was an array (status 200).'],
  ['secret-value', 'It was a text (status 200).'],
  ['', 'It was an empty body (status 200).'],
])('that answers the key with %j: the names of its members are reported', async (body, sentence) => {
  const accept = (endpoint: Endpoint): Answer | undefined => (endpoint === 'POST authorize' ? [200, body] : undefined)
  const { isBroken, report } = await diagnose(await provider({ refuse: refusal, accept }), login())
  expect([isBroken, report]).toStrictEqual([true, expect.stringContaining(sentence)])
  expect(report).not.toContain('secret-value')
})

test.each<[object, string]>([
  [{ id: 1, name: 'Ann' }, 'There was no user in the profile, but an object of id, name (status 200).'],
  [
    { response: { status: 'ok', profile: { user_id: 1 } } },
    'The response has a user_id at response.profile.user_id: let the option userRecord return its object.',
  ],
])('that answers the token with %j: the names of its members are reported', async (body, sentence) => {
  const accept = (endpoint: Endpoint): Answer | undefined => (/user/.test(endpoint) ? [200, body] : undefined)
  const { isBroken, report } = await diagnose(await provider({ refuse: refusal, accept }), login())
  expect([isBroken, report]).toStrictEqual([true, expect.stringContaining(sentence)])
})

test('names that no server is known to send are not reported, nor more than twelve', async () => {
  const names = ['ann@people.example', '4711', KEY, '\u001b[2J', 'a b', 'x'.repeat(25), ...'abcdefghij']
  const body = Object.fromEntries(names.map((name) => [name, 'secret-value']))
  const accept = (endpoint: Endpoint): Answer | undefined => (endpoint === 'POST authorize' ? [200, body] : undefined)
  const { report } = await diagnose(await provider({ refuse: refusal, accept }), login())
  expect(report).toContain('It was an object of *, *, *, *, *, *, *, *, *, *, *, * ... (status 200).')
})
