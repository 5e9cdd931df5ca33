import { readFileSync } from 'node:fs'
import type { SocialLoginClient } from '../../../lib/client/client'
import { CLIENT_OPTIONS } from '../../../lib/client/options'
import { LOGIN_OPTIONS } from '../../../lib/login/providers/settings'
import { asDeployed } from '../../../lib/testing'
import { useClients } from '../../support/client'
import { expectNoneShown, rejectionOf } from '../../support/leak-check'
import { expectOutcome, key, secret, token } from '../../support/outcomes'

const { version } = JSON.parse(readFileSync(`${__dirname}/../../../../package.json`, 'utf8'))

const clients = useClients()
let client: SocialLoginClient

beforeAll(() => {
  client = clients.client()
})

test('the login URL carries the application id and nothing else', () => {
  expect(client.loginURL()).toBe(`${clients.provider.oauthBase}/oauth?app_id=app-id`)
  const odd = clients.client({ clientID: 'a b&auth_key=x#é' })
  expect([...new URL(odd.loginURL()).searchParams]).toStrictEqual([['app_id', 'a b&auth_key=x#é']])
  expect(new URL(odd.loginURL()).hash).toBe('')
  const elsewhere = clients.client({ authorizationURL: 'https://login.example/page' })
  expect(elsewhere.loginURL()).toBe('https://login.example/page?app_id=app-id')
})

test('the exchange is one POST of exactly three form fields', async () => {
  const authKey = clients.newKey()
  const answer = await client.exchangeAuthKey(authKey)
  expect(answer).toEqual({ access_token: expect.stringMatching(/^[\x21-\x7e]+$/) })
  const [request, ...others] = clients.provider.requests
  expect(others).toStrictEqual([])
  expect(request).toMatchObject({ method: 'POST', path: '/api/authorize', status: 200 })
  expect([...new URLSearchParams(request?.body)]).toStrictEqual([
    ['app_id', 'app-id'],
    ['app_secret', secret],
    ['auth_key', authKey],
  ])
  expect(request?.headers).toEqual({
    host: new URL(clients.provider.baseURL).host,
    connection: 'keep-alive',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': `passport-social-login/${version}`,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(request?.body.length),
  })
})

test('a key with any characters stays one form field', async () => {
  for (const authKey of ['a&app_secret=x', 'a=b;c', 'a+c%20', '%0d%0aX:y', '?auth_key=K#f', '&&&']) {
    clients.provider.clearRequests()
    expectOutcome(await rejectionOf(client.exchangeAuthKey(authKey)), 'auth_key_rejected', 'exchange')
    const [request] = clients.provider.requests
    expect([...new URLSearchParams(request?.body)].map(([name]) => name)).toStrictEqual([
      'app_id',
      'app_secret',
      'auth_key',
    ])
    expect(request?.form).toEqual({ app_id: 'app-id', app_secret: secret, auth_key: authKey })
  }
})

test.each([...['', 'é😀', 'a b', '\r\nX: y', '\u0000', 'a'.repeat(513)], ...[undefined, null, 1, true, ['key']]])(
  'the malformed key %j is not sent',
  async (odd) => {
    const asked: Promise<unknown> = Reflect.apply(client.exchangeAuthKey, client, [odd])
    const error = await rejectionOf(asked)
    if (typeof odd === 'string') expectOutcome(error, 'auth_key_malformed', 'exchange')
    else expect(error).toBeInstanceOf(TypeError)
    expect(clients.provider.requests).toStrictEqual([])
  },
)

test('the current user is one GET with the bearer token and the content type', async () => {
  const { access_token } = await client.exchangeAuthKey(clients.newKey())
  clients.provider.clearRequests()
  expect(await client.getCurrentUser(access_token)).toMatchObject({ user_id: '1', user_firstname: 'Ada' })
  const [request, ...others] = clients.provider.requests
  expect(others).toStrictEqual([])
  expect(request).toMatchObject({ method: 'GET', path: '/api/v1/user/me', body: '', status: 200 })
  expect(request?.headers).toEqual({
    host: new URL(clients.provider.baseURL).host,
    connection: 'keep-alive',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': `passport-social-login/${version}`,
    authorization: `Bearer ${access_token}`,
    'content-type': 'application/json',
  })
})

test('the legacy endpoint is one GET with the token in its query and not in a header', async () => {
  const { access_token } = await client.exchangeAuthKey(clients.newKey())
  clients.provider.clearRequests()
  expect(await client.getUserInfo(access_token)).toMatchObject({ user_id: '1' })
  const [request, ...others] = clients.provider.requests
  expect(others).toStrictEqual([])
  expect(request).toMatchObject({ method: 'GET', path: `/api/get_user_info?access_token=${access_token}`, body: '' })
  expect(request?.headers).not.toHaveProperty('authorization')
})

