import type { UserRecord } from '../../lib'
import { codeOf } from '../support/app'
import { useClients } from '../support/client'
import { rejectionOf } from '../support/leak-check'
import { useLogins } from '../support/logins'
import { expectOutcome, key, secret, token } from '../support/outcomes'

const logins = useLogins('all tests')
const clients = useClients()

const body = JSON.stringify({ response: { profile: { user_id: 7, user_name: 'ada', note: secret } }, id: key })
const userRecord: UserRecord = (json) => json.response.profile

const kinds = [
  { title: 'a strategy', app: {} },
  { title: 'a strategy for many providers', app: { provider: true } },
  { title: 'a SocialLogin', app: { keep: 'web' } },
  { title: 'a SocialLogin for many providers', app: { keep: 'web', provider: true } },
] as const

test.each(kinds)(
  '$title reads the record that userRecord returns, and gives it the name of the provider',
  async ({ app }) => {
    const names: unknown[] = []
    const select: UserRecord = (json, name) => {
      names.push(name)
      return userRecord(json)
    }
    const running = await logins.startApp({ ...app, strategy: { name: 'chess', userRecord: select } })
    logins.provider.failNext('user/me', { body })
    expect((await running.logIn()).status).toBe(200)
    expect(running.profiles).toStrictEqual([
      expect.objectContaining({ id: '7', username: 'ada', provider: 'chess', _raw: body }),
    ])
    expect(names).toStrictEqual(['chess'])
  },
)

test.each(kinds)('without it, $title says where a user_id is', async ({ app }) => {
  const running = await logins.startApp(app)
  logins.provider.failNext('user/me', { body })
  expect((await running.logIn()).status).toBe(502)
  expect(running.errors.map(codeOf)).toStrictEqual(['profile_invalid'])
  expect(String(running.errors[0])).toContain('a user_id at response.profile.user_id: let the option userRecord')
})

test('a client reads it at both endpoints, where it may be made of other members', async () => {
  const client = clients.client({ userRecord: ({ id, name }) => ({ user_id: id, user_name: name }) })
  const renamed = { body: '{"id":9007199254740993,"name":"ada"}' }
  clients.provider.failNext('user/me', renamed)
  clients.provider.failNext('get_user_info', renamed)
  for (const user of [await client.getCurrentUser(token), await client.getUserInfo(token)])
    expect(user).toMatchObject({ user_id: '9007199254740993', user_name: 'ada' })
})

test.each<[string, unknown, string]>([
  [
    'throws',
    () => {
      throw new Error(secret)
    },
    'The function userRecord threw an error. The response has a user_id at response.',
  ],
  ['finds nothing', (json: { user: { id: string } }) => json.user.id, 'The function userRecord threw an error. The'],
  ['returns nothing', () => {}, 'The function userRecord returned no object. The response has a user_id at response.'],
  ['returns a text', () => secret, 'The function userRecord returned no object.'],
  ['returns a list', () => [{ user_id: '1' }], 'The function userRecord returned no object.'],
  ['returns a promise', async () => ({ user_id: '1' }), 'It has no usable user_id'],
  ['returns another object', (json: object) => json, 'It has no usable user_id'],
])('a function that %s is profile_invalid with a reason, and shows no value', async (_title, wrong, reason) => {
  const options: { readonly userRecord?: UserRecord } = Object.fromEntries([['userRecord', wrong]])
  clients.provider.failNext('user/me', { body })
  const error = await rejectionOf(clients.client(options).getCurrentUser(token))
  expect(expectOutcome(error, 'profile_invalid', 'profile').message).toContain(reason)
})

test('a refusal of the provider is one, whatever userRecord returns', async () => {
  const client = clients.client({ userRecord: () => ({ user_id: '1' }) })
  clients.provider.failNext('user/me', { body: '{"error":true}' })
  expectOutcome(await rejectionOf(client.getCurrentUser(token)), 'profile_unauthorized', 'profile')
})
