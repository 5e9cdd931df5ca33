import type { Provider, ProviderResult } from '../../../lib'
import { nodeNetwork } from '../../../lib/client/http/pools'
import type { LoginSettings } from '../../../lib/login/context'
import { ManyProviders } from '../../../lib/login/providers'
import { parseLoginOptions } from '../../../lib/login/settings'
import { rejectionOf } from '../../support/leak-check'

// As in communities.ts.
const MAX_COMMUNITIES = 1000

const newCommunities = (timeout?: number): ManyProviders => {
  const callbackURL = 'https://app.example/:provider/callback'
  const providers = parseLoginOptions({ provider: () => undefined, callbackURL, timeout }, nodeNetwork)
  if (providers instanceof ManyProviders) return providers
  throw new Error('these are the settings of one community')
}

const communityOf = (name: string | number): Provider => ({
  name: `community ${name}`,
  baseURL: `https://social-${name}.example/api/v1`,
  clientID: 'id',
  clientSecret: 'secret',
})

const find = (communities: ManyProviders, answer: ProviderResult): Promise<LoginSettings> =>
  communities.find(() => answer, 'start')

async function findMany(communities: ManyProviders, kind: string, count: number): Promise<LoginSettings[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => find(communities, communityOf(`${kind}-${index}`))))
}

test('the settings of a community are kept while fewer than 1,000 others are used, and are made again after that', async () => {
  const communities = newCommunities()
  const first = await find(communities, communityOf('first'))
  await findMany(communities, 'other', MAX_COMMUNITIES - 1)
  expect(await find(communities, communityOf('first'))).toBe(first)
  await findMany(communities, 'further', MAX_COMMUNITIES)
  const again = await find(communities, communityOf('first'))
  expect(again).not.toBe(first)
  expect(again.strategyDigest).toBe(first.strategyDigest)
})

test('a community with a login under way is not forgotten: its limit counts that login', async () => {
  const communities = newCommunities()
  const first = await find(communities, communityOf('first'))
  first.loginSlots.tryAcquire()
  await findMany(communities, 'other', 2 * MAX_COMMUNITIES)
  expect(await find(communities, communityOf('first'))).toBe(first)
})

test('a community that comes while 1,000 others have logins under way keeps its settings', async () => {
  const communities = newCommunities()
  for (const { loginSlots } of await findMany(communities, 'hanging', MAX_COMMUNITIES)) loginSlots.tryAcquire()
  const newest = await find(communities, communityOf('newest'))
  expect(await find(communities, communityOf('newest'))).toBe(newest)
})

test('after a peak of logins at 2,000 communities, the oldest settings are forgotten', async () => {
  const communities = newCommunities()
  const peak: LoginSettings[] = []
  for (let index = 0; index < 2 * MAX_COMMUNITIES; index += 1) {
    const settings = await find(communities, communityOf(`peak-${index}`))
    settings.loginSlots.tryAcquire()
    peak.push(settings)
  }
  for (const { loginSlots } of peak) loginSlots.release()
  await find(communities, communityOf('next'))
  expect(await find(communities, communityOf('peak-1500'))).toBe(peak[1500])
  expect(await find(communities, communityOf('peak-500'))).not.toBe(peak[500])
})

test.each([
  ['in capitals', 'https://APP.example/callback'],
  ['with the default port', 'https://app.example:443/callback'],
  ['with dots in its path', 'https://app.example/auth/../callback'],
  ['with a query', 'https://app.example/callback?community=second'],
  ['with a slash at its end', 'https://app.example/callback/'],
  ['with capitals in its path', 'https://app.example/Callback'],
])('the callback of another community is refused, also when it is written %s', async (_title, callbackURL) => {
  const communities = newCommunities()
  await find(communities, { ...communityOf('first'), callbackURL: 'https://app.example/callback' })
  const error = await rejectionOf(find(communities, { ...communityOf('second'), callbackURL }))
  expect(error).toMatchObject({ code: 'provider_invalid', message: expect.stringContaining('callbackURL') })
})

test('a callback in several spellings, as the Host header may have, shares the limit of its community', async () => {
  const communities = newCommunities()
  const spell = (host: string): Promise<LoginSettings> =>
    find(communities, { ...communityOf('first'), callbackURL: `https://${host}/callback` })
  expect(await spell('APP.example')).toBe(await spell('app.EXAMPLE:443'))
})

test('a TypeError of a getter of the record, which may quote a secret, is passed on, and made no hint', async () => {
  const own = new TypeError('Received type string (a secret)')
  const record = Object.defineProperty(communityOf('first'), 'clientSecret', {
    get: () => {
      throw own
    },
  })
  expect(await rejectionOf(find(newCommunities(), record))).toBe(own)
})

test('a timeout of the application’s own search is passed on; one of our own is provider_lookup_timeout', async () => {
  const own = AbortSignal.abort(new DOMException('The database did not answer.', 'TimeoutError')).reason
  expect(await rejectionOf(find(newCommunities(), Promise.reject(own)))).toBe(own)
  expect(await rejectionOf(find(newCommunities(10), new Promise(() => {})))).toMatchObject({
    code: 'provider_lookup_timeout',
  })
})
