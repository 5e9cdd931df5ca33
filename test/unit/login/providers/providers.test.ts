import { OUTCOMES, type Provider, type ProviderResult } from '../../../../lib'
import { nodeNetwork } from '../../../../lib/client/http/pools'
import type { Network, Transport, TransportsOptions } from '../../../../lib/client/http/transport'
import { type Phase, withAddress } from '../../../../lib/errors'
import type { LoginSettings } from '../../../../lib/login/providers/provider'
import type { Providers } from '../../../../lib/login/providers/providers'
import { parseLoginOptions } from '../../../../lib/login/providers/settings'
import { rejectionOf } from '../../../support/leak-check'
import { good } from '../../../support/options'
import { thrownBy } from '../../../support/outcomes'

// As in communities.ts.
const MAX_COMMUNITIES = 1000

const callbackURL = 'https://app.example/:provider/callback'

const newCommunities = (timeout?: number): Providers => {
  return parseLoginOptions({ provider: () => undefined, callbackURL, timeout }, nodeNetwork)
}

const communityOf = (name: string | number): Provider => ({
  name: `community ${name}`,
  baseURL: `https://social-${name}.example/api/v1`,
  clientID: 'id',
  clientSecret: 'secret',
})

/** The error of a provider that is refused, with the whole reason. */
const invalid = (reason: string, phase: Phase = 'start'): unknown => {
  const { message, status, retryable } = OUTCOMES.provider_invalid
  return expect.objectContaining({
    ...{ code: 'provider_invalid', phase, status, retryable },
    message: withAddress(`${message} ${reason}.`, 'provider_invalid'),
  })
}

const CALLBACK_TAKEN =
  'callbackURL is that of another provider: give each provider its own (if the other has been corrected, restart the application)'
const NAME_TAKEN = 'name is that of a provider with another baseURL (if it has moved, restart the application)'
const OWN_ADDRESS = 'baseURL and authorizationURL must not be at the address of this application'

const find = async (communities: Providers, answer: ProviderResult, phase: Phase = 'start'): Promise<LoginSettings> =>
  communities.find(
    () => answer,
    () => phase,
  )

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
  expect(error).toEqual(invalid(CALLBACK_TAKEN))
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
  const options = { provider: () => undefined, callbackURL, allowInsecureHTTP: true }
  const error = await rejectionOf(find(parseLoginOptions(options, nodeNetwork), { ...communityOf('x'), ...own }))
  expect(error).toEqual(invalid(OWN_ADDRESS))
})

test('a callback in several spellings, as the Host header may have, shares the limit of its community', async () => {
  const communities = newCommunities()
  const spell = (host: string): Promise<LoginSettings> =>
    find(communities, { ...communityOf('first'), callbackURL: `https://${host}/callback` })
  expect(await spell('APP.example')).toBe(await spell('app.EXAMPLE:443'))
})

test('an error for which the record is not to blame is passed on, and is no provider_invalid', async () => {
  const own = new Error('This process has no WebAssembly')
  const transportTo = (): never => {
    throw own
  }
  const openTransports = () => ({ transportTo, close: async () => {} })
  const communities = parseLoginOptions({ provider: () => null, callbackURL }, { ...nodeNetwork, openTransports })
  expect(await rejectionOf(find(communities, communityOf('first')))).toBe(own)
})

test.each([
  [{}, { allowPrivateAddresses: false, maxPools: 100, timeout: 10_000, dispatcher: undefined }],
  [
    { allowPrivateAddresses: true, maxPools: 1, timeout: 5000 },
    { allowPrivateAddresses: true, maxPools: 1, timeout: 5000 },
  ],
])('with the options %j, the network is given %j', async (options, given) => {
  const opened: TransportsOptions[] = []
  const openTransports: Network['openTransports'] = (asked) => {
    opened.push(asked)
    return nodeNetwork.openTransports(asked)
  }
  parseLoginOptions({ provider: () => null, callbackURL, ...options }, { ...nodeNetwork, openTransports })
  expect(opened).toStrictEqual([expect.objectContaining(given)])
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
    ...{ code: 'provider_lookup_timeout', phase: 'start' },
    message: withAddress(OUTCOMES.provider_lookup_timeout.message, 'provider_lookup_timeout'),
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
    expect(thrownBy(() => mistyped.onExchanged?.())).toEqual(invalid(NAME_TAKEN, 'profile'))
    expect(await rejectionOf(find(communities, named('mistyped.example')))).toEqual(invalid(NAME_TAKEN))
    expect(await find(communities, named('right.example'))).toBe(right)
  })

  test.each([
    ['a/b?c=d#e', '/a%2Fb%3Fc%3Dd%23e/callback'],
    ['../up', '/..%2Fup/callback'],
    ['schön & gut', '/sch%C3%B6n%20%26%20gut/callback'],
    ['$&', '/%24%26/callback'],
    ['%2e%2e', '/%252e%252e/callback'],
    ['...', '/.../callback'],
    ['.a', '/.a/callback'],
    ['a.', '/a./callback'],
    ['a..', '/a../callback'],
    ['😀', '/%F0%9F%98%80/callback'],
  ])('%j is one segment of the callback', async (name, path) => {
    const settings = await find(newCommunities(), { ...named('right.example'), name })
    expect([settings.providerName, settings.callbackPath]).toStrictEqual([name, path])
  })

  test.each(['.', '..', 'a\nb', 'a\0', '\u007f', '\u0085', '\ud800', 'a\udc00'])('%j is refused', async (name) => {
    const reason = 'name must have no control characters, and must not be . or ..'
    expect(await rejectionOf(find(newCommunities(), { ...named('a.example'), name }))).toEqual(invalid(reason))
  })

  test.each([undefined, null, '', 7])('cannot be %j', async (name) => {
    const reason = `name must be a ${name === 7 ? 'string' : 'non-empty string (is a variable not set?)'}`
    const record = { ...named('a.example'), name }
    expect(await rejectionOf(Reflect.apply(find, undefined, [newCommunities(), record]))).toEqual(invalid(reason))
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
    ...{ code: 'provider_unknown', phase: 'start' },
    message: OUTCOMES.provider_unknown.message,
  })
})

