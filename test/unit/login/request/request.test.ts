import { CONFIRMED_PARAMETER } from '../../../../lib/login/pages/confirm-page'
import type { OriginPolicy } from '../../../../lib/login/request/description'
import {
  classifyRequest,
  fromApp,
  fromProvider,
  type Headers,
  incoming,
  policy,
  verdictOf,
} from '../../../support/incoming'

function callbackOf(query: string, headers: Headers = fromProvider, more?: object) {
  return classifyRequest(incoming(`/auth/callback${query}`, headers, more), policy)
}

const at = (callbackPath: string): OriginPolicy => ({ ...policy, callbackPath })

const missing = [
  ...['', '?', '?x=1', '?auth_key', '?auth_key=', '?AUTH_KEY=K', '?auth_key.x=K', '?auth-key=K', '?error=x'],
  ...['?%00auth_key=K', '?+auth_key=K', '?auth_key%20=K', '?x=1;auth_key=K', '?auth_keys=K', '??auth_key=K'],
]
const malformed = [
  ...['?auth_key=a&auth_key=b', '?auth_key=a&auth_key=a', '?auth_key=&auth_key=', '?auth_key=a&auth_key='],
  ...['?auth_key=a&auth%5fkey=b', '?auth_key&auth_key=a', '?auth_key[]=a', '?auth_key[0]=a', '?auth_key[a]=b'],
  ...['?auth_key%5B%5D=a', '?auth_key=a&auth_key[]=b', '?auth_key[=a', '?auth_key[__proto__]=a'],
  ...['?auth_key=a%20b', '?auth_key=%0d%0aX', '?auth_key=%00', '?auth_key=%7f', '?auth_key=é'],
  ...['?auth_key=%ff', '?auth_key=%E2%80%8B', '?auth_key=%09', '?auth_key=%20'],
  ...[`?auth_key=${'k'.repeat(513)}`, `?auth_key=${'k'.repeat(20_000)}`, `?auth_key=${'%41'.repeat(513)}`],
  ...['?a=1?auth_key=K', '?a=1&b=2?auth_key=K', '?a=1?auth_key=K&auth_key=L', '?a=%3Fauth_key=K'],
  ...['?a=1&amp;auth_key=K', '?&amp;auth_key=K', '?auth_key=K&amp;auth_key=L'],
]

test.each([
  ['?auth_key=K', 'callback K'],
  ['?auth_key=K&x=1', 'callback K'],
  ['?x=1&auth_key=K', 'callback K'],
  ['?&&auth_key=K&', 'callback K'],
  ['?auth%5Fkey=K', 'callback K'],
  ['?auth_key=%4b', 'callback K'],
  ['?auth_key=a=b', 'callback a=b'],
  ['?auth_key=a%2Bb', 'callback a+b'],
  ['?auth_key=a+b', 'callback a+b'],
  ['?auth_key=+', 'callback +'],
  ['?auth_key=a+b&x=c+d', 'callback a+b'],
  ['?auth_key=K#fragment', 'callback K'],
  [`?auth_key=${'k'.repeat(512)}`, `callback ${'k'.repeat(512)}`],
  ['?auth_key=~!*()', 'callback ~!*()'],
  ['?auth_key=__proto__', 'callback __proto__'],
  ['?auth_key=K&error=access_denied&error_description=x', 'callback K'],
  ...missing.map((query) => [query, 'auth_key_missing']),
  ...malformed.map((query) => [query, 'auth_key_malformed']),
])('the callback query %s is read as %s', (query, code) => {
  expect(verdictOf(callbackOf(query))).toBe(code)
})

const NO_QUERY = 'The provider appended "?auth_key=" to a URL that has a query: register a redirect URL without one.'
const ESCAPED = 'The provider appended "&amp;auth_key=": register a redirect URL without a query.'
const BRACKETS = 'The auth_key must be a plain parameter, without brackets.'

