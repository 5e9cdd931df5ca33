import { Agent } from 'undici'
import { SocialLogin } from '../../../lib/web'
import { SocialLogin as EdgeLogin } from '../../../lib/web/edge'
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
  ['callbackURL', { keys, callbackURL: '/auth/callback' }],
  ['returnTo', { keys, returnTo: '/inbox' }],
])('the option %s is refused with a TypeError that names it, and never its value: %j', (name, options) => {
  const error = failureOf(() => construct({ ...good, ...options }))
  expect(error.message).toMatch(new RegExp(`^${name} `))
  expectNoneShown(error, [canary, good.clientSecret])
})

test.each(['passReqToCallback', 'skipUserProfile', 'verifyTimeout'])(
  'the option %s of a Strategy, which is for the verify function, is refused with the reason',
  (name) => {
    const { message } = failureOf(() => construct({ ...good, keys, [name]: 1000 }))
    expect(message).toMatch(new RegExp(`^${name} is not an option of SocialLogin: .*there is no verify function`))
  },
)

test.each([{ nme: 'login' }, { allowInsecureHTTP: true }, { keys }])('%j is no option of the cookie', (cookie) => {
  const [name] = Object.keys(cookie)
  expect(failureOf(() => construct({ ...good, keys, cookie })).message).toBe(`${name} is not an option of cookie`)
})

const SECURE = '__Host-social-login; Secure'

test.each<[callbackURL: string, more: object, cookies: readonly string[]]>([
  // On plain http of this machine, Safari and test agents keep no Secure cookie.
  ...['localhost:3000', '127.0.0.1', '[::1]:3000', 'app.localhost'].map((host): [string, object, string[]] => [
    `http://${host}/callback`,
    {},
    [SECURE, 'social-login'],
  ]),
  ['https://localhost/callback', {}, [SECURE]],
  ['https://127.0.0.1.example/callback', {}, [SECURE]],
  ['https://app.example/callback', {}, [SECURE]],
  ['https://app.example/callback', { allowInsecureHTTP: true }, [SECURE]],
  ['https://app.example/http:/callback', { allowInsecureHTTP: true }, [SECURE]],
  ['http://app.example/callback', { allowInsecureHTTP: true }, ['social-login']],
  ['HTTP://app.example/callback', { allowInsecureHTTP: true }, ['social-login']],
  ['https://app.example/callback', { cookie: Object.freeze({ hostPrefix: false }) }, ['social-login; Secure']],
  ['https://app.example/callback', { cookie: { name: 'my-login' } }, ['__Host-my-login; Secure']],
])('a login at %s with %j has the cookies %j', async (callbackURL, more, cookies) => {
  const headers = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const request = new Request(new URL('/auth', callbackURL), { headers })
  const started = await new SocialLogin({ ...good, keys, callbackURL, ...more }).start(request, { user: null })
  const lines = started.headers.getSetCookie()
  expect(lines.map((line) => line.replace(/=.*?(; Secure)?; SameSite=Lax$/, '$1'))).toEqual(cookies)
})

test('what fetch cannot do is refused by the build that sends by fetch, and by no other afterwards', () => {
  const options = { ...good, keys, dispatcher: new Agent() }
  expect(failureOf(() => Reflect.construct(EdgeLogin, [options])).message).toMatch(
    /^dispatcher is not an option of SocialLogin: in this build /,
  )
  expect(() => construct(options)).not.toThrow()
})

test('with many providers no callbackURL is required, and the provider is asked for with the request', async () => {
  const provider = jest.fn()
  const login = new SocialLogin({ provider, keys })
  const request = new Request('https://app.example/auth/a/callback?auth_key=x')
  expect(await login.callback(request, { user: null })).toMatchObject({ code: 'provider_unknown' })
  expect(provider.mock.calls).toStrictEqual([[request]])
})

test('keys or a store suffice beside the required options', () => {
  for (const given of [{ keys }, { store: methods }, { keys: [new Uint8Array(32)], store: undefined }]) {
    expect(() => construct({ ...good, ...given })).not.toThrow()
  }
})
