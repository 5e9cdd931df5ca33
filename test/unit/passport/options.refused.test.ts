import { EventEmitter } from 'node:events'
import { CookieStore } from '../../../lib'
import { SocialLoginClient } from '../../../lib/client/client'
import { MANY_OPTIONS } from '../../../lib/login/providers/options'
import { LOGIN_OPTIONS } from '../../../lib/login/providers/settings'
import { STRATEGY_OPTIONS } from '../../../lib/passport/options'
import { SocialLogin } from '../../../lib/web'
import { expectNoneShown } from '../../support/leak-check'
import { canary, construct, failureOf, good, required, verify } from '../../support/options'

/** By the same code: see lib/login/providers/settings.ts. */
const constructSocialLogin = (options: object): unknown =>
  Reflect.construct(SocialLogin, [{ ...options, keys: ['k'.repeat(32)] }])

function expectRefused(name: string, value: unknown): void {
  const builders = Object.hasOwn(LOGIN_OPTIONS, name) ? [construct, constructSocialLogin] : [construct]
  for (const build of builders) {
    const error = failureOf(() => build({ ...good, [name]: value }))
    expect(error.message).toMatch(new RegExp(`^${name} `))
    expectNoneShown(error, [canary, good.clientSecret])
  }
}

const list = {
  get length(): number {
    return 1
  },
  0: canary,
}
const notText = [undefined, null, 1, [canary], { toString: () => canary }, Symbol('x'), '', ' ', '\n']
const notInteger = [null, '1', canary, [], {}, 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1n]
const notBoolean = [null, 0, 1, '', 'true', canary, [], {}, () => true]
const notOrigins = [null, canary, 'https://app.example', {}, list, new Set(['https://app.example']), [1], [null], ['']]
const badOrigins = [
  ...[canary, 'app.example', '*', 'null', 'https://app.example/', 'https://app.example?x', '//app.example'],
  ...['https://u@app.example', 'ftp://app.example', 'javascript:0', 'file://', ' https://app.example', 'https://'],
].map((origin) => ['https://good.example', origin])
const badURLs = [
  ...[canary, 'social.example/api/v1', '//social.example/api/v1', '/api/v1', 'https://', 'http://[', 'https://a b/v1'],
  ...['ftp://social.example/api/v1', 'file:///api/v1', 'javascript:0//v1', 'data:text/plain,/v1'],
  ...[`https://${canary}@social.example/api/v1`, `https://:${canary}@a.example/v1`],
  ...[`http://${canary}.example/api/v1`, 'http://10.0.0.1/api/v1', 'http://localhost.evil.example/api/v1'],
  ...['http://127.0.0.1.evil.example/v1', 'http://[::2]/v1', 'http://evillocalhost/v1', 'http://0.0.0.0/v1'],
  `https://a.example/${'a'.repeat(2050)}/v1`,
]
const badBases = [
  ...[`https://social.example/api/v1?${canary}`, `https://social.example/api/v1#${canary}`],
  ...[`https://social.example/${canary}`, 'https://social.example/api/v2', 'https://social.example/api/V1'],
  ...['https://v1.example', 'https://social.example/apiv1', 'https://social.example/v1/api'],
  ...['https://social.example/', 'https://social.example/v1/..'],
]
const badCallbacks = [
  ...[canary, `/cb#${canary}`, `https://app.example/cb#${canary}`, '//evil.example/cb', '/\\evil.example'],
  ...['auth/callback', '?x', 'http://app.example/cb', `https://${canary}@app.example/cb`, 'javascript:0', '#'],
  ...['./cb', '\\cb', 'localhost:3000/cb'],
]
const badUserAgents = ['\r\nX: y', '\n', '\r', '\t', '\0', '\u007f', 'é', '😀', '\u2028'].map(
  (odd) => `${canary}${odd}x`,
)
const bad: [string, unknown[]][] = [
  ['baseURL', [...notText, ...badURLs, ...badBases, 'https://social.example/api/v1?', 'https://social.example/v1#']],
  [
    'authorizationURL',
    [
      ...[...notText.slice(1), ...badURLs, `https://a.example/login?${canary}`, `https://a.example/login#${canary}`],
      ...['https://a.example/login?', 'https://a.example/login#'],
    ],
  ],
  ['clientID', [...notText, 'x'.repeat(2049)]],
  ['clientSecret', [...notText, 'x'.repeat(2049), `${canary}\n`, ` ${canary}`]],
  ['callbackURL', [...notText, ...badCallbacks, ...badURLs.filter((url) => !url.startsWith('/'))]],
  ['name', [...notText.slice(1), 'x'.repeat(2049)]],
  ['displayName', [...notText.slice(1), 'x'.repeat(2049)]],
  ['timeout', [...notInteger, 120_001]],
  ['verifyTimeout', [...notInteger, 600_001]],
  ['maxConcurrentLogins', [...notInteger, 10_001]],
  ['profileEndpoint', [null, true, 1, '', canary, 'user/me/', '/user/me', 'USER/ME', [], ['user/me'], {}]],
  ['exchangeMethod', [null, true, 1, '', canary, 'GET', 'Post', [], ['get'], {}]],
  ['userAgent', [...notText.slice(1), 'x'.repeat(257), ...badUserAgents]],
  ['unverifiedStart', [null, true, 1, '', canary, 'Allow', [], ['allow'], {}]],
  ['passReqToCallback', notBoolean],
  ['tabBinding', notBoolean],
  ['confirmPage', [null, true, 1, '', canary, [], {}]],
  ['userRecord', [null, true, 1, '', canary, [], {}]],
  ['allowInsecureHTTP', notBoolean],
  ['skipUserProfile', [null, 0, 1, '', 'true', canary, [], {}]],
  ['store', [null, true, canary, [], {}, { save: verify, load: verify }]],
  ['dispatcher', [null, true, 1, canary, [], {}, { request: canary }, { dispatch: verify }]],
  ['allowedStartOrigins', [...notOrigins, ...badOrigins, ['https://*.app.example']]],
  ['allowedCallbackOrigins', [...notOrigins, ...badOrigins]],
  [
    'uploadsURL',
    [null, true, 1, [], {}, '', ' ', ...badURLs, `https://a.example/?${canary}`, `https://a.example/#${canary}`],
  ],
]