test.each([
  ['?a=1?auth_key=K', NO_QUERY],
  ['?a=1&b=2?auth_key=K&c=3', NO_QUERY],
  ['?a=1&amp;auth_key=K', ESCAPED],
  ['?auth_key[]=K', BRACKETS],
  ['?auth_key=K&auth_key[0]=K', BRACKETS],
])('the callback query %s is refused with a hint that does not contain its key', (query, hint) => {
  const refused = { type: 'refused', code: 'auth_key_malformed', phase: 'callback', hint }
  for (const path of ['/auth/callback', '/login'])
    expect(classifyRequest(incoming(path + query.replaceAll('K', 'key-canary'), fromProvider), policy)).toEqual(refused)
})

test('a key that is no key is refused without a hint', () => {
  const refused = { type: 'refused', code: 'auth_key_malformed', phase: 'callback' }
  for (const query of ['?auth_key=a%20b', '?auth_key=a&auth_key=b', `?auth_key=${'k'.repeat(513)}`])
    expect(callbackOf(query)).toMatchObject(refused)
})

test('a callback without a key tells a page of the application that it is not where a login starts', () => {
  const refused = { type: 'refused', code: 'auth_key_missing', phase: 'callback' }
  const hint = 'A page of this application linked here: a login starts at its own route, not at that of callbackURL.'
  expect(callbackOf('', fromApp)).toStrictEqual({ ...refused, hint })
  expect(callbackOf('', { referer: 'https://www.app.example/' })).toStrictEqual({ ...refused, hint })
  for (const headers of [{}, fromProvider]) expect(callbackOf('', headers)).toEqual(refused)
})

test.each(['/auth/callback', '/auth/callback/', '/AUTH/Callback', '/auth/callback//', '/auth/callback#x'])(
  'the path %s without a key is a callback, never a start',
  (path) => {
    expect(verdictOf(classifyRequest(incoming(path, fromApp), policy))).toBe('auth_key_missing')
  },
)

test.each(['/auth/callback', '/Auth/Callback', '/auth/callback/'])(
  'a callbackURL with the path %s is that of all its forms',
  (callbackPath) => {
    for (const path of ['/auth/callback', '/AUTH/CALLBACK', '/auth/callback/']) {
      const read = (target: string) => verdictOf(classifyRequest(incoming(target, fromProvider), at(callbackPath)))
      expect([path, read(path), read(`${path}?auth_key=K`)]).toStrictEqual([path, 'auth_key_missing', 'callback K'])
    }
  },
)

test.each([
  ['/auth/Callback', 'callback K'],
  ['/auth/Callback/', 'callback K'],
  ['/Callback', 'callback K'],
  ['/auth/callback', 'callback_forged'],
  ['/AUTH/CALLBACK', 'callback_forged'],
  ['/callback/', 'callback_forged'],
])('where two callbacks may differ by case, a key at %s is %s', (path, verdict) => {
  const message = incoming(`${path}?auth_key=K`, fromProvider)
  const given = at('/auth/Callback')
  expect(verdictOf(classifyRequest(message, given))).toBe('callback K')
  expect(verdictOf(classifyRequest(message, { ...given, isCallbackCaseSensitive: true }))).toBe(verdict)
})

test.each([
  ['/', 'auth_key_missing'],
  ['/?auth_key=K', 'callback K'],
  ['?auth_key=K', 'callback K'],
  ['/auth?auth_key=K', 'callback_forged'],
])('where the callback is the first page, %s is %s', (target, verdict) => {
  expect(verdictOf(classifyRequest(incoming(target, fromProvider), at('/')))).toBe(verdict)
})

test.each([
  ...['/auth/./callback', '/x/../auth/callback', '/auth/../auth/callback', '/login/%2e%2e/auth/callback'],
  '/auth\\callback',
])('the path %s, which URL parsers read differently from routers, is neither start nor callback', (path) => {
  expect(verdictOf(classifyRequest(incoming(path, fromApp), policy))).toBe('callback_forged')
  expect(verdictOf(classifyRequest(incoming(`${path}?auth_key=K`, fromProvider), policy))).toBe('callback_forged')
})

test.each([
  '/login?auth_key=K',
  '/?auth_key=K',
  '/login?a=1?auth_key=K',
  '/login?auth_key[]=K',
  '/login?a&amp;auth_key=K',
])('the target %s on another path is a callback by its key', (target) => {
  expect(classifyRequest(incoming(target, fromProvider), policy)).not.toHaveProperty('type', 'start')
})

