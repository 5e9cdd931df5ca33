import { Agent } from 'undici'
import { Strategy } from '../../../lib'
import { SocialLogin } from '../../../lib/web'
import { thrownBy } from '../../support/client'

const callbackURL = 'https://app.example/auth/:site/callback'
const site = (): undefined => undefined
const keys = ['0123456789abcdef0123456789abcdef']

// Reflect, because the types refuse these options.
const constructors: [string, (options: object) => unknown][] = [
  ['Strategy', (options) => Reflect.construct(Strategy, [options, () => false])],
  ['SocialLogin', (options) => Reflect.construct(SocialLogin, [{ ...options, keys }])],
]

describe.each(constructors)('the options of a %s for many sites', (_, construct) => {
  test.each<[string, object]>([
    ['a callbackURL with :site', { site, callbackURL }],
    ['no callbackURL', { site }],
    ['limits', { site, maxPools: 10_000, maxConcurrentLogins: 1 }],
    [
      'a dispatcher that refuses private addresses by itself',
      { site, dispatcher: new Agent(), allowPrivateAddresses: true },
    ],
  ])('may be %s', (_title, options) => {
    expect(construct(options)).toBeDefined()
  })

  test.each<[object, string]>([
    [{ site: 'https://social.example/api/v1' }, 'site must be a function'],
    [{ site: null }, 'site must be a function'],
    [{ site, baseURL: 'https://social.example/api/v1' }, 'baseURL and site exclude each other'],
    [{ site, clientID: 'id' }, 'clientID and site exclude each other'],
    [{ site, clientSecret: 'secret' }, 'clientSecret and site exclude each other'],
    [{ site, exchangeMethod: 'get' }, 'exchangeMethod and site exclude each other'],
    [{ site, profileEndpoint: 'auto' }, 'profileEndpoint and site exclude each other'],
    [{ site, uploadsURL: 'https://social.example/uploads/' }, 'uploadsURL and site exclude each other'],
    [{ site, callbackURL: 'https://app.example/auth/callback' }, 'callbackURL must contain :site'],
    [{ site, callbackURL: '/auth/:site/callback' }, 'callbackURL must be the whole registered URL'],
    [{ site, callbackURL: 'http://app.example/auth/:site/callback' }, 'callbackURL must be https'],
    [{ site, dispatcher: new Agent() }, 'dispatcher connects by itself'],
    [{ site, allowPrivateAddresses: 'yes' }, 'allowPrivateAddresses must be true or false'],
    [{ site, maxPools: 0 }, 'maxPools must be a whole number from 1 to 10,000'],
    [{ site, maxPools: 10_001 }, 'maxPools must be a whole number from 1 to 10,000'],
  ])('are refused: %p', (options, message) => {
    const error = thrownBy(() => construct(options))
    expect([error instanceof TypeError, String(error)]).toEqual([true, expect.stringContaining(message)])
  })

  test.each(['maxPools', 'allowPrivateAddresses'])('%s is an option of many sites alone', (option) => {
    const one = {
      baseURL: 'https://a.example/v1',
      clientID: 'id',
      clientSecret: 's',
      callbackURL: 'https://b.example/cb',
    }
    const error = thrownBy(() => construct({ ...one, [option]: option === 'maxPools' ? 7 : true }))
    expect(String(error)).toBe(`TypeError: ${option} is an option of many sites: see site`)
  })
})
