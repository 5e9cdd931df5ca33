import { Agent } from 'undici'
import type { SocialLoginClient } from '../../../lib/client/client'
import type { SocialLoginClientOptions } from '../../../lib/client/options'
import type { OutcomeCode } from '../../../lib/errors'
import type { Fault } from '../../../lib/testing'
import { captureOutput, findSecrets } from '../../support/canaries'
import { expectOutcome, key, marker, secret, token, useClients } from '../../support/client'
import { expectNoneShown, rejectionOf } from '../../support/leak-check'
import { answer, RawProvider } from '../../support/raw-provider'

// Servers up to about version 3.13 exchange by GET only.

const clients = useClients()
const byGet = (options: Partial<SocialLoginClientOptions> = {}): SocialLoginClient =>
  clients.client({ exchangeMethod: 'get', ...options })

const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
afterAll(() => emitWarning.mockRestore())

test('one process warning says what the choice means, however many clients make it', () => {
  clients.client()
  clients.client({ exchangeMethod: 'post' })
  expect(emitWarning).not.toHaveBeenCalled()
  byGet()
  byGet()
  const options = { type: 'SocialLoginWarning', code: 'SECRET_IN_URL' }
  expect(emitWarning.mock.calls).toEqual([[expect.stringMatching(/'get' sends .* secret in a URL/), options]])
  expectNoneShown(emitWarning.mock.calls, [secret])
})

test('the exchange is one GET with the same three fields in its query, and no body', async () => {
  clients.provider.setMode({ getOnly: true })
  const authKey = clients.newKey()
  const { access_token } = await byGet().exchangeAuthKey(authKey)
  const [request, ...others] = clients.provider.requests
  expect(others).toEqual([])
  expect(request).toMatchObject({ method: 'GET', body: '', status: 200 })
  expect([...new URLSearchParams(request?.path.split('?')[1])]).toEqual([
    ['app_id', 'app-id'],
    ['app_secret', secret],
    ['auth_key', authKey],
  ])
  expect(request?.headers).toEqual({
    host: new URL(clients.provider.baseURL).host,
    connection: 'keep-alive',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': expect.stringMatching(/^passport-social-login\//),
  })
  expect(await byGet().getCurrentUser(access_token)).toMatchObject({ user_id: '1' })
})

test('a key and a secret with any characters stay one field each', async () => {
  clients.provider.setMode({ getOnly: true })
  const clientSecret = 's&auth_key=x#é %0d%0a'
  const client = byGet({ clientSecret })
  for (const authKey of ['a&app_secret=x', 'a=b;c', 'a+c%20', '%0d%0aX:y', '?auth_key=K#f', '&&&']) {
    clients.provider.clearRequests()
    expectOutcome(await rejectionOf(client.exchangeAuthKey(authKey)), 'auth_key_rejected', 'exchange')
    expect(clients.provider.requests[0]?.query).toEqual({
      app_id: 'app-id',
      app_secret: clientSecret,
      auth_key: authKey,
    })
  }
})

test.each<['method-not-allowed' | 'not-found' | 'invalid-app-id', OutcomeCode]>([
  ['method-not-allowed', 'provider_bad_response'],
  ['not-found', 'provider_bad_response'],
  ['invalid-app-id', 'auth_key_rejected'],
])('a server that answers a POST with %s is never asked by GET unless told so', async (postAnswer, code) => {
  clients.provider.setMode({ getOnly: true, postAnswer })
  const authKey = clients.newKey()
  expectOutcome(await rejectionOf(clients.client().exchangeAuthKey(authKey)), code, 'exchange')
  expect(clients.provider.requests.map(({ method }) => method)).toEqual(['POST'])
  expect(await byGet().exchangeAuthKey(authKey)).toHaveProperty('access_token')
})

test('a server that exchanges by POST only refuses a GET, which is reported as such', async () => {
  const error = await rejectionOf(byGet().exchangeAuthKey(clients.newKey()))
  expect(expectOutcome(error, 'provider_bad_response', 'exchange').message).toContain('see exchangeMethod')
})

// Other failures: outcome-rows.ts of test/login. These could show the URL with the secret.
const failures: { title: string; fault: Fault; code: OutcomeCode }[] = [
  { title: 'a redirect', fault: { redirect: `https://127.0.0.1:1/${marker}` }, code: 'provider_redirected' },
  { title: 'a redirect to itself', fault: { redirect: '/api/authorize' }, code: 'provider_redirected' },
  { title: 'a reset within the body', fault: { reset: 'body' }, code: 'provider_unreachable' },
  { title: 'something that is not HTTP', fault: { raw: `${marker}\r\n` }, code: 'provider_bad_response' },
  {
    title: 'an echo of the whole request',
    fault: { body: `{"access_token":"${secret} ${key}"}` },
    code: 'provider_bad_response',
  },
  { title: 'silence', fault: { hang: true }, code: 'provider_timeout' },
]

test.each(failures)(
  '$title is the outcome of a single request, and shows no secret, also over a dispatcher',
  async ({ fault, code }) => {
    clients.provider.setMode({ getOnly: true })
    const dispatcher = new Agent()
    for (const given of [{}, { dispatcher }]) {
      clients.provider.clearRequests()
      clients.provider.failNext('authorize', fault)
      const client = byGet({ timeout: code === 'provider_timeout' ? 200 : 5000, ...given })
      const { result, output } = await captureOutput(() => rejectionOf(client.exchangeAuthKey(key)))
      expectOutcome(result, code, 'exchange')
      expect(clients.provider.requests).toHaveLength(1)
      expect(findSecrets([secret, key, marker], { output, client })).toEqual([])
    }
    await dispatcher.close()
  },
)

test('a connection that closes before the response is the only reason to send it again, as with POST', async () => {
  for (const exchangeMethod of ['post', 'get'] as const) {
    const raw = await RawProvider.start()
    const client = clients.client({ baseURL: raw.baseURL, exchangeMethod })
    await client.exchangeAuthKey('first')
    raw.failNext('authorize', (socket) => socket.resetAndDestroy())
    await client.exchangeAuthKey('second')
    expect([raw.requests.length, raw.accepted]).toEqual([3, 2])

    await client.exchangeAuthKey('third')
    raw.failNext('authorize', (socket) => socket.resetAndDestroy())
    raw.failNext('authorize', (socket) => socket.write(answer('{"error":true}')))
    expectOutcome(await rejectionOf(client.exchangeAuthKey('fourth')), 'provider_unreachable', 'exchange')
    expect(raw.requests.map(({ method }) => method)).toEqual(Array(6).fill(exchangeMethod.toUpperCase()))
    await client.close()
    await raw.stop()
  }
})

test('a token is accepted only as from a POST', async () => {
  clients.provider.failNext('authorize', { body: `{"error":true,"access_token":"${token}"}` })
  expectOutcome(await rejectionOf(byGet().exchangeAuthKey(key)), 'auth_key_rejected', 'exchange')
})