test('an address with a key that is the value of a parameter makes no callback of a start', () => {
  const query = new URLSearchParams({ returnTo: '/account/link/callback?auth_key=K' })
  expect(classifyRequest(incoming(`/login?${query}`, fromApp), policy)).toHaveProperty('type', 'start')
  expect(verdictOf(classifyRequest(incoming(`/login?${query}&auth_key=K`, fromProvider), policy))).toBe(
    'auth_key_malformed',
  )
})

test.each([
  ['/callback', 'callback K'],
  ['/CALLBACK/', 'callback K'],
  ['/prefix/auth/callback', 'callback_forged'],
  ['/login', 'callback_forged'],
  ['/', 'callback_forged'],
  ['/xcallback', 'callback_forged'],
  ['/back', 'callback_forged'],
  ['/auth', 'callback_forged'],
  ['/x://h/auth/callback', 'callback_forged'],
])('a key at %s, where a proxy may have stripped a prefix, is %s, with a hint', (path, verdict) => {
  const read = classifyRequest(incoming(`${path}?auth_key=K`, fromProvider), policy)
  expect(verdictOf(read)).toBe(verdict)
  if (read.type !== 'refused') return
  const hint =
    'It arrived at a path other than that of callbackURL, which must be the whole path of the registered redirect URL, including that of a router; if a proxy rewrites paths, give the path that your application receives as the option callbackURL at the start and at the callback.'
  expect(read).toEqual({ type: 'refused', code: 'callback_forged', phase: 'callback', hint })
})

const starts = ['/auth', '/auth/callback/x', '/auth/callbacks', '/xauth/callback', '/login', '/']

// No provider writes the name in another way.
test.each([...starts, '/login?x=auth_key', '/login?auth%5Fkey=K'])('the target %s is a start', (target) => {
  expect(verdictOf(classifyRequest(incoming(target, fromApp), policy))).toBe('start verified')
})

test.each([
  ['HEAD', 'method_not_allowed', 'method_not_allowed'],
  ['POST', 'start verified', 'method_not_allowed'],
  ['GET', 'start verified', 'callback K'],
  ...['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'get', 'TRACE', ''].map((method) => [
    method,
    ...Array(2).fill('method_not_allowed'),
  ]),
])('%s is read as %s at the start and as %s at the callback', (method, start, callback) => {
  expect(verdictOf(classifyRequest(incoming('/login', fromApp, { method }), policy))).toBe(start)
  expect(verdictOf(callbackOf('?auth_key=K', fromProvider, { method }))).toBe(callback)
})

test('originalUrl is used if present (mounted applications), else url', () => {
  const mounted = incoming('/callback?auth_key=short', fromProvider, { originalUrl: '/auth/callback?auth_key=K' })
  expect(verdictOf(classifyRequest(mounted, policy))).toBe('callback K')
  expect(verdictOf(classifyRequest(incoming('/auth/callback?auth_key=K', fromProvider), policy))).toBe('callback K')
  const odd = incoming('/auth/callback?auth_key=K', fromProvider, { originalUrl: ['/x'] })
  expect(verdictOf(classifyRequest(odd, policy))).toBe('callback K')
})

test.each([
  ['http://app.example/auth/callback?auth_key=K', 'callback K'],
  ['https://evil.example/auth/callback?auth_key=K', 'callback K'],
  ['HTTPS://user@[::1]:1/auth/callback?auth_key=K', 'callback K'],
  ['http://app.example/auth/callback?auth_key=K&from=https://evil.example/', 'callback K'],
  ['http://app.example?auth_key=K', 'callback_forged'],
  ['http://app.example#/auth/callback?auth_key=K', 'start verified'],
  ['http://app.example/login', 'start verified'],
  ['//evil.example/auth/callback?auth_key=', 'callback_forged'],
  ['*', 'start verified'],
  ['', 'start verified'],
  ['http://[', 'start verified'],
])('the request target %s is read as %s', (target, code) => {
  const headers = code.startsWith('start') ? fromApp : fromProvider
  expect(verdictOf(classifyRequest(incoming(target, headers), policy))).toBe(code)
})

