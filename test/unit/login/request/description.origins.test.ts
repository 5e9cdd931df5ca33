import {
  classifyRequest,
  fromApp,
  fromProvider,
  type Headers,
  hostOnlyPolicy,
  incoming,
  policy,
  readCallback,
  readStart,
  verdictOf,
} from '../../../support/incoming'

const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const framed = ['iframe', 'frame', 'embed', 'object', 'image', 'script', 'empty', '']
/** Values of Referer and Origin that name no origin of the web. */
const opaque = [
  ...['', 'null', 'about:blank', 'data:text/html,x', 'file:///tmp/x.html', 'android-app://com.example.mail/'],
  ...['/login', 'blob:https://evil.example/1', 'javascript:0', 'https://', 'https://['],
  // What URL parsers, but no browser in these headers, take for app.example.
  ...['https://app。example/', 'https://ａpp.example/', 'https://%61pp.example/', 'https://user@app.example/'],
]
const row = (headers: Headers, verdict: string): [Headers, string] => [headers, verdict]
const metadata = (site: string) => ({ 'sec-fetch-site': site, ...navigation })

test.each<[Headers, string]>([
  [fromApp, 'start verified'],
  [metadata('same-site'), 'start unverified'],
  [metadata('cross-site'), 'start unverified'],
  [metadata('none'), 'start unverified'],
  [metadata('bogus'), 'start unverified'],
  [metadata('same-origin, cross-site'), 'start unverified'],
  [{ ...fromApp, 'sec-fetch-mode': 'no-cors' }, 'start_forbidden'],
  [{ ...fromApp, 'sec-fetch-mode': 'cors' }, 'start_forbidden'],
  ...framed.map((dest) => row({ ...fromApp, 'sec-fetch-dest': dest }, 'start_forbidden')),
  [{ 'sec-fetch-site': 'same-origin' }, 'start_forbidden'],
])('a start with the Fetch Metadata %j is read as %s', (headers, verdict) => {
  expect(readStart(headers)).toBe(verdict)
})

test.each<[Headers, string]>([
  [{}, 'start unverified'],
  [{ referer: 'https://app.example/home?x=1' }, 'start verified'],
  [{ referer: 'https://app.example?x=1' }, 'start verified'],
  [{ referer: 'https://app.example#x' }, 'start verified'],
  [{ origin: 'https://app.example' }, 'start verified'],
  [{ origin: 'null', referer: 'https://app.example/' }, 'start verified'],
  [{ origin: 'https://evil.example', referer: 'https://app.example/' }, 'start unverified'],
  [{ origin: 'https://www.app.example' }, 'start verified'],
  [{ referer: 'https://www.app.example/x' }, 'start verified'],
  ...[
    ...opaque,
    ...['https://evil.example/', 'https://app.example.evil.example/', 'https://evil.example/https://app.example/'],
    ...['https://app.example@evil.example/', 'https://app.example:8443/', 'https://sub.app.example/'],
    ...['http://app.example/', '//app.example/', 'app.example', 'blob:https://app.example/1'],
  ].map((referer) => row({ referer }, 'start unverified')),
])('without Fetch Metadata a start with %j is read as %s', (headers, verdict) => {
  expect(readStart(headers)).toBe(verdict)
})

test.each([
  ['https://app.example/x', 'app.example', 'start verified'],
  ['http://app.example/x', 'APP.example', 'start verified'],
  ['http://localhost:3000/x', 'localhost:3000', 'start verified'],
  ['http://localhost:3001/x', 'localhost:3000', 'start unverified'],
  ['https://evil.example/x', 'app.example', 'start unverified'],
  ...opaque.flatMap((referer) => ['app.example', ''].map((host) => [referer, host, 'start unverified'])),
  ['https://www.app.example/x', 'app.example', 'start verified'],
])('when only Host tells the own origin, the Referer %s at %s is read as %s', (referer, host, verdict) => {
  expect(readStart({ referer, host }, {}, hostOnlyPolicy)).toBe(verdict)
  expect(readStart({ origin: referer.replace(/\/x$/, ''), host }, {}, hostOnlyPolicy)).toBe(verdict)
})

test('a request without Host, as HTTP/1.0 allows, comes from no known page', () => {
  const bare = incoming('/login', { referer: 'https://app.example/' })
  Reflect.deleteProperty(bare.headers, 'host')
  expect(verdictOf(classifyRequest(bare, hostOnlyPolicy))).toBe('start unverified')
})

test('forwarded hosts do not make a foreign page same-origin', () => {
  const headers = {
    referer: 'https://evil.example/',
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
  }
  expect(readStart(headers, {}, hostOnlyPolicy)).toBe('start unverified')
})

