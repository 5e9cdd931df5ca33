import { readFileSync } from 'node:fs'
import { SocialLoginClient } from '../../../lib/client/client'
import { parseCallbackURL, parseOrigins, parseUploadsURL } from '../../../lib/client/option-values'
import { parseClientOptions } from '../../../lib/client/options'
import { STRATEGY_OPTIONS } from '../../../lib/passport/options'
import { Strategy } from '../../../lib/passport/strategy'
import { expectNoneShown } from '../../support/leak-check'
import { construct, failureOf, good, required, verify } from '../../support/options'

const { version } = JSON.parse(readFileSync(`${__dirname}/../../../../package.json`, 'utf8'))

test.each([
  ['https://social.example/api/v1', 'https://social.example', '/api/v1', '/api'],
  ['https://social.example/v1', 'https://social.example', '/v1', ''],
  ['https://social.example:8443/a/b/v1', 'https://social.example:8443', '/a/b/v1', '/a/b'],
  ['HTTPS://Social.Example/api/v1', 'https://social.example', '/api/v1', '/api'],
  ['https://social.example/v1/v1', 'https://social.example', '/v1/v1', '/v1'],
  ['https://social.example/api/v1/', 'https://social.example', '/api/v1', '/api'],
  ['http://localhost:4400/api/v1', 'http://localhost:4400', '/api/v1', '/api'],
  ['http://social.localhost/api/v1', 'http://social.localhost', '/api/v1', '/api'],
  ['http://127.0.0.1:4400/api/v1', 'http://127.0.0.1:4400', '/api/v1', '/api'],
  ['http://127.8.9.1/api/v1', 'http://127.8.9.1', '/api/v1', '/api'],
  ['http://[::1]:4400/api/v1', 'http://[::1]:4400', '/api/v1', '/api'],
])('the parts of the baseURL %s are %s, %s and %s', (baseURL, origin, basePath, oauthPath) => {
  expect(parseClientOptions({ ...required, baseURL })).toMatchObject({
    origin,
    basePath,
    oauthPath,
    userAgent: `passport-social-login/${version}`,
    exchangeMethod: 'post',
  })
})

const DEFAULTS = {
  origin: 'https://social.example',
  basePath: '/api/v1',
  oauthPath: '/api',
  authorizationURL: undefined,
  clientID: 'app-id',
  clientSecret: 'secret-canary',
  exchangeMethod: 'post',
  userAgent: `passport-social-login/${version}`,
  timeout: 10_000,
  maxConnections: 128,
  dispatcher: undefined,
  allowInsecureHTTP: false,
  userRecord: undefined,
}

test('a client that is given only what it needs has the defaults', () => {
  expect(parseClientOptions(required)).toStrictEqual(DEFAULTS)
})

test('a client has each option as it was given', () => {
  const given = {
    exchangeMethod: 'get',
    userAgent: 'App/1.0',
    timeout: 1,
    maxConnections: 2,
    dispatcher: { request: () => Promise.reject(new Error()) },
    allowInsecureHTTP: true,
    userRecord: () => ({}),
  } as const
  const authorizationURL = 'https://login.example/page'
  const settings = parseClientOptions({ ...required, ...given, authorizationURL })
  expect(settings).toStrictEqual({ ...DEFAULTS, ...given, authorizationURL: new URL(authorizationURL) })
})

test('plain http beyond loopback needs allowInsecureHTTP', () => {
  const baseURL = 'http://social.example/api/v1'
  expect(parseClientOptions({ ...required, baseURL, allowInsecureHTTP: true }).origin).toBe('http://social.example')
  expect(failureOf(() => parseClientOptions({ ...required, baseURL })).message).toContain('allowInsecureHTTP')
  expect(failureOf(() => parseClientOptions({ ...required, baseURL, allowInsecureHTTP: false })).message).toMatch(
    /^baseURL/,
  )
  expect(parseCallbackURL('http://app.example/cb', 'callbackURL', { allowInsecureHTTP: true }).origin).toBe(
    'http://app.example',
  )
})

