import type { SocialLoginClient } from '../../../lib/client/client'
import { MAX_PROFILE_SENDS } from '../../../lib/limits'
import type { Endpoint, Fault } from '../../../lib/testing'
import { useClients } from '../../support/client'
import { rejectionOf } from '../../support/leak-check'
import { expectOutcome, token } from '../../support/outcomes'
import { answer, RawProvider } from '../../support/raw-provider'
import { stopTimers, until } from '../../support/turns'

// 'auto': `user/me`, and where that does not exist, the legacy endpoint.

const clients = useClients()
let client: SocialLoginClient

beforeEach(() => {
  client = clients.client()
})
let raw: RawProvider | undefined
afterEach(async () => {
  jest.useRealTimers()
  await raw?.stop()
  raw = undefined
})

const down: Fault = { status: 503 }
const page = { headers: { 'content-type': 'text/html' }, body: '<!doctype html><h1>Not Found</h1>' }

async function accessToken(): Promise<string> {
  const { access_token } = await client.exchangeAuthKey(clients.newKey())
  clients.provider.clearRequests()
  return access_token
}

const sent = (): Endpoint[] => clients.provider.requests.map(({ endpoint }) => endpoint)

test('a server with both endpoints is asked at user/me alone, every time', async () => {
  const access = await accessToken()
  for (let time = 0; time < 2; time += 1)
    expect((await client.fetchUser('auto', access)).user).toMatchObject({ user_id: '1' })
  expect(sent()).toStrictEqual(['user/me', 'user/me'])
})

test('a server without user/me is asked at the legacy endpoint with the same token, which is remembered', async () => {
  clients.provider.setMode({ withoutUserMe: true })
  const access = await accessToken()
  for (let time = 0; time < 3; time += 1)
    expect((await client.fetchUser('auto', access)).user).toMatchObject({ user_id: '1' })
  expect(sent()).toStrictEqual(['user/me', 'get_user_info', 'get_user_info', 'get_user_info'])
  const [first, second] = clients.provider.requests
  expect([first?.headers.authorization, second?.query]).toStrictEqual([`Bearer ${access}`, { access_token: access }])
  expect(second?.headers).not.toHaveProperty('authorization')
})

test('each client remembers for itself, and only for auto', async () => {
  clients.provider.setMode({ withoutUserMe: true })
  const access = await accessToken()
  await client.fetchUser('auto', access)
  await clients.client().fetchUser('auto', access)
  await rejectionOf(client.fetchUser('user/me', access))
  expect(sent()).toStrictEqual(['user/me', 'get_user_info', 'user/me', 'get_user_info', 'user/me'])
})

test.each<[string, Fault]>([
  ['JSON', { status: 404, body: '{"error":true}' }],
  ['nothing', { status: 404 }],
  ['a page', { ...page, status: 404 }],
  ['a page of 100 KiB', { ...page, status: 404, body: page.body + 'x'.repeat(100 * 1024) }],
])('a 404 with %s is followed by the legacy endpoint', async (_title, fault) => {
  const access = await accessToken()
  clients.provider.failNext('user/me', fault)
  expect((await client.fetchUser('auto', access)).user).toMatchObject({ user_id: '1' })
  expect(sent()).toStrictEqual(['user/me', 'get_user_info'])
})

test.each<[string, Fault]>([
  ['a refused token', { status: 401 }],
  ['a refusal with status 200', { body: '{"error":true}' }],
  ['a page with status 200', page],
  ['405', { status: 405 }],
  ['410', { status: 410 }],
  ['429', { status: 429 }],
  ['a redirect', { redirect: '/api/get_user_info' }],
  ['nobody', { body: '{}' }],
])('%s at user/me is not followed by the legacy endpoint', async (_title, fault) => {
  clients.provider.failNext('user/me', fault)
  await rejectionOf(client.fetchUser('auto', token))
  expect(sent()).toStrictEqual(['user/me'])
})

