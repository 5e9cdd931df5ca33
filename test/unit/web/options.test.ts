import { STRATEGY_OPTIONS } from '../../../lib/passport/options'
import { SocialLogin } from '../../../lib/web'
import { SOCIAL_LOGIN_OPTIONS } from '../../../lib/web/options'
import { expectNoneShown } from '../../support/leak-check'
import { canary, failureOf, good } from '../../support/options'

const keys = ['k'.repeat(32)]
const methods = { save: () => {}, load: () => {}, consume: () => {} }

/** Calls the constructor as plain JavaScript can, without type checks. */
const construct = (options: unknown): unknown => Reflect.construct(SocialLogin, [options])

test.each([
  ['keys', {}],
  ['keys', { keys: null }],
  ['keys', { keys: [] }],
  ['keys', { keys: [canary] }],
  ['keys', { keys: canary.repeat(3) }],
  ['keys', { keys, store: methods }],
  ['store', { store: null }],
  ['store', { store: { ...methods, consume: undefined } }],
  ['callbackURL', { keys, callbackURL: '/auth/callback' }],
  ['callbackURL', { keys, callbackURL: `http://${canary}.example/` }],
  ['failureRedirect', { keys, failureRedirect: `https://${canary}.example/` }],
  ['failureRedirect', { keys, failureRedirect: '//evil.example' }],
  ['failureRedirect', { keys, failureRedirect: 7 }],
  ['successRedirect', { keys, successRedirect: '' }],
  ['successRedirect', { keys, successRedirect: () => '/' }],
  ['returnTo', { keys, returnTo: '/inbox' }],
])('the option %s is refused with a TypeError that names it, and never its value: %j', (name, options) => {
  const error = failureOf(() => construct({ ...good, ...options }))
  expect(error.message).toMatch(new RegExp(`^${name} `))
  expectNoneShown(error, [canary, good.clientSecret])
})

test.each(Object.keys(STRATEGY_OPTIONS).filter((name) => !(name in SOCIAL_LOGIN_OPTIONS) && name !== 'store'))(
  'the option %s of a Strategy is refused',
  (name) => {
    const error = failureOf(() => construct({ ...good, keys, [name]: true }))
    expect(error.message).toMatch(new RegExp(`^${name} is not an option of SocialLogin`))
  },
)

test('an option for the verify function is refused with the reason', () => {
  expect(failureOf(() => construct({ ...good, keys, verifyTimeout: 1000 })).message).toContain('no verify function')
})

test.each([undefined, null, 'options', 7])('%j is no options object', (options) => {
  expect(failureOf(() => construct(options)).message).toMatch(/^SocialLogin needs an options object, not /)
})

test('keys or a store suffice beside the required options', () => {
  for (const given of [{ keys }, { store: methods }, { keys: [new Uint8Array(32)], store: undefined }]) {
    expect(() => construct({ ...good, ...given })).not.toThrow()
  }
})
