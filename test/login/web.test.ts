import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { CookieStore, OUTCOMES, onPhaseEnd, type Phase, Strategy } from '../../lib'
import { type FakeProvider, sameOriginNavigation } from '../../lib/testing'
import {
  type CallbackResult,
  type PendingLogin,
  type PendingLoginStore,
  SocialLogin,
  type SocialLoginOptions,
  type SuccessResult,
  type UserID,
} from '../../lib/web'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'
import { thrownBy } from '../support/outcomes'
import { WebBrowser } from '../support/web-browser'

const ORIGIN = 'https://app.example'
const PHASES: readonly Phase[] = ['start', 'callback', 'exchange', 'profile', 'verify']
const KEY = 'cookie-key-1f0b6d2c9a8e473572-65d1'

const logins = useLogins('all tests')
afterEach(() => jest.restoreAllMocks())

let required: Pick<SocialLoginOptions, 'baseURL' | 'clientID' | 'clientSecret' | 'callbackURL'>

beforeEach(() => {
  const { provider } = logins
  const callbackURL = `${ORIGIN}/auth/callback`
  const { appID, appSecret } = provider.registerApplication({ name: 'Web', redirectURL: callbackURL })
  required = { baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret, callbackURL }
})

type More = Partial<Omit<SocialLoginOptions, 'keys' | 'store'>>

function newLogin(more: More = {}): SocialLogin {
  const login = new SocialLogin({ ...required, keys: [KEY], ...more })
  logins.stopLater({ stop: () => login.close() })
  return login
}

function withStore(store: PendingLoginStore<Request>): SocialLogin {
  const login = new SocialLogin({ ...required, store })
  logins.stopLater({ stop: () => login.close() })
  return login
}

const keyOf = (provider: FakeProvider, userID = '1'): string =>
  provider.issueAuthKey({ appID: required.clientID, userID })

const start = (login: SocialLogin, browser: WebBrowser, user: UserID = null): Promise<Response> =>
  browser.send('/auth', 'same-origin', (request) => login.start(request, { user, returnTo: '/inbox', state: 7 }))

async function callback(
  login: SocialLogin,
  browser: WebBrowser,
  user: UserID = null,
  { key = keyOf(logins.provider), callbackURL }: { readonly key?: string; readonly callbackURL?: string } = {},
): Promise<CallbackResult> {
  let result: CallbackResult | undefined
  const { pathname } = new URL(callbackURL ?? required.callbackURL)
  await browser.send(`${pathname}?auth_key=${key}`, 'cross-site', async (request) => {
    result = await login.callback(request, { user, callbackURL })
    return result.type === 'success' ? new Response(null, { headers: result.headers }) : result.response
  })
  if (!result) throw new Error('the callback has no result')
  return result
}

async function successOf(login: SocialLogin, browser: WebBrowser): Promise<SuccessResult> {
  const result = await callback(login, browser)
  if (result.type !== 'success') throw new Error(result.type)
  return result
}

/** A whole login. */
async function succeed(): Promise<SuccessResult> {
  const [login, browser] = [newLogin(), new WebBrowser(ORIGIN)]
  await start(login, browser)
  return successOf(login, browser)
}