test.each([['a name'], [7], [true], [[communityOf('first')]]])('%j is not what provider may return', async (answer) => {
  const reason = 'provider must return an object, or undefined for a provider that does not exist'
  expect(await rejectionOf(Reflect.apply(find, undefined, [newCommunities(), answer]))).toEqual(invalid(reason))
})

test.each(['clientID', 'baseURL', 'exchangeMethod'] as const)('a %s that is no text is refused', async (member) => {
  const record = { ...communityOf('first'), [member]: { toString: () => 'https://social.example/api/v1' } }
  const reason = `${member} must be a string`
  expect(await rejectionOf(Reflect.apply(find, undefined, [newCommunities(), record]))).toEqual(invalid(reason))
})

test('a clientSecret that only looks like that of a provider that is known is refused, and so is one that JSON cannot hold', async () => {
  const communities = newCommunities()
  await find(communities, communityOf('first'))
  const secrets: unknown[] = [new String('secret'), { toJSON: () => 'secret' }, 1n]
  for (const clientSecret of secrets) {
    const record = { ...communityOf('first'), clientSecret }
    const reason = 'clientSecret must be a string'
    expect(await rejectionOf(Reflect.apply(find, undefined, [communities, record]))).toEqual(invalid(reason))
  }
})

test('the error of a callback says that it was one', async () => {
  const atCallback = (answer: ProviderResult) => rejectionOf(find(newCommunities(10), answer, 'callback'))
  expect(await atCallback({ ...communityOf('x'), clientID: '' })).toEqual(
    invalid('clientID must be a non-empty string (is a variable not set?)', 'callback'),
  )
  const codes = { code: 'provider_unknown', phase: 'callback' }
  expect(await atCallback(null)).toMatchObject(codes)
  expect(await atCallback(new Promise(() => {}))).toMatchObject({ ...codes, code: 'provider_lookup_timeout' })
})

test('without a callbackURL among the options, that of the record is needed, and is a whole URL', async () => {
  const communities = parseLoginOptions({ provider: () => undefined }, nodeNetwork)
  const at = (callbackURL?: string) => find(communities, { ...communityOf('x'), callbackURL })
  expect(await rejectionOf(at())).toEqual(invalid('callbackURL must be a non-empty string (is a variable not set?)'))
  const whole = 'callbackURL must be the whole registered URL: its origin is that of the application'
  expect(await rejectionOf(at('/callback'))).toEqual(invalid(whole))
  expect(await at('https://app.example/callback')).toMatchObject({ callbackPath: '/callback' })
})

/** A network in which nothing is sent, and what happened in it. */
function idleNetwork(): { readonly network: Network; readonly events: string[] } {
  const events: string[] = []
  const close = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    events.push('connections closed')
  }
  const transport: Transport = { send: () => Promise.reject(new Error('nothing is sent')) }
  const transports = { transportTo: () => transport, close }
  return { events, network: { withoutOptions: {}, openTransports: () => transports } }
}

test.each([
  ['one provider', { ...good, name: 'own' }],
  ['many providers', { provider: () => null, callbackURL, name: 'own' }],
])('with %s, close ends the connections once no login is under way', async (_title, options) => {
  const { network, events } = idleNetwork()
  const providers = parseLoginOptions(options, network)
  expect(providers.name).toBe('own')
  const { concurrentLogins } = await find(providers, communityOf('x'))
  concurrentLogins.tryAcquire()
  const closing = providers.close().then(() => events.push('closed'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(events).toStrictEqual([])
  concurrentLogins.release()
  await closing
  expect(events).toStrictEqual(['connections closed', 'closed'])
})

test('after close nobody begins a login, at a provider that was known or not', async () => {
  const communities = newCommunities()
  const known = await find(communities, communityOf('known'))
  await communities.close()
  const unknown = await find(communities, communityOf('unknown'))
  expect([known.concurrentLogins.tryAcquire(), unknown.concurrentLogins.tryAcquire()]).toStrictEqual([false, false])
})
