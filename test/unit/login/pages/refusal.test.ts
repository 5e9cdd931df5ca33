import { OUTCOMES, SocialLoginError } from '../../../../lib'
import { refusalResponse, verifyRefusal } from '../../../../lib/login/pages/refusal'
import { hashesIn } from '../../../support/pages'

const { message } = OUTCOMES.login_expired
const expired = new SocialLoginError('login_expired', 'callback')
const begun = Object.assign(new SocialLoginError('login_expired', 'callback'), { startPath: '/auth/start?a="&b=1' })
const limited = new SocialLoginError('provider_rate_limited', 'exchange', { retryAfter: 7 })
const refused = verifyRefusal('Ask <b>Ada</b> & Co')
const PERSON = 'That took too long. Please sign in again.'
const PRIVATE = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }

/** What the response says in JSON. */
const told = (...[error, path]: Parameters<typeof refusalResponse>): unknown =>
  JSON.parse(refusalResponse(error, path, 'application/json').body)

/** The kind of the response, which login/bare-refusal.test.ts reads. */
test.each([
  ...['application/json', 'Application/JSON', 'application/problem+json, */*'].map((accept) => [
    accept,
    'application/json',
  ]),
  ...[undefined, '', '*/*', 'application/jsonx', 'application/xjson'].map((accept) => [accept, 'text/plain']),
  ['application/json, text/html', 'text/html'],
])('for a request that accepts %j, it is %s', (accept, type) => {
  const { status, headers } = refusalResponse(expired, '/auth/callback', accept)
  expect([status, headers['Content-Type']]).toStrictEqual([403, `${type}; charset=utf-8`])
  expect(headers).toMatchObject({ ...PRIVATE, 'Social-Login': 'login_expired' })
})

test('as text, and as a page, it says what to do, where to go on, and for the operator why', () => {
  const [text, page] = ['*/*', 'text/html'].map((accept) => refusalResponse(expired, '/auth/callback', accept).body)
  expect(text).toBe(
    `Signing in did not succeed. ${PERSON}\nGo on at: ../\n\nFor the operator: ${message} (login_expired)\n`,
  )
  expect(page).toContain(`<h1>Signing in did not succeed</h1>\n<p>${PERSON}</p>`)
  expect(page).toContain('<p>Code: <code>login_expired</code></p>')
  expect(page).toContain(`<p>${message}</p>`)
})

test.each([
  ['an error', limited, { ...PRIVATE, 'Retry-After': '7', 'Social-Login': 'provider_rate_limited' }],
  ['a refusal of the verify function', refused, PRIVATE],
])(
  'the page of %s runs the guard only, has no form, is never framed or kept, and sends no Referer',
  (_title, error, own) => {
    const { headers, body } = refusalResponse(error, '/callback', 'text/html')
    const { styles, scripts } = hashesIn(body)
    expect(headers).toEqual({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src ${styles}; img-src data:; script-src ${scripts}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'X-Frame-Options': 'DENY',
      'X-Content-Type-Options': 'nosniff',
      ...own,
    })
  },
)

test('text of the application, the path of the start and the message are escaped on a page', () => {
  const { status, body } = refusalResponse(refused, '/callback', 'text/html')
  expect([status, body]).toStrictEqual([401, expect.stringContaining('<p>Ask &lt;b&gt;Ada&lt;/b&gt; &amp; Co</p>')])
  expect(refusalResponse(begun, '/auth/callback', 'text/html').body).toContain(
    '<a href="./start?a=&quot;&amp;b=1" hidden>',
  )
  const error = new SocialLoginError('start_forbidden', 'start', { hint: '<i>"' })
  expect(refusalResponse(error, '/auth', 'text/html').body).toContain('&lt;i&gt;&quot;</p>')
})

test('a refusal as JSON leaves no header behind for the page that follows', () => {
  refusalResponse(refused, '/callback', 'application/json')
  const { headers } = refusalResponse(refused, '/callback', 'text/html')
  expect(headers['Content-Type']).toBe('text/html; charset=utf-8')
})

test.each([
  ['to the start, where it is known', begun, './start?a=&quot;&amp;b=1', 'Sign in'],
  ['to the first page otherwise', expired, '../', 'Go to the first page'],
  ['to the first page after a refusal of the verify function', refused, '../', 'Go to the first page'],
])('a page leads on %s', (_title, error, href, label) => {
  const { body } = refusalResponse(error, '/auth/callback', 'text/html')
  const inert = `<span class="inert" aria-hidden="true" hidden>${label}</span>`
  expect(body).toContain(`<span class="action">${inert}<a href="${href}" hidden>${label}</a></span>`)
})

test.each([
  ['login_expired', PERSON],
  ['user_changed', 'Someone has signed in or out in this browser in the meantime, perhaps in another tab.'],
  ['tab_mismatch', 'Please sign in again, and stay in one tab.'],
  ['provider_unknown', 'There is nothing at this address to sign in with.'],
  ['overloaded', 'Too many people are signing in at the moment. Please reload this page in a minute.'],
  ['provider_rate_limited', 'Too many people are signing in at the moment. Please try again later.'],
  ['start_forbidden', 'Please try to sign in again.'],
  ['provider_unavailable', 'Signing in is not possible at the moment. Please try again later.'],
] as const)('%s is told to the person as %j', (code, title) => {
  expect(told(new SocialLoginError(code, 'callback'), '/callback')).toMatchObject({ title, code, next: './' })
})

test.each([
  ['Ask Ada', 'Ask Ada'],
  [7, 'This application did not accept the account that you signed in with.'],
  [undefined, 'This application did not accept the account that you signed in with.'],
])('of %p, with which the verify function refused, the person reads %j', (reason, title) => {
  const refusal = verifyRefusal(reason)
  const message = 'The verify function did not accept the user.'
  expect(refusal).toEqual({ code: 'verify_refused', status: 401, message, title })
  expect(told(refusal, '/callback')).toEqual({ code: 'verify_refused', message, title, next: './' })
})