describe('a login from Request to Response', () => {
  test('is a redirect to the provider, then a result with the profile, the token and the headers', async () => {
    const [login, browser] = [newLogin(), new WebBrowser(ORIGIN)]
    const started = await start(login, browser)
    expect([started.status, started.headers.get('location')]).toStrictEqual([
      302,
      `${logins.provider.oauthBase}/oauth?app_id=${required.clientID}`,
    ])
    expect(started.headers.get('cache-control')).toBe('no-store')
    // With one, Firefox would call a silent approval typed.
    expect(started.headers.has('referrer-policy')).toBe(false)
    expect(started.headers.getSetCookie()).toStrictEqual([
      expect.stringMatching(/^__Host-social-login=\S+; Max-Age=660; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ])
    const { profile, accessToken, params, info, headers } = await successOf(login, browser)
    expect([profile.id, profile.provider, profile.displayName]).toStrictEqual(['1', 'social-login', 'Ada Lovelace'])
    expect(params.access_token).toBe(accessToken)
    expect(info).toEqual({
      returnTo: '/inbox',
      state: 7,
      assurance: expect.objectContaining({ fetchSite: 'cross-site', startSite: 'same-origin', tabBound: false }),
    })
    expect(Object.fromEntries(headers)).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    expect(browser.cookie).toBe('')
  })

  test('tells the same phases to diagnostics as a login with the strategy', async () => {
    const app = await logins.startApp()
    const ended = async (work: () => Promise<unknown>): Promise<string[]> => {
      const told: string[] = []
      const unsubscribe = PHASES.map((phase) =>
        onPhaseEnd(phase, ({ code = 'ok' }) => void told.push(`${phase} ${code}`)),
      )
      await work()
      for (const stop of unsubscribe) stop()
      return told
    }
    const byWeb = await ended(succeed)
    expect(byWeb).toHaveLength(5)
    expect(byWeb).toEqual(await ended(() => app.logIn()))
  })

  test('loads nothing of Passport', () => {
    const program = `
      require(${JSON.stringify(join(__dirname, '../../lib/web'))})
      console.log(Object.keys(require.cache).filter((file) => /passport-oauth2|express/.test(file)).length)`
    expect(spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' }).stdout.trim()).toBe('0')
  })
})

describe('a success is finished', () => {
  const ENDED = ['__Host-social-login=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax']

  test('by redirect(), with the headers of the login and those that the application has added', async () => {
    const { headers, redirect } = await succeed()
    headers.append('Set-Cookie', 'sid=1; HttpOnly')
    const { status, headers: sent } = redirect('/café?to=1')
    expect([status, sent.get('location'), sent.getSetCookie()]).toStrictEqual([
      302,
      `${ORIGIN}/caf%C3%A9?to=1`,
      [...ENDED, 'sid=1; HttpOnly'],
    ])
    expect([sent.get('cache-control'), sent.get('referrer-policy')]).toStrictEqual(['no-store', 'no-referrer'])
  })

  test.each([
    ...['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)', '', 'inbox', 7],
    undefined,
  ])('redirect() refuses %j, which is no path of the application', async (location) => {
    const { redirect } = await succeed()
    const error = thrownBy(() => Reflect.apply(redirect, undefined, [location]))
    expect(String(error)).toMatch(/^TypeError: redirect\(\) must be given a path of this application/)
  })

  test('by finish(), which keeps the response and every cookie of both', async () => {
    const { finish } = await succeed()
    const headers = new Headers({ 'Cache-Control': 'public', 'Content-Type': 'text/plain', 'X-Own': 'yes' })
    headers.append('Set-Cookie', 'sid=1; HttpOnly')
    headers.append('Set-Cookie', 'theme=dark')
    const finished = finish(new Response('Welcome', { status: 201, statusText: 'Signed in', headers }))
    expect([finished.status, finished.statusText, await finished.text()]).toStrictEqual([201, 'Signed in', 'Welcome'])
    expect(finished.headers.getSetCookie()).toStrictEqual(['sid=1; HttpOnly', 'theme=dark', ...ENDED])
    expect(Object.fromEntries(finished.headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/plain',
      'referrer-policy': 'no-referrer',
      'x-own': 'yes',
    })
  })

  test('by finish(), of a response whose own headers cannot be changed', async () => {
    const { finish, redirect } = await succeed()
    redirect('/elsewhere')
    const finished = finish(Response.redirect('https://other.example/', 303))
    expect([finished.status, finished.headers.get('location')]).toStrictEqual([303, 'https://other.example/'])
    expect(finished.headers.getSetCookie()).toEqual(ENDED)
    expect(finish(new Response()).headers.has('location')).toBe(false)
  })

  test('by finish(), of a response of another class, such as a framework has', async () => {
    const { finish } = await succeed()
    const response = { status: 200, statusText: '', body: null, headers: new Headers({ 'X-Own': 'yes' }) }
    const { headers } = Reflect.apply(finish, undefined, [response])
    expect([headers.get('x-own'), headers.getSetCookie()]).toStrictEqual(['yes', ENDED])
  })

  test.each([
    ...[undefined, null, 'Welcome', { status: 200 }, { status: 200, headers: { get: 'x' } }],
    // It has headers, and no status.
    new Request(ORIGIN),
  ])('finish() refuses %p, which is no response', async (response) => {
    const { finish } = await succeed()
    const error = thrownBy(() => Reflect.apply(finish, undefined, [response]))
    expect(String(error)).toMatch(/^TypeError: finish: response must be a Response, not /)
  })

  test('by finish(), but not of a response that cannot be sent', async () => {
    const { finish } = await succeed()
    const message = 'finish() must be given a response that can be sent, with a status from 200 on'
    expect(() => finish(Response.error())).toThrow(new TypeError(message))
  })
})

describe('a login that fails', () => {
  test('is a failure with code, status, message and a plain page', async () => {
    const result = await callback(newLogin(), new WebBrowser(ORIGIN))
    if (result.type !== 'failure') throw new Error(result.type)
    const { status, message } = OUTCOMES.login_not_started
    expect([result.code, result.status]).toStrictEqual(['login_not_started', status])
    expect(result.message).toMatch(new RegExp(`^${message} The browser sent no cookie at all`))
    expect([result.response.status, result.response.headers.get('referrer-policy')]).toStrictEqual([
      status,
      'no-referrer',
    ])
    expect(await result.response.text()).toContain(`<p>${result.message}</p>`)
  })

  test.each([
    ['a path', '/login?why=é', '/login?why=%C3%A9'],
    [
      'a function of code and message',
      ({ code }: { code: string }) => `/login?error=${code}`,
      '/login?error=login_not_started',
    ],
  ])('leads to failureRedirect: %s', async (_title, failureRedirect, location) => {
    const result = await callback(newLogin({ failureRedirect }), new WebBrowser(ORIGIN))
    if (result.type !== 'failure') throw new Error(result.type)
    const { status, headers } = result.response
    expect([status, headers.get('location')]).toStrictEqual([302, ORIGIN + location])
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toStrictEqual(['no-store', 'no-referrer'])
  })

  test('is an error where the operator must act, which failureRedirect does not hide', async () => {
    const [login, browser] = [newLogin({ failureRedirect: '/login' }), new WebBrowser(ORIGIN)]
    logins.provider.failNext('authorize', { status: 429 })
    await start(login, browser)
    const result = await callback(login, browser)
    if (result.type !== 'error') throw new Error(result.type)
    expect([result.code, result.response.status]).toStrictEqual(['provider_rate_limited', 503])
  })

  test('at the start is a response, too', async () => {
    const login = newLogin({ unverifiedStart: 'refuse', failureRedirect: ({ code }) => `/?${code}` })
    const refused = await new WebBrowser(ORIGIN).send('/auth', 'cross-site', (request) =>
      login.start(request, { user: null }),
    )
    expect([refused.status, refused.headers.get('location')]).toStrictEqual([302, `${ORIGIN}/?start_forbidden`])
  })

  test('rejects with a TypeError if failureRedirect returns anything but a local path', async () => {
    const login = newLogin({ failureRedirect: () => '//evil.example/' })
    await expect(callback(login, new WebBrowser(ORIGIN))).rejects.toThrow(/^failureRedirect must be a path/)
  })

  test('rejects with a TypeError, and leaves no promise unhandled, if failureRedirect is an async function that throws', async () => {
    const unhandled = jest.fn()
    process.on('unhandledRejection', unhandled)
    const failureRedirect = async (): Promise<string> => {
      throw new Error('no database')
    }
    // As plain JavaScript can: the types refuse it.
    const login: SocialLogin = Reflect.construct(SocialLogin, [{ ...required, keys: [KEY], failureRedirect }])
    logins.stopLater({ stop: () => login.close() })
    await expect(callback(login, new WebBrowser(ORIGIN))).rejects.toThrow(/^failureRedirect must be a path/)
    await new Promise(setImmediate)
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})

test.each<[before: UserID, after: UserID, isSame: boolean]>([
  ['ada', 'eve', false],
  [1, '1', false],
  [1n, 1, false],
  [null, 'ada', false],
  ['ada', undefined, false],
  ['ada', 'ada', true],
  [0, 0, true],
  [null, '', true],
  ['', undefined, true],
  [null, false, true],
])('the user %p at the start and %p at the callback is the same: %p', async (before, after, isSame) => {
  const [login, browser] = [newLogin(), new WebBrowser(ORIGIN)]
  await start(login, browser, before)
  const expected = isSame ? { type: 'success' } : { type: 'failure', code: 'user_changed' }
  expect(await callback(login, browser, after)).toMatchObject(expected)
  expect(logins.exchanges()).toBe(isSame ? 1 : 0)
})

describe('behind a proxy', () => {
  test('the application’s origin is that of callbackURL, whatever the request says', async () => {
    const login = newLogin()
    const from = (referer: string): Promise<Response> =>
      login.start(
        new Request('http://10.0.0.7:8080/auth', {
          headers: { referer, host: 'evil.example', 'x-forwarded-host': 'evil.example' },
        }),
        { user: null },
      )
    expect((await from(`${ORIGIN}/`)).status).toBe(302)
    expect((await from('https://evil.example/')).status).toBe(200)
    expect((await from('http://10.0.0.7:8080/')).status).toBe(200)
  })

  test('the link of the confirm page is relative: it keeps a prefix that the proxy strips', async () => {
    const page = await newLogin().start(new Request('http://10.0.0.7:8080/auth?next=%2Finbox&b=1'), { user: null })
    expect(await page.text()).toContain('<a href="./auth?next=%2Finbox&amp;b=1&amp;social_login_confirmed=1"')
  })

  test('on plain http beyond loopback, which must be allowed, the cookie lacks __Host- and Secure', async () => {
    const plain = { callbackURL: 'http://app.example/auth/callback', allowInsecureHTTP: true }
    const [login, browser] = [newLogin(plain), new WebBrowser(ORIGIN)]
    const [line] = (await start(login, browser)).headers.getSetCookie()
    expect(line).toMatch(/^social-login=\S+; Max-Age=660; Path=\/; HttpOnly; SameSite=Lax$/)
    const secure = newLogin({ allowInsecureHTTP: true })
    expect((await start(secure, new WebBrowser(ORIGIN))).headers.getSetCookie()[0]).toMatch(/^__Host-.* Secure;/)
  })
})

test('the sealed cookie is that of CookieStore: a login begun with the strategy ends here', async () => {
  const store = new CookieStore({ keys: [KEY] })
  const app = await logins.startApp({
    newStrategy: () => new Strategy({ ...required, store }, () => false),
  })
  const { headers } = await new Browser().follow(app.loginURL)
  const browser = new WebBrowser(ORIGIN, String(headers['set-cookie']))
  expect(browser.cookie).toContain('__Host-social-login=')
  expect((await callback(newLogin(), browser)).type).toBe('success')
})

describe('a store over Request', () => {
  class SessionRows implements PendingLoginStore<Request> {
    readonly rows = new Map<string, PendingLogin>()
    isAway = false

    async save(request: Request, record: PendingLogin): Promise<void> {
      this.rows.set(this.#session(request), record)
    }
    async load(request: Request): Promise<PendingLogin | undefined> {
      return this.rows.get(this.#session(request))
    }
    async consume(request: Request): Promise<void> {
      this.rows.delete(this.#session(request))
    }
    #session(request: Request): string {
      if (this.isAway) throw new Error('redis://user:password@db is away')
      return request.headers.get('cookie') ?? ''
    }
  }

  const withSession = (): WebBrowser => new WebBrowser(ORIGIN, 'sid=4711')

  test('keeps the login, and no cookie is set', async () => {
    const store = new SessionRows()
    const [login, browser] = [withStore(store), withSession()]
    expect((await start(login, browser)).headers.getSetCookie()).toStrictEqual([])
    expect(store.rows.size).toBe(1)
    const { headers } = await successOf(login, browser)
    expect([store.rows.size, headers.getSetCookie()]).toStrictEqual([0, []])
  })

  test('that fails is session_unavailable, without its text', async () => {
    const store = new SessionRows()
    const [login, browser] = [withStore(store), withSession()]
    store.isAway = true
    const answer = await start(login, browser)
    expect([answer.status, answer.headers.get('retry-after')]).toStrictEqual([503, '5'])
    expect(await answer.text()).not.toContain('redis')
    expect(await callback(login, browser)).toMatchObject({ type: 'error', code: 'session_unavailable' })
    await expect(login.pendingLogin(new Request(ORIGIN), { user: null })).rejects.toThrow('could not be stored or read')
  })
})

test('tabBinding asks the tab for its secret, at the start and at the callback', async () => {
  const [login, browser] = [newLogin({ tabBinding: true }), new WebBrowser(ORIGIN)]
  const secret = 'social_login_tab=0123456789abcdef0123456789abcdef'
  const startPage = await start(login, browser)
  expect([startPage.status, await startPage.text()]).toStrictEqual([
    200,
    expect.stringContaining('sessionStorage.setItem'),
  ])
  const started = await browser.send(`/auth?${secret}`, 'same-origin', (request) =>
    login.start(request, { user: null }),
  )
  expect(started.status).toBe(302)
  const key = keyOf(logins.provider)
  const page = await callback(login, browser, null, { key })
  if (page.type !== 'response') throw new Error(page.type)
  expect(await page.response.text()).toContain('sessionStorage.getItem')
  const headers = { ...sameOriginNavigation, cookie: browser.cookie, origin: ORIGIN }
  const url = `${ORIGIN}/auth/callback?auth_key=${key}&${secret}`
  const result = await login.callback(new Request(url, { method: 'POST', headers }), { user: null })
  expect(result).toMatchObject({ type: 'success', info: { assurance: { tabBound: true } } })
})

test('pendingLogin tells a login page what has begun, to its user only', async () => {
  const [login, browser] = [newLogin(), new WebBrowser(ORIGIN)]
  const pending = (user: UserID) =>
    login.pendingLogin(new Request(ORIGIN, { headers: { cookie: browser.cookie } }), { user })
  expect(await pending('ada')).toBeUndefined()
  await start(login, browser, 'ada')
  expect(await pending('ada')).toMatchObject({ returnTo: '/inbox' })
  expect(await pending('eve')).toBeUndefined()
  await callback(login, browser, 'ada')
  expect(await pending('ada')).toBeUndefined()
})

test('a callbackURL of one request is needed at both ends', async () => {
  const [login, browser] = [newLogin(), new WebBrowser(ORIGIN)]
  const callbackURL = 'https://app.example/link/callback'
  await browser.send('/link', 'same-origin', (request) => login.start(request, { user: 'ada', callbackURL }))
  expect(await callback(login, browser, 'ada')).toMatchObject({ code: 'context_mismatch' })
  expect((await callback(login, browser, 'ada', { callbackURL })).type).toBe('success')
})

describe('a programming error', () => {
  test('is a callback given to start()', async () => {
    const [login, browser] = [newLogin(), new WebBrowser(ORIGIN)]
    await start(login, browser)
    const given = browser.send(`/auth/callback?auth_key=${keyOf(logins.provider)}`, 'cross-site', (request) =>
      login.start(request, { user: null }),
    )
    await expect(given).rejects.toThrow(new TypeError('start() was given a callback: give it to callback() instead'))
  })

  test('of confirmPage rejects with that error', async () => {
    const error = new Error('my template is broken')
    const login = newLogin({
      confirmPage: () => {
        throw error
      },
    })
    await expect(login.start(new Request(`${ORIGIN}/auth`), { user: null })).rejects.toBe(error)
  })
})
