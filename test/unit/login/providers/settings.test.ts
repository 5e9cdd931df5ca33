import {
  CLIENT_OPTIONS,
  CLIENT_PROVIDER_OPTIONS,
  CLIENT_SHARED_OPTIONS,
  type SocialLoginClientOptions,
} from '../../../../lib/client/options'
import type { CommonOptions, MultiProviderOptions, Provider } from '../../../../lib/login/providers/options'
import { PROVIDER_OPTIONS } from '../../../../lib/login/providers/options'
import { LOGIN_OPTIONS } from '../../../../lib/login/providers/settings'

/** Compiles only if the two are the same names. */
function sameNames<A, B>(_: [A, B] extends [B, A] ? true : false): void {}

test('the tables have the options of the public types, and no others', () => {
  sameNames<keyof typeof CLIENT_OPTIONS, keyof SocialLoginClientOptions>(true)
  sameNames<keyof typeof LOGIN_OPTIONS, keyof CommonOptions | keyof MultiProviderOptions<never>>(true)
  sameNames<keyof typeof PROVIDER_OPTIONS | 'name' | 'callbackURL', keyof Provider>(true)
  const ofClient = Object.keys({ ...CLIENT_PROVIDER_OPTIONS, ...CLIENT_SHARED_OPTIONS })
  expect(Object.keys(CLIENT_OPTIONS)).toEqual(expect.arrayContaining(ofClient))
  for (const table of [CLIENT_OPTIONS, LOGIN_OPTIONS, PROVIDER_OPTIONS])
    for (const parse of Object.values(table)) expect(parse).toBeInstanceOf(Function)
})

test('the callback of one provider may be a path', () => {
  expect(LOGIN_OPTIONS.callbackURL('/callback', 'callbackURL', {})).toEqual({ path: '/callback', origin: undefined })
})
