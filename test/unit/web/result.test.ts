import { OUTCOMES, SocialLoginError } from '../../../lib'
import type { HTTPRequest } from '../../../lib/login/request/description'
import type { CallbackResult, FailureResult, SuccessResult } from '../../../lib/web'
import type { WebSettings } from '../../../lib/web/options'
import { resultOf } from '../../../lib/web/result'

const ORIGIN = 'https://app.example'
const COOKIE = '__Host-social-login=; Max-Age=0'
const HTTP: HTTPRequest = { method: 'GET', target: '/auth/callback?auth_key=secret-key', header: () => undefined }
/** What the result depends on, with the headers that a login has set so far. */
const context = () => ({ headers: begun(), http: HTTP, failureRedirect: undefined })
const PROFILE = { provider: 'social-login', id: '1' }
const INFO = { returnTo: '/inbox', assurance: { age: 1, fetchSite: null, startSite: null, tabBound: false } }
const PRIVATE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'set-cookie': COOKIE }
const SUCCESS = { ...PRIVATE, 'social-login': 'login' }
const EXPIRED = { ...PRIVATE, 'social-login': 'login_expired' }

/** The headers that a login has set so far. */
const begun = (): Headers => new Headers({ 'Set-Cookie': COOKIE })
const shown = ({ status, headers }: Response): unknown => ({ status, ...Object.fromEntries(headers) })

function success(): SuccessResult {
  const verdict = {
    user: { profile: PROFILE, accessToken: 'token', params: { access_token: 'token' } },
    info: undefined,
  }
  const action = { type: 'verdict', verdict, loginInfo: INFO }
  const result: CallbackResult = Reflect.apply(resultOf, undefined, [{ action, appOrigin: ORIGIN }, context()])
  if (result.type !== 'success') throw new Error(result.type)
  return result
}

test('a success has what the login has brought, and headers that keep it private', () => {
  const { redirect, finish, headers, ...rest } = success()
  expect(rest).toEqual({
    type: 'success',
    profile: PROFILE,
    accessToken: 'token',
    params: { access_token: 'token' },
    info: INFO,
  })
  expect(Object.fromEntries(headers)).toEqual(SUCCESS)
})

describe('redirect()', () => {
  test('leads to a path of the application, each time with the headers as they are then', () => {
    const { redirect, headers } = success()
    const first = redirect('/inbox?a=1')
    expect(shown(first)).toEqual({ ...SUCCESS, status: 302, location: `${ORIGIN}/inbox?a=1` })
    headers.append('Set-Cookie', 'sid=1')
    expect(redirect('/').headers.getSetCookie()).toStrictEqual([COOKIE, 'sid=1'])
    expect([first.headers.getSetCookie(), headers.has('location')]).toStrictEqual([[COOKIE], false])
  })

  test.each([['//evil.example'], ['https://evil.example/'], ['inbox'], [7], [undefined]])('refuses %p', (path) => {
    const { redirect } = success()
    const message = 'redirect() must be given a path of this application, such as /login'
    expect(() => Reflect.apply(redirect, undefined, [path])).toThrow(new TypeError(message))
  })
})

describe('finish()', () => {
  test('adds the cookies of the login to those of the response, and replaces its other headers', async () => {
    const { finish } = success()
    const headers = new Headers({ 'Cache-Control': 'public', 'X-Own': 'yes', 'Set-Cookie': 'sid=1' })
    const response = new Response('Welcome', { status: 201, statusText: 'Signed in', headers })
    const finished = finish(response)
    expect([finished.statusText, await finished.text()]).toStrictEqual(['Signed in', 'Welcome'])
    expect(finished.headers.getSetCookie()).toStrictEqual(['sid=1', COOKIE])
    expect(shown(finished)).toMatchObject({ status: 201, 'cache-control': 'no-store', 'x-own': 'yes' })
    expect(shown(response)).toMatchObject({ status: 201, 'cache-control': 'public', 'set-cookie': 'sid=1' })
  })

  test('takes a response of another class, such as a framework has', () => {
    const { finish } = success()
    const response = { status: 200, statusText: '', body: null, headers: new Headers({ 'X-Own': 'yes' }) }
    expect(shown(Reflect.apply(finish, undefined, [response]))).toEqual({ ...SUCCESS, status: 200, 'x-own': 'yes' })
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'Welcome'],
    ['a Request, which has no status', new Request(ORIGIN)],
    ['an answer of Node, whose headers are no Headers', { status: 200, headers: { get: 'x' } }],
    ['an object without headers', { status: 200 }],
  ])('refuses %s', (_title, response) => {
    const { finish } = success()
    expect(() => Reflect.apply(finish, undefined, [response])).toThrow(/^finish: response must be a Response, not /)
  })
})

