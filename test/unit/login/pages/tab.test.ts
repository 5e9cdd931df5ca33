import { removeTabSecret, tabCallbackPage, tabStartPage } from '../../../../lib/login/pages/tab'
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
import { hashesIn } from '../../../support/pages'

const SECRET = '0123456789abcdef0123456789abcdef'
const bound: OriginPolicy = { ...policy, tabBinding: true }

const start = (query: string, given = bound) => classifyRequest(incoming(`/login${query}`, fromApp), given)
const callback = (query: string, headers: Headers, method: string, given = bound) =>
  classifyRequest(incoming(`/auth/callback${query}`, headers, { method }), given)

test.each([
  [`?social_login_tab=${SECRET}`, SECRET],
  [`?x=1&social_login_tab=${SECRET}`, SECRET],
  ['', undefined],
  ['?social_login_tab=', undefined],
  ['?social_login_tab=a', undefined],
  [`?social_login_tab=${SECRET}0`, undefined],
  [`?social_login_tab=0${SECRET}`, undefined],
  [`?social_login_tab=${SECRET.toUpperCase()}`, undefined],
  [`?social_login_tab=${'g'.repeat(32)}`, undefined],
  [`?social_login_tab=${SECRET}&social_login_tab=${SECRET}`, undefined],
])('a start with the query %j has the tab secret %j', (query, tabSecret) => {
  expect(start(query)).toMatchObject({ type: 'start' })
  expect(start(query)).toHaveProperty('tabSecret', tabSecret)
})

const PROVIDER = 'https://social.example'

test.each([
  ['of a start', tabStartPage('/auth/start?a="&b=1', 'GET', PROVIDER), 'get', './start?a=&quot;&amp;b=1'],
  ['of a start by POST', tabStartPage('/auth/start', 'POST', PROVIDER), 'post', './start'],
  ['of a callback', tabCallbackPage('a&"b', PROVIDER), 'post', '?auth_key=a%26%22b'],
])(
  'the page of the tab %s sends its form there only, by its own script, and is never framed or kept',
  (_title, page, method, action) => {
    expect(page.status).toBe(200)
    expect(page.body).toContain('<title>Signing in</title>')
    expect(page.body).toContain(`</noscript>\n<form method="${method}" action="${action}"></form>\n</main>\n<script>`)
    const { styles, scripts } = hashesIn(page.body)
    expect(scripts.split(' ')).toHaveLength(2)
    expect(page.headers).toMatchObject({
      'Content-Security-Policy': `default-src 'none'; style-src ${styles}; img-src data:; script-src ${scripts}; form-action 'self' ${PROVIDER}; base-uri 'none'; frame-ancestors 'none'`,
      'X-Frame-Options': 'DENY',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'same-origin',
    })
  },
)

test('the secret of the tab is removed from a query, which otherwise stays as it is written', () => {
  const query = new URLSearchParams(`a=1&social_login_tab=${SECRET}&social_login_tab=x&b=2`)
  removeTabSecret(query)
  expect(String(query)).toBe('a=1&b=2')
  const url = new URL('https://app.example/auth?a=%20')
  removeTabSecret(url.searchParams)
  expect(url.search).toBe('?a=%20')
})

test('a callback from the tab is a POST of the application’s own page, and only with tabBinding', () => {
  const query = `?auth_key=K&social_login_tab=${SECRET}`
  expect(callback(query, fromApp, 'POST')).toMatchObject({ type: 'callback', tabSecret: SECRET })
  expect(verdictOf(callback(query, fromProvider, 'POST'))).toBe('callback_forged')
  // WebKit says `cross-site` of a form that a reload sends again.
  expect(verdictOf(callback(query, { ...fromProvider, origin: 'https://app.example' }, 'POST'))).toBe('callback K')
  expect(verdictOf(callback(query, { ...fromProvider, origin: 'https://evil.example' }, 'POST'))).toBe(
    'callback_forged',
  )
  expect(verdictOf(callback(query, { ...fromProvider, origin: 'null' }, 'POST'))).toBe('callback_forged')
  for (const odd of [{ 'sec-fetch-mode': 'cors' }, { 'sec-fetch-dest': 'iframe' }, { 'sec-fetch-dest': 'empty' }])
    expect(verdictOf(callback(query, { ...fromApp, ...odd }, 'POST'))).toBe('callback_forged')
  expect(verdictOf(callback(query, fromApp, 'POST', policy))).toBe('method_not_allowed')
  expect(verdictOf(callback('?auth_key=K', fromApp, 'POST'))).toBe('method_not_allowed')
  expect(verdictOf(callback(query, fromApp, 'PUT'))).toBe('method_not_allowed')
  expect(verdictOf(callback(query, fromApp, 'GET'))).toBe('callback_forged')
})

