import type { Provider } from '../../../../lib'
import { nodeNetwork } from '../../../../lib/client/http/pools'
import { parseLoginOptions } from '../../../../lib/login/providers/settings'

// A login is finished only at what it was begun at: each part of that must be in the digest of its record.

const provider: Provider = { name: 'chess', baseURL: 'https://a.example/v1', clientID: '1', clientSecret: 'secret' }
const callbackURL = 'https://app.example/callback'

interface Login {
  readonly strategy?: string
  readonly provider?: Partial<Provider>
  readonly callbackURL?: string
}

async function digestOf({ strategy = 'many', provider: own, callbackURL: ofCall }: Login): Promise<string> {
  const found = { ...provider, callbackURL, ...own }
  const providers = parseLoginOptions({ name: strategy, provider: () => found }, nodeNetwork)
  return (
    await providers.find(
      () => found,
      () => 'start',
      ofCall,
    )
  ).strategyDigest
}

test.each<[string, Login]>([
  ['the name of the strategy', { strategy: 'other' }],
  ['the name of the provider', { provider: { name: 'other' } }],
  ['the address of the provider', { provider: { baseURL: 'https://b.example/v1' } }],
  ['the path of its API', { provider: { baseURL: 'https://a.example/b/v1' } }],
  ['the application id', { provider: { clientID: '2' } }],
  ['the path of the callback', { provider: { callbackURL: 'https://app.example/other' } }],
  ['the path of the callback of this call', { callbackURL: '/other' }],
  ['the origin of the callback of this call, with the same path', { callbackURL: 'https://other.example/callback' }],
])('the digest of a login contains %s', async (_part, login) => {
  expect(await digestOf(login)).not.toBe(await digestOf({}))
})

test.each<[string, Login]>([
  ['the secret, which is rotated', { provider: { clientSecret: 'other' } }],
  ['the callback of this call, if it is the same', { callbackURL }],
  ['the callback of this call, if it is only the path', { callbackURL: '/callback' }],
])('the digest of a login does not contain %s', async (_part, login) => {
  expect(await digestOf(login)).toBe(await digestOf({}))
})
