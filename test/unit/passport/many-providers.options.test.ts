import { Agent } from 'undici'
import { Strategy } from '../../../lib'
import { MANY_OPTIONS, PROVIDER_OPTIONS } from '../../../lib/login/providers/options'
import { SocialLogin } from '../../../lib/web'
import { thrownBy } from '../../support/client'
import { good } from '../../support/options'

const callbackURL = 'https://app.example/auth/:provider/callback'
const provider = (): undefined => undefined
const keys = ['0123456789abcdef0123456789abcdef']

const NO_NAME = 'callbackURL must contain :provider, which becomes the name of the provider'
const BY_ITSELF =
  'dispatcher connects by itself, so that private addresses cannot be refused: make it refuse them, and set allowPrivateAddresses'

// Reflect, because the types refuse these options.
const constructors: [string, (options: object) => unknown][] = [
  ['Strategy', (options) => Reflect.construct(Strategy, [options, () => false])],
  ['SocialLogin', (options) => Reflect.construct(SocialLogin, [{ ...options, keys }])],
]

describe.each(constructors)('the options of a %s for many providers', (_, construct) => {
  test.each<[string, object]>([
    ['a callbackURL with :provider', { provider, callbackURL }],
    ['a callbackURL that ends in :provider', { provider, callbackURL: 'https://app.example/:provider' }],
    ['a plain callbackURL on this machine', { provider, callbackURL: 'http://localhost/:provider' }],
    ['no callbackURL', { provider }],
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
    [{ provider, callbackURL: 'https://app.example/auth/callback' }, NO_NAME],
    [{ provider, callbackURL: 'https://app.example/auth/:providers/callback' }, NO_NAME],
    [
      { provider, callbackURL: '/auth/:provider/callback' },
      'callbackURL must be the whole registered URL: its origin is that of the application',
    ],
    [
      { provider, callbackURL: 'http://app.example/auth/:provider/callback' },
      'callbackURL must be https: plain http is for loopback hosts (see allowInsecureHTTP)',
    ],
    [{ provider, dispatcher: new Agent() }, BY_ITSELF],
    [{ provider, dispatcher: new Agent(), allowPrivateAddresses: false }, BY_ITSELF],
  ])('are refused: %p', (options, message) => {
    const error = thrownBy(() => construct(options))
    expect(error).toEqual(new TypeError(message))
    expect(error).toBeInstanceOf(TypeError)
  })

  test.each(Object.keys(PROVIDER_OPTIONS))('do not go with %s, which belongs to a provider', (option) => {
    const error = thrownBy(() => construct({ provider, [option]: 'x' }))
    expect(String(error)).toBe(`TypeError: ${option} and provider exclude each other: return it from provider`)
  })

  test.each(Object.keys(MANY_OPTIONS).filter((option) => option !== 'provider'))(
    '%s is an option of many providers alone',
    (option) => {
      const error = thrownBy(() => construct({ ...good, [option]: 7 }))
      expect(String(error)).toBe(`TypeError: ${option} is an option of many providers: see provider`)
    },
  )
})
