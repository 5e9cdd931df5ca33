import { Agent } from 'undici'
import { Strategy } from '../../../lib'
import { SocialLogin } from '../../../lib/web'
import { thrownBy } from '../../support/client'

const callbackURL = 'https://app.example/auth/:provider/callback'
const provider = (): undefined => undefined
const keys = ['0123456789abcdef0123456789abcdef']

// Reflect, because the types refuse these options.
const constructors: [string, (options: object) => unknown][] = [
  ['Strategy', (options) => Reflect.construct(Strategy, [options, () => false])],
  ['SocialLogin', (options) => Reflect.construct(SocialLogin, [{ ...options, keys }])],
]

describe.each(constructors)('the options of a %s for many providers', (_, construct) => {
  test.each<[string, object]>([
    ['a callbackURL with :provider', { provider, callbackURL }],
    ['no callbackURL', { provider }],
    ['limits', { provider, maxPools: 10_000, maxConcurrentLogins: 1 }],
    [
      'a dispatcher that refuses private addresses by itself',
      { provider, dispatcher: new Agent(), allowPrivateAddresses: true },
    ],
  ])('may be %s', (_title, options) => {
    expect(construct(options)).toBeDefined()
  })

  test.each<[object, string]>([
    [{ provider: 'https://social.example/api/v1' }, 'provider must be a function'],
    [{ provider: null }, 'provider must be a function'],
    [{ provider, baseURL: 'https://social.example/api/v1' }, 'baseURL and provider exclude each other'],
    [{ provider, clientID: 'id' }, 'clientID and provider exclude each other'],
    [{ provider, clientSecret: 'secret' }, 'clientSecret and provider exclude each other'],
    [{ provider, exchangeMethod: 'get' }, 'exchangeMethod and provider exclude each other'],
    [{ provider, profileEndpoint: 'auto' }, 'profileEndpoint and provider exclude each other'],
    [{ provider, uploadsURL: 'https://social.example/uploads/' }, 'uploadsURL and provider exclude each other'],
    [{ provider, callbackURL: 'https://app.example/auth/callback' }, 'callbackURL must contain :provider'],
    [{ provider, callbackURL: '/auth/:provider/callback' }, 'callbackURL must be the whole registered URL'],
    [{ provider, callbackURL: 'http://app.example/auth/:provider/callback' }, 'callbackURL must be https'],
    [{ provider, dispatcher: new Agent() }, 'dispatcher connects by itself'],
    [{ provider, allowPrivateAddresses: 'yes' }, 'allowPrivateAddresses must be true or false'],
    [{ provider, maxPools: 0 }, 'maxPools must be a whole number from 1 to 10,000'],
    [{ provider, maxPools: 10_001 }, 'maxPools must be a whole number from 1 to 10,000'],
  ])('are refused: %p', (options, message) => {
    const error = thrownBy(() => construct(options))
    expect([error instanceof TypeError, String(error)]).toEqual([true, expect.stringContaining(message)])
  })

  test.each(['maxPools', 'allowPrivateAddresses'])('%s is an option of many providers alone', (option) => {
    const one = {
      baseURL: 'https://a.example/v1',
      clientID: 'id',
      clientSecret: 's',
      callbackURL: 'https://b.example/cb',
    }
    const error = thrownBy(() => construct({ ...one, [option]: option === 'maxPools' ? 7 : true }))
    expect(String(error)).toBe(`TypeError: ${option} is an option of many providers: see provider`)
  })
})