test('a person who is gone is reported as the legacy endpoint reports it, and nothing is remembered', async () => {
  clients.provider.addUser({ user_id: 'gone' })
  const { access_token } = await client.exchangeAuthKey(clients.newKey('gone'))
  const other = await accessToken()
  clients.provider.removeUser('gone')
  expectOutcome(await rejectionOf(client.fetchUser('auto', access_token)), 'profile_unauthorized', 'profile')
  await client.fetchUser('auto', other)
  clients.provider.setMode({ goneUserAsEmptyArray: true })
  clients.provider.failNext('user/me', { status: 404 })
  expectOutcome(await rejectionOf(client.fetchUser('auto', access_token)), 'profile_invalid', 'profile')
  await client.fetchUser('auto', other)
  expect(sent()).toStrictEqual(['user/me', 'get_user_info', 'user/me', 'user/me', 'get_user_info', 'user/me'])
})

test.each<[string, Fault]>([
  ['404', { status: 404 }],
  ['410', { status: 410 }],
  ['a redirect', { redirect: '/' }],
  ['a page with status 200', page],
  ['a refusal', { body: '{"error":true}' }],
])(
  'a server that has been given user/me, and answers %s at the legacy endpoint, is found out by it',
  async (_title, fault) => {
    clients.provider.setMode({ withoutUserMe: true })
    const access = await accessToken()
    await client.fetchUser('auto', access)
    clients.provider.setMode('specification')
    clients.provider.failNext('get_user_info', fault)
    await rejectionOf(client.fetchUser('auto', access))
    await client.fetchUser('auto', access)
    expect(sent()).toStrictEqual(['user/me', 'get_user_info', 'get_user_info', 'user/me'])
  },
)

test('concurrent first calls each find their profile, and later ones go to the legacy endpoint', async () => {
  clients.provider.setMode({ withoutUserMe: true })
  const access = await accessToken()
  const users = await Promise.all(Array.from({ length: 10 }, () => client.fetchUser('auto', access)))
  expect(users.map(({ user }) => user.user_id)).toEqual(Array.from({ length: 10 }, () => '1'))
  expect(sent().filter((endpoint) => endpoint === 'get_user_info')).toHaveLength(10)
  clients.provider.clearRequests()
  await client.fetchUser('auto', access)
  expect(sent()).toStrictEqual(['get_user_info'])
})

test('each of the two requests is retried, as by itself', async () => {
  clients.provider.setMode({ withoutUserMe: true })
  const access = await accessToken()
  clients.provider.failNext('user/me', down)
  clients.provider.failNext('get_user_info', { reset: 'body' })
  expect((await client.fetchUser('auto', access)).user).toMatchObject({ user_id: '1' })
  expect(sent()).toStrictEqual(['user/me', 'user/me', 'get_user_info', 'get_user_info'])
  clients.provider.failNext('get_user_info', down, { times: Number.POSITIVE_INFINITY })
  expectOutcome(await rejectionOf(client.fetchUser('auto', access)), 'provider_unavailable', 'profile')
  expect(sent()).toHaveLength(4 + MAX_PROFILE_SENDS)
})

test('both requests share one deadline', async () => {
  raw = await RawProvider.start()
  const { requests, baseURL } = raw
  stopTimers()
  let refuse = (): void => {}
  raw.failNext('user/me', (socket) => {
    refuse = () => socket.write(answer('', '', '404 Not Found'))
  })
  // The raw provider knows no third endpoint.
  raw.failNext('authorize', () => {})
  const patient = clients.client({ baseURL, timeout: 10_000 })
  const rejection = rejectionOf(patient.fetchUser('auto', token))
  await until(() => requests.length === 1)
  jest.advanceTimersByTime(9999)
  refuse()
  await until(() => requests.length === 2)
  jest.advanceTimersByTime(1)
  expectOutcome(await rejection, 'provider_timeout', 'profile')
  expect(requests[1]?.path).toBe(`/api/get_user_info?access_token=${token}`)
})