test('a tab without a stored secret sends an empty one, and the first callback sends none', () => {
  expect(callback('?auth_key=K&social_login_tab=', fromApp, 'POST')).toHaveProperty('tabSecret', '')
  expect(callback(`?auth_key=K&social_login_tab=a&social_login_tab=b`, fromApp, 'POST')).toHaveProperty('tabSecret', '')
  expect(callback('?auth_key=K', fromProvider, 'GET')).toHaveProperty('tabSecret', undefined)
  expect(callback(`?auth_key=K&social_login_tab=${SECRET}`, fromProvider, 'GET')).toHaveProperty('tabSecret', undefined)
})

test('a refusal has a phase, and a hint if it shows a cause', () => {
  const refused = (method: string, headers: Headers) => classifyRequest(incoming('/login', headers, { method }), policy)
  expect(refused('PUT', fromApp)).toEqual({ type: 'refused', code: 'method_not_allowed', phase: 'start' })
  const framed = { ...fromApp, 'sec-fetch-dest': 'iframe' }
  const hint = expect.stringContaining('for a frame')
  expect(refused('GET', framed)).toEqual({ type: 'refused', code: 'start_forbidden', phase: 'start', hint })
  expect(callback('', fromProvider, 'GET')).toHaveProperty('hint', undefined)
})

test('a callback without Referer, or with an empty one, has none', () => {
  for (const headers of [fromProvider, { ...fromProvider, referer: '' }]) {
    expect(callback('?auth_key=K', headers, 'GET')).toHaveProperty('referer', 'absent')
  }
})

test('a callback of no site waits for a look at its start, but no other value does', () => {
  const allowing: OriginPolicy = { ...policy, unverifiedStart: 'allow' }
  const from = (site: string) =>
    verdictOf(callback('?auth_key=K', { ...fromProvider, 'sec-fetch-site': site }, 'GET', allowing))
  expect([from('none'), from('bogus'), from('')]).toStrictEqual(['callback K', 'callback_forged', 'callback_forged'])
})

test.each([
  ['a.login.host2', 'b.login.host2', 'callback K'],
  ['1.login.example', '2.login.example', 'callback K'],
  ['10.0.0.1', '9.0.0.1', 'callback_forged'],
  ['[::1]', 'app.example', 'callback_forged'],
  ['login.example', 'log.inexample', 'callback_forged'],
])('the hosts %s and %s on one site: %s', (provider, app, verdict) => {
  const given: OriginPolicy = { ...policy, providerOrigin: `https://${provider}`, appOrigin: `https://${app}` }
  expect(verdictOf(callback('?auth_key=K', { ...fromProvider, 'sec-fetch-site': 'same-site' }, 'GET', given))).toBe(
    verdict,
  )
})

test('headers that came twice are read as one list, and a missing URL as the root', () => {
  const twice = Object.assign(incoming('/login', fromApp), {})
  Object.assign(twice.headers, { 'sec-fetch-site': ['same-origin', 'same-origin'] })
  expect(verdictOf(classifyRequest(twice, policy))).toBe('start unverified')
  Object.assign(twice.headers, { 'sec-fetch-site': ['', 'same-origin'] })
  expect(verdictOf(classifyRequest(twice, policy))).toBe('start unverified')
  expect(classifyRequest(incoming('/', fromApp, { url: undefined }), policy)).toHaveProperty('path', '/')
  expect(classifyRequest(incoming('http://app.example/login?x=1', fromApp), policy)).toHaveProperty(
    'path',
    '/login?x=1',
  )
  expect(classifyRequest(incoming('/a//b', fromApp), policy)).toHaveProperty('path', '/a//b')
})