test('a token of unusual characters is sent unchanged to both endpoints', async () => {
  for (const odd of ['a+b/c==', 'a&access_token=b', 'a%20b', '#?;:,"\'', '~', 'x'.repeat(4096)]) {
    clients.provider.clearRequests()
    expectOutcome(await rejectionOf(client.getCurrentUser(odd)), 'profile_unauthorized', 'profile')
    expectOutcome(await rejectionOf(client.getUserInfo(odd)), 'profile_unauthorized', 'profile')
    const [bearer, legacy] = clients.provider.requests
    expect(bearer?.headers.authorization).toBe(`Bearer ${odd}`)
    expect([...new URLSearchParams(legacy?.path.split('?')[1])]).toStrictEqual([['access_token', odd]])
  }
})

test.each([
  ...['', ' ', 'a b', 'a\r\nX: y', 'a\n', '\u0000', 'é', 'x'.repeat(4097), '\u007f'],
  ...[undefined, null, 1, true, ['token'], {}],
])('the token %j is never sent', async (odd) => {
  for (const method of ['getCurrentUser', 'getUserInfo'] as const) {
    const asked: Promise<unknown> = Reflect.apply(client[method], client, [odd])
    const error = await rejectionOf(asked)
    expect(error).toBeInstanceOf(typeof odd === 'string' ? RangeError : TypeError)
    expect(String(error)).toContain(`${method}: accessToken must be an access token`)
  }
  expect(clients.provider.requests).toStrictEqual([])
})

test.each([
  ['exchangeAuthKey', [key]],
  ['getCurrentUser', [token]],
  ['getUserInfo', [token]],
  ['fetchUser', ['auto', token]],
] as const)('%s refuses wrong options in its own name', async (method, given) => {
  for (const [options, problem] of [
    [7, 'options must be an object of options, not a number'],
    [{ signal: {} }, 'options.signal must be an AbortSignal, not an object'],
    [{ timeout: 7 }, 'options has no member timeout: there are signal'],
  ] as const) {
    const asked: Promise<unknown> = Reflect.apply(client[method], client, [...given, options])
    expect(await rejectionOf(asked)).toEqual(new TypeError(`${method}: ${problem}`))
  }
  expect(clients.provider.requests).toStrictEqual([])
})

test.each(['7', '9007199254740993', '1.50'])('a token that is the number %s is kept as it was sent', async (number) => {
  clients.provider.failNext('authorize', { body: `{"access_token":${number}}` })
  expect(await client.exchangeAuthKey('key')).toEqual({ access_token: number })
})

test('a token comes with all other fields that the provider sent, without loss and without prototypes', async () => {
  const body = `\ufeff{"access_token":"${token}","expires_in":9007199254740993,"scope":["a"],"__proto__":{"isAdmin":true}}`
  clients.provider.failNext('authorize', { body, headers: { 'content-type': 'text/html', 'set-cookie': 'a=b' } })
  const answer = await client.exchangeAuthKey(key)
  expect(answer).toEqual({ access_token: token, expires_in: '9007199254740993', scope: ['a'] })
  expect(Reflect.get(Object.assign({}, answer), 'isAdmin')).toBeUndefined()
  await rejectionOf(client.exchangeAuthKey(key))
  expect(clients.provider.requests[1]?.headers).not.toHaveProperty('cookie')
})

test.each([400, 401, 403, 404, 405, 418])(
  'the errors of status %d name only options that a client has',
  async (status) => {
    const names = Object.keys(LOGIN_OPTIONS).filter((name) => /[A-Z]/.test(name))
    const unknown = names.filter((name) => !Object.hasOwn(CLIENT_OPTIONS, name))
    clients.provider.failNext('authorize', { status })
    clients.provider.failNext('user/me', { status })
    for (const rejected of [client.exchangeAuthKey(key), client.getCurrentUser(token)]) {
      const message = String(await rejectionOf(rejected))
      expect(unknown.filter((name) => message.includes(name))).toStrictEqual([])
    }
  },
)

test('a deployed server serves the same person by both endpoints', async () => {
  clients.provider.setMode({ ...asDeployed, wrapUser: 'data', htmlContentType: true })
  const { access_token } = await client.exchangeAuthKey(clients.newKey('3'))
  const user = await client.getUserInfo(access_token)
  expect(user).toMatchObject({ user_id: '3', user_lastname: 'O&#039;Brien', user_verified: false })
  expect(await client.getCurrentUser(access_token)).toEqual(user)
  clients.provider.removeUser('3')
  expectOutcome(await rejectionOf(client.getUserInfo(access_token)), 'profile_invalid', 'profile')
})

test('a client shows no secret', () => {
  expectNoneShown(client, [secret])
  expectNoneShown(Object.create(client), [secret])
  expectNoneShown({ ...client }, [secret])
})
