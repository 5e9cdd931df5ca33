import { SocialLoginClient } from '../../../lib/client/client'
import { STRATEGY_OPTIONS } from '../../../lib/passport/options'
import { Strategy } from '../../../lib/passport/strategy'
import { SocialLogin } from '../../../lib/web'
import { expectNoneShown } from '../../support/leak-check'
import { construct, failureOf, good, required, verify } from '../../support/options'

// What each option may be: options.refused.test.ts, and for the kinds of values test/unit/values.options.test.ts.

test('every optional option may be undefined, and the name has its default', () => {
  const all = Object.fromEntries(Object.keys(STRATEGY_OPTIONS).map((name) => [name, undefined]))
  expect(construct({ ...all, ...good })).toHaveProperty('name', 'social-login')
  expect(construct({ ...good, name: 'other' })).toHaveProperty('name', 'other')
})

test('a strategy shows no secret, and neither do its copies', () => {
  const strategy = new Strategy(good, verify)
  for (const shown of [strategy, Object.create(strategy), { ...strategy }]) expectNoneShown(shown, [good.clientSecret])
})

test.each<[string, () => unknown]>([
  ['Strategy', () => new Strategy({ ...good, clientID: '' }, verify)],
  ['SocialLoginClient', () => new SocialLoginClient({ ...required, clientID: '' })],
  ['SocialLogin', () => new SocialLogin({ ...required, callbackURL: good.callbackURL, keys: [], clientID: '' })],
])('the stack of a wrong option begins where the application constructs %s', (_name, make) => {
  const frames =
    failureOf(make)
      .stack?.split('\n')
      .filter((line) => /^ +at /.test(line)) ?? []
  const own = frames.findIndex((line) => line.includes('options.test'))
  // `SocialLogin` itself extends a class with this constructor.
  expect(own).toBe(frames[0]?.includes('new SocialLogin ') ? 1 : 0)
})

test('the inherited client of passport-oauth2 cannot be accessed', () => {
  const strategy = new Strategy(good, verify)
  expect(failureOf(() => Reflect.get(strategy, '_oauth2')).message).toContain('dispatcher')
})

test('changing the options object afterwards has no effect', () => {
  const options = { ...required }
  const client = new SocialLoginClient(options)
  options.clientID = 'other'
  options.baseURL = 'https://evil.example/v1'
  expect(client.loginURL()).toBe('https://social.example/api/oauth?app_id=app-id')
})