test('a redirect to the provider is kept by no cache, and sends no Referrer-Policy', () => {
  const result = resultOf(
    { action: { type: 'redirect', url: 'https://social.example/oauth?app_id=1' }, appOrigin: ORIGIN },
    context(),
  )
  if (result.type !== 'response') throw new Error(result.type)
  const location = 'https://social.example/oauth?app_id=1'
  expect(shown(result.response)).toEqual({
    status: 302,
    location,
    'cache-control': 'no-store',
    'set-cookie': COOKIE,
    'social-login': 'start',
  })
})

test('a page is sent as it is, with the cookies of the login', async () => {
  const fallbackError = new SocialLoginError('start_forbidden', 'start')
  const response = { status: 203, headers: { 'X-Frame-Options': 'DENY' }, body: '<p>' }
  const result = resultOf(
    { action: { type: 'page', page: 'confirm', response, fallbackError }, appOrigin: ORIGIN },
    context(),
  )
  if (result.type !== 'response') throw new Error(result.type)
  expect(shown(result.response)).toMatchObject({ status: 203, 'x-frame-options': 'DENY', 'set-cookie': COOKIE })
  expect(await result.response.text()).toBe('<p>')
})

describe('a login that failed', () => {
  const failure = new SocialLoginError('login_expired', 'callback')
  const error = new SocialLoginError('provider_rate_limited', 'exchange', { retryAfter: 7 })
  const failureRedirect = ({ code, message }: { code: string; message: string }): string =>
    `/login?${new URLSearchParams({ code, message })}`

  const resultFor = (
    of: SocialLoginError,
    more: { failureRedirect?: WebSettings['failureRedirect']; appOrigin?: string | undefined } = {},
    accept?: string,
  ): FailureResult => {
    const { failureRedirect: redirect } = more
    const http = { ...HTTP, header: (name: string) => (name === 'accept' ? accept : undefined) }
    const handled = {
      action: { type: 'refused', error: of },
      appOrigin: 'appOrigin' in more ? more.appOrigin : ORIGIN,
    } as const
    const result = resultOf(handled, { ...context(), http, failureRedirect: redirect })
    if (result.type !== 'failure' && result.type !== 'error') throw new Error(result.type)
    return result
  }

  test.each([
    ['failure', failure, 403, EXPIRED],
    ['error', error, 503, { ...PRIVATE, 'retry-after': '7', 'social-login': 'provider_rate_limited' }],
  ])('is a %s with the code, the status, the message and a response', async (type, of, status, headers) => {
    const { response, ...rest } = resultFor(of, {}, 'application/json')
    const { message } = OUTCOMES[of.code]
    expect(rest).toEqual({ type, code: of.code, status, message, error: of })
    expect(shown(response)).toEqual({ ...headers, status, 'content-type': 'application/json; charset=utf-8' })
    expect(await response.json()).toMatchObject({ code: of.code, message, next: '../' })
  })

  test('leads to failureRedirect, if it is a failure', async () => {
    const { response } = resultFor(failure, { failureRedirect })
    const { code, message } = failure
    const location = ORIGIN + failureRedirect({ code, message })
    expect(shown(response)).toEqual({ ...EXPIRED, status: 302, location })
    expect(await response.text()).toBe('')
    expect(shown(resultFor(error, { failureRedirect }).response)).toMatchObject({ status: 503, 'retry-after': '7' })
  })

  test('leads to a path alone while the provider, and so the origin of the application, is unknown', () => {
    const { response } = resultFor(failure, { failureRedirect: () => '/login', appOrigin: undefined })
    expect(response.headers.get('location')).toBe('/login')
  })
})