test.each([
  ...[
    '//evil.example/',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
  ],
  ...['http://evil.example//evil.example/x', 'http://evil.example', 'data:javascript:alert(1)', 'javascript:alert(1)'],
  ...['x:javascript:alert(1)', 'foo://evil.example', 'foo://evil.example//evil.example', '/\t/evil.example', '*', ''],
  ...[
    '/?x=//evil.example',
    '/%2f/evil.example',
    '/"><script>',
    'about:blank',
    'x:https://evil.example',
    '/;//evil.example',
  ],
])('the link of a start at %s stays on the origin', (originalUrl) => {
  const read = classifyRequest(incoming('/', fromApp, { originalUrl }), policy)
  if (read.type !== 'start') throw new Error('not a start')
  expect(read.path).toMatch(/^\/(?![/\\])/)
  expect(new URL(read.path, 'https://app.example/x/y').origin).toBe('https://app.example')
})

test.each(['/login?returnTo=%2Finbox&x=1', '/login?from=https://other.example/x'])(
  'the link of the start %s keeps path and query',
  (path) => {
    expect(classifyRequest(incoming(path, fromApp), policy)).toMatchObject({ type: 'start', method: 'GET', path })
  },
)

test.each([
  ['/callback', true],
  ['/Callback/?x=1', true],
  ['/back', false],
  ['/', false],
  ['/auth', false],
])('a start at %s resembles the callback at /auth/callback: %s', (path, isAtCallback) => {
  expect(classifyRequest(incoming(path, fromApp), policy)).toMatchObject({ type: 'start', isAtCallback })
})

test.each([
  ['sec-purpose', 'prefetch'],
  ['sec-purpose', 'prefetch;prerender'],
  ['sec-purpose', 'prerender'],
  ['sec-purpose', 'Prefetch;anonymous-client-ip'],
  ['purpose', 'prefetch'],
  ['x-purpose', 'preview'],
  ['x-moz', 'prefetch'],
  ['service-worker-navigation-preload', 'true'],
])('a request with %s: %s is speculative, at the start and at the callback', (name, value) => {
  const start = classifyRequest(incoming('/login', { ...fromApp, [name]: value }), policy)
  expect(start).toEqual({ type: 'refused', code: 'speculative_request', phase: 'start' })
  expect(callbackOf('?auth_key=K', { ...fromProvider, [name]: value })).toEqual({
    type: 'refused',
    code: 'speculative_request',
    phase: 'callback',
  })
})

test('a purpose other than speculation is ignored', () => {
  expect(verdictOf(callbackOf('?auth_key=K', { ...fromProvider, purpose: 'navigation' }))).toBe('callback K')
})

test('a start keeps its query unchanged, except for a foreign tab secret where tabs are bound', () => {
  const startAt = (url: string, tabBinding: boolean, headers: Headers = {}) =>
    classifyRequest(incoming(url, headers), { ...policy, tabBinding })
  const [path, withSecret] = ['/login?a&b=%20c', `/login?a=1&social_login_tab=${'a'.repeat(32)}`]
  for (const tabBinding of [false, true]) expect(startAt(path, tabBinding)).toMatchObject({ path, confirmation: '1' })
  expect(startAt(withSecret, true)).toMatchObject({ path: '/login?a=1', tabSecret: undefined })
  expect(startAt(withSecret, true, fromApp)).toMatchObject({ path: withSecret, tabSecret: 'a'.repeat(32) })
  for (const headers of [{}, fromApp])
    expect(startAt(withSecret, false, headers)).toMatchObject({ path: withSecret, tabSecret: undefined })
})

test('a target of 4,096 characters is read, and one more is refused with a hint, as what it is by the rest', () => {
  const request = (length: number, begin: string) =>
    classifyRequest(incoming(`${begin}=${'k'.repeat(length)}`.slice(0, length)), policy)
  expect(verdictOf(request(4096, '/auth/callback?x'))).toBe('auth_key_missing')
  const refused = { type: 'refused', hint: 'The address of the request has more than 4,096 characters.' }
  for (const callback of ['/auth/callback?auth_key', '/auth/callback?x', '/auth?auth_key'])
    expect(request(4097, callback)).toEqual({ ...refused, code: 'auth_key_malformed', phase: 'callback' })
  for (const start of ['/auth?x', '/auth?returnTo=/auth_key'])
    expect(request(4097, start)).toEqual({ ...refused, code: 'start_forbidden', phase: 'start' })
})