test.each([
  ['callbackURL', 'callback', 'callbackURL must be an absolute http(s) URL, or a path that starts with /'],
  ['callbackURL', 'localhost:3000/cb', 'callbackURL must be an absolute http(s) URL, or a path that starts with /'],
  ['clientID', 4711, 'clientID must be a string'],
  ['clientSecret', null, 'clientSecret must be a string'],
  ['clientID', '', 'clientID must be a non-empty string (is a variable not set?)'],
  ['clientID', ' ', 'clientID must be a non-empty string'],
  ['baseURL', 'https://social.example/api', 'baseURL must end in /v1, such as https://social.example/api/v1'],
])('the error for the %s %j says what it must be', (name, value, message) => {
  expect(failureOf(() => construct({ ...good, [name]: value })).message).toBe(message)
})

test('a text has at most 2,048 characters', () => {
  expect(parseClientOptions({ ...required, clientSecret: 's'.repeat(2048) }).clientSecret).toHaveLength(2048)
})

test.each(['a', 'MyApp/1.0 (+https://app.example; ops@app.example)', '~'.repeat(256)])(
  'the userAgent %j is taken as it is',
  (userAgent) => {
    expect(parseClientOptions({ ...required, userAgent })).toHaveProperty('userAgent', userAgent)
  },
)

test.each([
  ['https://app.example/auth/callback', '/auth/callback', 'https://app.example'],
  ['https://app.example', '/', 'https://app.example'],
  ['http://localhost:3000/cb', '/cb', 'http://localhost:3000'],
  ['/auth/callback', '/auth/callback', undefined],
  ['/auth/callback/', '/auth/callback/', undefined],
  ['/', '/', undefined],
])('the callbackURL %s has the path %s and the origin %s', (value, path, origin) => {
  expect(parseCallbackURL(value, 'callbackURL', {})).toEqual({ path, origin })
})

test('origins are normalised and distinguished', () => {
  expect(parseOrigins(undefined, 'allowedStartOrigins')).toEqual(new Set())
  expect(parseOrigins([], 'allowedStartOrigins')).toEqual(new Set())
  expect(parseOrigins(['https://WWW.app.example', 'http://localhost:3000', 'https://www.app.example'], 'x')).toEqual(
    new Set(['https://www.app.example', 'http://localhost:3000']),
  )
})

test('uploadsURL is treated as a folder', () => {
  expect(parseUploadsURL(undefined, 'uploadsURL', {})).toBeUndefined()
  expect(parseUploadsURL('https://social.example/uploads', 'uploadsURL', {})?.href).toBe(
    'https://social.example/uploads/',
  )
  expect(parseUploadsURL('https://social.example/uploads/', 'uploadsURL', {})?.href).toBe(
    'https://social.example/uploads/',
  )
  expect(parseUploadsURL('https://social.example', 'uploadsURL', {})?.href).toBe('https://social.example/')
})

test('every optional option may be undefined, and the name has its default', () => {
  const all = Object.fromEntries(Object.keys(STRATEGY_OPTIONS).map((name) => [name, undefined]))
  expect(construct({ ...all, ...good })).toHaveProperty('name', 'social-login')
  expect(construct({ ...good, name: 'other' })).toHaveProperty('name', 'other')
})

test.each([true, false, () => true])('skipUserProfile may be %p', (skipUserProfile) => {
  expect(construct({ ...good, skipUserProfile })).toBeInstanceOf(Strategy)
  expect(STRATEGY_OPTIONS.skipUserProfile(skipUserProfile, 'skipUserProfile')).toBe(skipUserProfile)
})

test('a strategy shows no secret, and neither do its copies', () => {
  const strategy = new Strategy(good, verify)
  for (const shown of [strategy, Object.create(strategy), { ...strategy }]) expectNoneShown(shown, [good.clientSecret])
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