test('a sister site may start a login across sites, by its Referer or Origin', () => {
  expect(readStart({ ...metadata('same-site'), referer: 'https://www.app.example/' })).toBe('start verified')
  expect(readStart({ ...metadata('cross-site'), origin: 'https://www.app.example' })).toBe('start verified')
  expect(readStart({ ...metadata('cross-site'), referer: 'https://www.app.example.evil.example/' })).toBe(
    'start unverified',
  )
  expect(
    readStart({ ...metadata('cross-site'), 'sec-fetch-dest': 'iframe', referer: 'https://www.app.example/' }),
  ).toBe('start_forbidden')
})

test('an unverified start is refused or allowed by option', () => {
  expect(readStart(metadata('none'), {}, { ...policy, unverifiedStart: 'refuse' })).toBe('start_forbidden')
  expect(readStart(fromApp, {}, { ...policy, unverifiedStart: 'refuse' })).toBe('start verified')
  expect(readStart(metadata('none'), {}, { ...policy, unverifiedStart: 'allow' })).toBe('start verified')
  expect(
    readStart({ ...metadata('none'), 'sec-fetch-dest': 'image' }, {}, { ...policy, unverifiedStart: 'allow' }),
  ).toBe('start_forbidden')
})

test.each([
  { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
  { upgrade: 'WebSocket' },
  { 'sec-websocket-version': '13' },
  { 'sec-websocket-extensions': 'permessage-deflate; client_max_window_bits' },
  { 'sec-websocket-protocol': 'chat' },
])('the handshake of a WebSocket with %j, but without Fetch Metadata, neither starts nor ends a login', (sent) => {
  const handshake = { origin: 'https://app.example', ...sent }
  expect(readStart({ origin: handshake.origin })).toBe('start verified')
  expect(readStart(handshake)).toBe('start_forbidden')
  expect(readStart(handshake, {}, { ...policy, unverifiedStart: 'allow' })).toBe('start_forbidden')
  expect(readCallback(handshake)).toBe('callback_forged')
})

test.each<[Headers, string]>([
  [{}, 'callback K'],
  [fromProvider, 'callback K'],
  [{ ...fromProvider, referer: '' }, 'callback K'],
  [metadata('none'), 'callback K'],
  [metadata('same-origin'), 'callback_forged'],
  [metadata('same-site'), 'callback_forged'],
  [metadata(''), 'callback_forged'],
  [metadata('bogus'), 'callback_forged'],
  [metadata('cross-site, cross-site'), 'callback_forged'],
  ...framed.map((dest) => row({ ...fromProvider, 'sec-fetch-dest': dest }, 'callback_forged')),
  ...['no-cors', 'cors', 'same-origin', 'nested-navigate', ''].map((mode) =>
    row({ ...fromProvider, 'sec-fetch-mode': mode }, 'callback_forged'),
  ),
])('a callback with the Fetch Metadata %j is read as %s', (headers, verdict) => {
  expect(readCallback(headers)).toBe(verdict)
})

test.each([
  ['https://social.example/api/oauth', 'callback K'],
  ['https://social.example', 'callback K'],
  ['https://login.social.example/', 'callback K'],
  ['https://app.example/login', 'callback K'],
  ['https://www.app.example/', 'callback K'],
  ...[
    ...['https://evil.example/', 'https://social.example.evil.example/', 'https://social.example@evil.example/'],
    ...['http://social.example/', 'https://social.example:8443/', 'https://evil.example/?https://social.example/'],
    ...opaque.filter(Boolean),
  ].map((referer) => [referer, 'callback_forged']),
])('a callback with the Referer %s is read as %s, with and without Fetch Metadata', (referer, verdict) => {
  expect(readCallback({ ...fromProvider, referer })).toBe(verdict)
  expect(readCallback({ referer })).toBe(verdict)
  expect(readCallback({ referer }, {}, hostOnlyPolicy)).toBe(verdict)
})

test.each([
  ['https://social.example/', 'provider'],
  ['https://app.example/', 'app'],
])('the callback from %s is classified as coming from the %s', (referer, whose) => {
  const read = classifyRequest(incoming('/auth/callback?auth_key=K', { ...fromProvider, referer }), policy)
  expect(read).toMatchObject({ type: 'callback', authKey: 'K', fetchSite: 'cross-site', referer: whose })
})

test.each([
  ['https://social.app.example', 'same-site', 'callback K'],
  ['https://social.app.example', 'cross-site', 'callback K'],
  ['https://app.example', 'same-site', 'callback K'],
  ['https://other.example.net', 'same-site', 'callback_forged'],
  ['https://app.example', 'same-origin', 'callback K'],
  ['https://social.app.example', 'same-origin', 'callback_forged'],
])('a callback from a provider at %s with Sec-Fetch-Site %s: %s', (providerOrigin, site, verdict) => {
  // The second Host is that of an application behind a proxy that rewrites it.
  for (const host of ['app.example', 'internal.example.net:3000'])
    expect(readCallback({ ...metadata(site), host }, {}, { ...policy, providerOrigin })).toBe(verdict)
})

test.each([
  ['http://127.0.0.1:4400', 'localhost:3000', 'same-site', 'callback_forged'],
  ['http://127.0.0.1:4400', '127.0.0.1:3000', 'same-site', 'callback K'],
  ['http://127.0.0.1:4400', '10.0.0.1:3000', 'same-site', 'callback_forged'],
  ['http://[::1]:4400', '[::1]:3000', 'same-site', 'callback K'],
  ['http://[::1]:4400', '[::2]:3000', 'same-site', 'callback_forged'],
  ['http://[::ffff:127.0.0.1]:4400', '[::ffff:10.0.0.1]:3000', 'same-site', 'callback_forged'],
  ['http://localhost:4400', 'localhost:3000', 'same-site', 'callback K'],
  ['http://localhost:3000', 'localhost:3000', 'same-origin', 'callback K'],
  ['http://localhost:4400', 'a b', 'same-site', 'callback_forged'],
  ['http://social.app.corp1', 'www.app.corp1', 'same-site', 'callback K'],
  ['http://1.app.example', 'app.example', 'same-site', 'callback K'],
])('with a provider at %s an application at %s reads %s as %s', (providerOrigin, host, site, verdict) => {
  expect(readCallback({ ...metadata(site), host }, {}, { ...hostOnlyPolicy, providerOrigin })).toBe(verdict)
})

test('a callback that may be typed, or a reload of WebKit, waits for a look at its start, unless its Referer is foreign', () => {
  for (const unverifiedStart of ['confirm', 'refuse', 'allow'] as const) {
    const read = (headers: Headers): string => readCallback(headers, {}, { ...policy, unverifiedStart })
    expect(read(metadata('none'))).toBe('callback K')
    expect(read({ ...metadata('none'), referer: 'https://social.example/' })).toBe('callback K')
    expect(read({ ...metadata('none'), referer: 'https://evil.example/' })).toBe('callback_forged')
  }
})

test.each([
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'start verified', 'callback K'],
  [undefined, 'start verified', 'callback K'],
  ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'start_forbidden', 'callback_forged'],
  ['*/*', 'start_forbidden', 'callback_forged'],
  ['application/json', 'start_forbidden', 'callback_forged'],
  ['', 'start_forbidden', 'callback_forged'],
])('without Fetch Metadata, a request that accepts %j is read as %s, or as %s', (accept, start, callback) => {
  const headers = accept === undefined ? {} : { accept }
  expect(readStart({ ...headers, referer: 'https://app.example/' })).toBe(start)
  expect(readCallback(headers)).toBe(callback)
})

