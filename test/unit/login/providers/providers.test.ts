import type { Provider, ProviderResult } from '../../../../lib'
import { nodeNetwork } from '../../../../lib/client/http/pools'
import type { LoginSettings } from '../../../../lib/login/providers/provider'
import type { Providers } from '../../../../lib/login/providers/providers'
import { parseLoginOptions } from '../../../../lib/login/providers/settings'
import { rejectionOf } from '../../../support/leak-check'

// As in communities.ts.
const MAX_COMMUNITIES = 1000

const newCommunities = (timeout?: number): Providers => {
  const callbackURL = 'https://app.example/:provider/callback'
  return parseLoginOptions({ provider: () => undefined, callbackURL, timeout }, nodeNetwork)
}

const communityOf = (name: string | number): Provider => ({
  name: `community ${name}`,
  baseURL: `https://social-${name}.example/api/v1`,
  clientID: 'id',
  clientSecret: 'secret',
})

const find = async (communities: Providers, answer: ProviderResult): Promise<LoginSettings> =>
  communities.find(() => answer, 'start')

async function findMany(communities: Providers, kind: string, count: number): Promise<LoginSettings[]> {
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

test('of 1,000 communities that one is forgotten which has not been used for the longest', async () => {
  const communities = newCommunities()
  const first = await find(communities, communityOf('first'))
  const [second] = await findMany(communities, 'other', MAX_COMMUNITIES - 1)
  await find(communities, communityOf('first'))
  await findMany(communities, 'further', 2)
  expect(await find(communities, communityOf('first'))).toBe(first)
  expect(await find(communities, communityOf('other-0'))).not.toBe(second)
})

test('a community with a login under way is not forgotten: its limit counts that login', async () => {
  const communities = newCommunities()
  const first = await find(communities, communityOf('first'))
  first.concurrentLogins.tryAcquire()
  await findMany(communities, 'other', 2 * MAX_COMMUNITIES)
  expect(await find(communities, communityOf('first'))).toBe(first)
})

test('a community that comes while 1,000 others have logins under way keeps its settings', async () => {
  const communities = newCommunities()
  for (const { concurrentLogins } of await findMany(communities, 'hanging', MAX_COMMUNITIES))
    concurrentLogins.tryAcquire()
  const newest = await find(communities, communityOf('newest'))
  expect(await find(communities, communityOf('newest'))).toBe(newest)
})

test('after a peak of logins at 2,000 communities, the oldest settings are forgotten', async () => {
  const communities = newCommunities()
  const peak: LoginSettings[] = []
  for (let index = 0; index < 2 * MAX_COMMUNITIES; index += 1) {
    const settings = await find(communities, communityOf(`peak-${index}`))
    settings.concurrentLogins.tryAcquire()
    peak.push(settings)
  }
  for (const { concurrentLogins } of peak) concurrentLogins.release()
  await find(communities, communityOf('next'))
  expect(await find(communities, communityOf('peak-1500'))).toBe(peak[1500])
  expect(await find(communities, communityOf('peak-500'))).not.toBe(peak[500])
})

test.each([
  ['in capitals', 'https://APP.example/callback'],
  ['with the default port', 'https://app.example:443/callback'],
  ['with dots in its path', 'https://app.example/auth/../callback'],
  ['with a slash at its end', 'https://app.example/callback/'],
])('the callback of another community is refused, also when it is written %s', async (_title, callbackURL) => {
  const communities = newCommunities()
  await find(communities, { ...communityOf('first'), callbackURL: 'https://app.example/callback' })
  const error = await rejectionOf(find(communities, { ...communityOf('second'), callbackURL }))
  expect(error).toMatchObject({ code: 'provider_invalid', message: expect.stringContaining('callbackURL') })
})

test('a name that differs by case has a callback of its own, which nobody can claim before', async () => {
  const communities = newCommunities()
  await find(communities, { ...communityOf('x'), name: 'GOOD' })
  expect(await find(communities, { ...communityOf('y'), name: 'good' })).toMatchObject({
    callbackPath: '/good/callback',
  })
})

test.each([
  ['its API', { baseURL: 'https://app.example/v1' }],
  ['its login page', { authorizationURL: 'https://app.example/logout' }],
  ['its login page by plain http, which browsers upgrade', { authorizationURL: 'http://app.example/logout' }],
])('a community that has %s at the address of the application is refused', async (_title, own) => {
  const callbackURL = 'https://app.example/:provider/callback'
  const options = { provider: () => undefined, callbackURL, allowInsecureHTTP: true }
  const error = await rejectionOf(find(parseLoginOptions(options, nodeNetwork), { ...communityOf('x'), ...own }))
  expect(error).toMatchObject({
    code: 'provider_invalid',
    message: expect.stringContaining('address of this application'),
  })
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

describe('a name', () => {
  const named = (host: string): Provider => ({ ...communityOf('x'), name: 'chess', baseURL: `https://${host}/api/v1` })

  test('is taken by the address at which a login has succeeded, and not by one that was only asked for', async () => {
    const communities = newCommunities()
    const [mistyped, right] = [
      await find(communities, named('mistyped.example')),
      await find(communities, named('right.example')),
    ]
    right.onExchanged?.()
    right.onExchanged?.()
    expect(() => mistyped.onExchanged?.()).toThrow(/name is that of a provider with another baseURL/)
    expect(await rejectionOf(find(communities, named('mistyped.example')))).toMatchObject({ code: 'provider_invalid' })
    expect(await find(communities, named('right.example'))).toBe(right)
  })

  test.each([
    ['a/b?c=d#e', '/a%2Fb%3Fc%3Dd%23e/callback'],
    ['../up', '/..%2Fup/callback'],
    ['schön & gut', '/sch%C3%B6n%20%26%20gut/callback'],
    ['$&', '/%24%26/callback'],
    ['%2e%2e', '/%252e%252e/callback'],
  ])('%j is one segment of the callback', async (name, path) => {
    const settings = await find(newCommunities(), { ...named('right.example'), name })
    expect([settings.providerName, settings.callbackPath]).toEqual([name, path])
  })
})

test('a record may have other members, and null for those that are not set', async () => {
  const communities = newCommunities()
  const record = {
    ...communityOf('first'),
    id: 7,
    uploadsURL: null,
    profileEndpoint: undefined,
    owner: { secret: 'x' },
  }
  const settings = await find(communities, Object(record))
  expect(settings).toBe(await find(communities, communityOf('first')))
})

test.each([null, undefined])('%p is no provider', async (answer) => {
  expect(await rejectionOf(find(newCommunities(), Object.is(answer, null) ? null : undefined))).toMatchObject({
    code: 'provider_unknown',
  })
})

test.each([['a name'], [7], [true], [[communityOf('first')]]])('%j is not what provider may return', async (answer) => {
  expect(await rejectionOf(Reflect.apply(find, undefined, [newCommunities(), answer]))).toMatchObject({
    code: 'provider_invalid',
    message: expect.stringContaining('must return an object'),
  })
})

test.each(['clientID', 'baseURL', 'exchangeMethod'] as const)('a %s that is no text is refused', async (member) => {
  const record = { ...communityOf('first'), [member]: { toString: () => 'https://social.example/api/v1' } }
  expect(await rejectionOf(Reflect.apply(find, undefined, [newCommunities(), record]))).toMatchObject({
    code: 'provider_invalid',
    message: expect.stringContaining(member),
  })
})

test('a clientSecret that only looks like that of a provider that is known is refused, and so is one that JSON cannot hold', async () => {
  const communities = newCommunities()
  await find(communities, communityOf('first'))
  const secrets: unknown[] = [new String('secret'), { toJSON: () => 'secret' }, 1n]
  for (const clientSecret of secrets) {
    const record = { ...communityOf('first'), clientSecret }
    expect(await rejectionOf(Reflect.apply(find, undefined, [communities, record]))).toMatchObject({
      code: 'provider_invalid',
      message: expect.stringContaining('clientSecret must be'),
    })
  }
})

test('after close nobody begins a login, at a provider that was known or not', async () => {
  const communities = newCommunities()
  const known = await find(communities, communityOf('known'))
  await communities.close()
  const unknown = await find(communities, communityOf('unknown'))
  expect([known.concurrentLogins.tryAcquire(), unknown.concurrentLogins.tryAcquire()]).toEqual([false, false])
})
