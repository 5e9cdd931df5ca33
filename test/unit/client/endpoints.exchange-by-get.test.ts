import type { SocialLoginClient } from '../../../lib/client/client'
import type { SocialLoginClientOptions } from '../../../lib/client/options'
import { useClients } from '../../support/client'
import { expectNoneShown, rejectionOf } from '../../support/leak-check'
import { expectOutcome, key, secret } from '../../support/outcomes'
import { answer, RawProvider } from '../../support/raw-provider'

// Servers up to about version 3.13 exchange by GET only. Its failures: outcome-rows.ts of test/login.

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
  expect(emitWarning.mock.calls).toStrictEqual([[expect.stringMatching(/'get' sends .* secret in a URL/), options]])
  expectNoneShown(emitWarning.mock.calls, [secret])
})

test('the exchange is one GET with the same three fields in its query, and no body', async () => {
  clients.provider.setMode({ getOnly: true })
  const authKey = clients.newKey()
  const { access_token } = await byGet().exchangeAuthKey(authKey)
  const [request, ...others] = clients.provider.requests
  expect(others).toStrictEqual([])
  expect(request).toMatchObject({ method: 'GET', body: '', status: 200 })
  expect([...new URLSearchParams(request?.path.split('?')[1])]).toStrictEqual([
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

test('a connection that closes before the response is the only reason to send it again, as with POST', async () => {
  const raw = await RawProvider.start()
  const client = byGet({ baseURL: raw.baseURL })
  raw.failNext('authorize', (socket) => socket.resetAndDestroy())
  raw.failNext('authorize', (socket) => socket.write(answer('{"error":true}')))
  expectOutcome(await rejectionOf(client.exchangeAuthKey(key)), 'provider_unreachable', 'exchange')
  expect(raw.requests.map(({ method }) => method)).toStrictEqual(['GET', 'GET'])
  await client.close()
  await raw.stop()
})