// WebKit requests a navigation once more for a service worker that leaves it to the browser: `same-origin`, whoever caused it.
test.each([
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'start verified', 'callback K'],
  [undefined, 'start verified', 'callback K'],
  ['*/*', 'speculative_request', 'speculative_request'],
  ['application/json', 'speculative_request', 'speculative_request'],
  ['', 'speculative_request', 'speculative_request'],
])('with Fetch Metadata, a navigation that accepts %j is read as %s, or as %s', (accept, start, callback) => {
  const headers = accept === undefined ? {} : { accept }
  expect(readStart({ ...fromApp, ...headers })).toBe(start)
  expect(readCallback({ ...fromProvider, ...headers })).toBe(callback)
})

test('with Fetch Metadata, a frame or a script that accepts a page is not a navigation', () => {
  const accept = 'text/html'
  expect(readStart({ ...fromApp, 'sec-fetch-dest': 'iframe', accept })).toBe('start_forbidden')
  expect(readCallback({ ...fromProvider, 'sec-fetch-mode': 'cors', accept })).toBe('callback_forged')
})

test.each([
  ['https://app.example', 'app.example:443', true],
  ['https://app.example:443', 'app.example', true],
  ['https://app.example:443', 'APP.example:443', true],
  ['http://app.example', 'app.example:80', true],
  ['https://app.example', 'app.example:80', false],
  ['http://app.example', 'app.example:443', false],
  ['https://app.example:8443', 'app.example:8443', true],
  ['https://app.example', 'app.example:8443', false],
  ['https://app.example:4430', 'app.example:4430', true],
  ['https://app.example:4430', 'app.example0', false],
  ['http://app.example:8080', 'app.example80', false],
  ['https://app.example@evil.example:443', 'app.example', false],
])('a page of %s is of the application at Host %s: %s', (origin, host, isOwn) => {
  const headers = { host, referer: `${origin}/page` }
  expect(readStart(headers, {}, hostOnlyPolicy)).toBe(isOwn ? 'start verified' : 'start unverified')
})
