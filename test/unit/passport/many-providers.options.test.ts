import { Agent } from 'undici'
import { Strategy } from '../../../lib'
import { MANY_OPTIONS, PROVIDER_OPTIONS } from '../../../lib/login/providers/options'
import { SocialLogin } from '../../../lib/web'
import { good } from '../../support/options'
import { thrownBy } from '../../support/outcomes'

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
    [{ provider: 'https://social.example/api/v1' }, 'provider'],
    [{ provider: null }, 'provider'],
    [{ provider, callbackURL: 'https://app.example/auth/callback' }, 'callbackURL'],
    [{ provider, callbackURL: 'https://app.example/auth/:providers/callback' }, 'callbackURL'],
    [{ provider, callbackURL: '/auth/:provider/callback' }, 'callbackURL'],
    [{ provider, callbackURL: 'http://app.example/auth/:provider/callback' }, 'callbackURL'],
    [{ provider, dispatcher: new Agent() }, 'dispatcher'],
    [{ provider, dispatcher: new Agent(), allowPrivateAddresses: false }, 'dispatcher'],
  ])('are refused by a TypeError that names the option: %p', (options, name) => {
    const error = thrownBy(() => construct(options))
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).toMatch(new RegExp(`^TypeError: ${name} `))
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