// The modes in which Chromium and Firefox send a navigation that a service worker answers.
test.each(['navigate', 'same-origin'])('a request of a service worker (%s) is refused with a hint about it', (mode) => {
  const scripted = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': mode, 'sec-fetch-dest': 'empty' }
  for (const url of ['/auth', '/auth/callback?auth_key=K']) {
    const read = classifyRequest(incoming(url, scripted), policy)
    expect(Reflect.get(read, 'hint')).toMatch(/^A script made the request, not the browser itself: .*service worker/)
  }
})

test.each(['same-origin', 'same-site', 'cross-site'])('a start by fetch (%s) must be a navigation instead', (site) => {
  for (const mode of ['cors', 'no-cors']) {
    const fetched = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': 'empty' }
    const read = classifyRequest(incoming('/auth', fetched), { ...policy, unverifiedStart: 'allow' })
    expect(read).toMatchObject({ type: 'refused', code: 'navigation_required', phase: 'start' })
    expect(read).not.toHaveProperty('response')
  }
})

test.each([
  ['', fromProvider, 'GET'],
  ['?auth_key=a&auth_key=b', fromProvider, 'GET'],
  ['?a=1?auth_key=K', fromProvider, 'GET'],
  ['?auth_key=K', fromApp, 'GET'],
  ['?auth_key=K', fromProvider, 'POST'],
])('a callback %s that is refused is refused as a callback', (query, headers, method) => {
  expect(callbackOf(query, headers, { method })).toMatchObject({ type: 'refused', phase: 'callback' })
})

test('a start tells whether the confirm page must ask, and whether any header tells what caused it', () => {
  const read = (headers: Headers, method = 'GET') => classifyRequest(incoming('/login', headers, { method }), policy)
  const [app, evil] = ['https://app.example', 'https://evil.example']
  const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  expect(read({})).toMatchObject({ confirmation: '1', hasSource: false })
  expect(read({ referer: `${evil}/` })).toMatchObject({ confirmation: '1', hasSource: true })
  expect(read({ referer: `${app}/` })).toMatchObject({ confirmation: undefined, hasSource: true })
  expect(read({ origin: app }, 'POST')).toMatchObject({ confirmation: undefined, hasSource: true, method: 'POST' })
  expect(read({ ...navigation, 'sec-fetch-site': 'none' })).toMatchObject({ confirmation: '1', hasSource: true })
})

test('where starts are not confirmed, one that nothing verifies is allowed or refused, once confirmed in vain it is refused', () => {
  const verdict = (unverifiedStart: OriginPolicy['unverifiedStart'], target = '/login', headers: Headers = {}) =>
    verdictOf(classifyRequest(incoming(target, headers), { ...policy, unverifiedStart }))
  const confirmed = `/login?${CONFIRMED_PARAMETER}=1`
  const foreign = { ...fromProvider, origin: 'https://evil.example' }
  expect([verdict('allow'), verdict('refuse'), verdict('confirm')]).toStrictEqual([
    'start verified',
    'start_forbidden',
    'start unverified',
  ])
  expect([verdict('allow', confirmed), verdict('confirm', confirmed)]).toStrictEqual([
    'start verified',
    'start_forbidden',
  ])
  // Its headers came: the person may have opened the link of the confirm page in another way.
  expect(verdict('confirm', confirmed, foreign)).toBe('start unverified')
})

test('a callback tells its key, where it came from, and the secret of its tab', () => {
  const known = { type: 'callback', authKey: 'K', tabSecret: undefined } as const
  const query = '?auth_key=K'
  const referer = 'https://social.example/oauth'
  expect(callbackOf(query)).toMatchObject({ ...known, fetchSite: 'cross-site', referer: 'absent' })
  expect(callbackOf(query, { referer })).toMatchObject({ ...known, fetchSite: undefined, referer: 'provider' })
})