test.each(bad)('the option %s is refused with a TypeError that names it, and never its value', (name, values) => {
  for (const value of values) expectRefused(name, value)
})

test.each([undefined, null, true, 1, canary, () => {}])('the options %p are refused', (options) => {
  expect(failureOf(() => construct(options)).message).toMatch(/options/)
  expect(failureOf(() => Reflect.construct(SocialLoginClient, [options])).message).toMatch(/options/)
})

test.each([[undefined], [null], [true], [{}], [canary], [Promise.resolve()]])(
  '%p is not a verify function',
  (value) => {
    const error = failureOf(() => construct(good, value))
    expect(error.message).toMatch(/verify/)
    expectNoneShown(error, [canary, good.clientSecret])
  },
)

test('each option that is not of many providers has values that are refused', () => {
  const names = Object.keys(STRATEGY_OPTIONS).filter((name) => !Object.hasOwn(MANY_OPTIONS, name))
  expect(names.filter((name) => !bad.some(([listed]) => listed === name))).toEqual([])
})

test('the client has a bad option that the strategy does not have', () => {
  for (const maxConnections of [...notInteger, 10_001]) {
    const error = failureOf(() => Reflect.construct(SocialLoginClient, [{ ...required, maxConnections }]))
    expect(error.message).toMatch(/^maxConnections /)
  }
})

test.each([
  ['profileEndpoint', 'profileEndpoint is not an option of SocialLoginClient: give it to fetchUser()'],
  ['uploadsURL', 'uploadsURL is not an option of SocialLoginClient: give it to toProfile()'],
  ['callbackURL', 'callbackURL is not an option of SocialLoginClient'],
  ['maxconnections', 'maxconnections is not an option of SocialLoginClient: did you mean maxConnections?'],
])('the client refuses an option that it does not have, %s, by name', (name, message) => {
  const construct = (value: unknown) => Reflect.construct(SocialLoginClient, [{ ...required, [name]: value }])
  expect(failureOf(() => construct(canary))).toEqual(new TypeError(message))
  expect(construct(undefined)).toBeInstanceOf(SocialLoginClient)
})

test('a dispatcher without a request method, as of the stub in Bun, is refused with the cure', () => {
  expect(failureOf(() => construct({ ...good, dispatcher: new EventEmitter() }))).toEqual(
    new TypeError(
      'dispatcher must be an undici dispatcher: it has no request method (Bun replaces undici by a stub: there, import it as undici/index.js)',
    ),
  )
})

test.each([
  ['scope', 'scope is not an option of Strategy: the Social Login API has none; remove it'],
  [
    'customHeaders',
    'customHeaders is not an option of Strategy: the Social Login API has none; for the User-Agent there is userAgent',
  ],
  ['state', 'state is not an option of Strategy: every login is bound to its browser without it; remove it'],
  ['proxy', 'proxy is not an option of Strategy: give the whole callbackURL instead'],
  ['callbackUrl', 'callbackUrl is not an option of Strategy: did you mean callbackURL?'],
  ['tabbinding', 'tabbinding is not an option of Strategy: did you mean tabBinding?'],
  ['__proto', '__proto is not an option of Strategy'],
])('an option that does not exist, %s, is refused by name, with what to do instead', (name, message) => {
  expect(failureOf(() => construct({ ...good, [name]: true }))).toEqual(new TypeError(message))
  expect(() => construct({ ...good, [name]: undefined })).not.toThrow()
})

test('CookieStore refuses options that do not exist', () => {
  const misspelt: { keys: string[] } = Object.assign({ keys: ['k'.repeat(32)] }, { Name: 'x' })
  expect(() => new CookieStore(misspelt)).toThrow(
    new TypeError('Name is not an option of CookieStore: did you mean name?'),
  )
})

test('the name of Passport’s own strategy, which it would replace, is refused', () => {
  expect(failureOf(() => construct({ ...good, name: 'session' })).message).toMatch(/^name must not be session/)
})
