import { type FailureInfo, onPhaseEnd, SocialLoginError, type TracedPhase, type VerifyFunction } from '../../lib'
import { providerNavigation, sameOriginNavigation } from '../../lib/testing'
import { SocialLogin } from '../../lib/web'
import { COOKIE_KEY_CANARY, type RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { fetchRoute } from '../support/fetch-routes'
import { useLogins } from '../support/logins'
import { webStart } from '../support/web-routes'

const logins = useLogins('all tests')

/** What a login with this `returnTo` brings back, and what is told of one that was left out. */
async function logInWith(keep: 'session' | 'web', returnTo: string, strategy: object = {}) {
  const app = await logins.startApp({ keep, strategy, start: { returnTo } })
  const starts: TracedPhase[] = []
  const unsubscribe = onPhaseEnd('start', (message) => void starts.push(message))
  const answer = await app.logIn(new Browser())
  unsubscribe()
  return { returnTo: JSON.parse(answer.body).info.returnTo, dropped: starts[0]?.droppedReturnTo, app }
}

describe.each(['session', 'web'] as const)('a returnTo (%s)', (keep) => {
  test.each([
    ['/inbox?a=1#top', '/inbox?a=1#top'],
    ['https://app.example/inbox?a=1#top', '/inbox?a=1#top'],
    ['HTTPS://APP.example:443/inbox', '/inbox'],
    ['https://app.example', '/'],
  ])('that is %s, a path or a URL of the application, is the path %s', async (given, path) => {
    const callbackURL = 'https://app.example/callback'
    expect(await logInWith(keep, given, { callbackURL })).toMatchObject({ returnTo: path, dropped: undefined })
  })

  test.each([
    ['inbox', 'no slash'],
    ['?a=1', 'no slash'],
    ['https://evil.example/inbox', 'another origin'],
    ['http://app.example/inbox', 'another origin'],
    ['https://app.example.evil.example/', 'another origin'],
    ['https://app.example@evil.example/', 'another origin'],
    ['https://app.example//evil.example/', 'another origin'],
    ['//evil.example', 'another origin'],
    ['/\\evil.example', 'another origin'],
    ['javascript:alert(1)', 'another origin'],
    [`/${'a'.repeat(1024)}`, 'too long'],
    [`/${'é'.repeat(200)}`, 'too long'],
  ])('that is %s is left out, and the tracing message says why: %s', async (given, why) => {
    const callbackURL = 'https://app.example/callback'
    expect(await logInWith(keep, given, { callbackURL })).toMatchObject({ returnTo: undefined, dropped: why })
  })

  test('that is not there is not told of', async () => {
    expect(await logInWith(keep, '')).toMatchObject({ returnTo: undefined, dropped: undefined })
  })
})

test('a URL of the application is known by Host where callbackURL is only a path', async () => {
  const app = await logins.startApp({
    strategy: { callbackURL: '/callback' },
    start: { returnTo: 'http://x.example/inbox' },
  })
  const browser = new Browser({ host: 'x.example' })
  expect(JSON.parse((await app.logIn(browser)).body).info.returnTo).toBe('/inbox')
})

describe('of a failed login', () => {
  type Keep = 'session' | 'web'

  /** What Passport gave to the custom callback last. */
  let lastInfo: unknown

  /** An application that answers a callback with what it gets: by a custom callback of Passport, or from SocialLogin. */
  async function startTelling(keep: Keep, verify?: VerifyFunction): Promise<RunningApp> {
    const app: RunningApp = await logins.startApp({
      keep,
      ...(verify && { verify }),
      before: (server, passport) => {
        server.get('/auth', (req, res, next) => {
          const options = { returnTo: String(req.query['to']) }
          const login = keep === 'web' ? app.login : undefined
          const start = login ? webStart(login, options) : passport.authenticate('social-login', options)
          start(req, res, next)
        })
        const bySocialLogin = fetchRoute(async (request, req) => {
          const result = await app.login?.callback(request, { user: req.user ? 'another' : null })
          return Response.json(result)
        })
        server.get('/callback', (req, res, next) => {
          const tell = (error: unknown, _user: unknown, info?: Partial<FailureInfo>): unknown => {
            lastInfo = info
            return error ? next(error) : res.json(info)
          }
          const byPassport = passport.authenticate('social-login', tell)
          const callback = keep === 'web' ? bySocialLogin : byPassport
          callback(req, res, next)
        })
      },
    })
    return app
  }

  async function begin(app: RunningApp, to = '/inbox', browser = new Browser()): Promise<Browser> {
    expect((await browser.follow(`${app.loginURL}?to=${to}`)).status).toBe(302)
    return browser
  }

  async function told(app: RunningApp, browser: Browser, key = 'a-guess', headers: Record<string, string> = {}) {
    const { body } = await browser.comeBack(`${app.callbackURL}?auth_key=${key}`, { headers })
    const { code, returnTo, message }: Partial<FailureInfo> = JSON.parse(body)
    return { code, returnTo, message }
  }

  afterEach(() => {
    jest.restoreAllMocks()
  })

  describe.each<Keep>(['session', 'web'])('(%s)', (keep) => {
    test('the info of a failure has the returnTo of the login that the callback belongs to', async () => {
      const app = await startTelling(keep)
      const browser = await begin(app, '/first')
      await begin(app, '/second', browser)
      expect(await told(app, browser)).toMatchObject({ code: 'auth_key_rejected', returnTo: '/second' })
      expect(await told(app, await begin(app, '//evil.example'))).toMatchObject({ returnTo: undefined })
    })

    test('both callbacks of a double click get it', async () => {
      const app = await startTelling(keep)
      const browser = await begin(app)
      logins.provider.failNext('authorize', { status: 400, delay: 250 })
      const both = await Promise.all([told(app, browser), told(app, browser)])
      for (const each of both) expect(each).toMatchObject({ code: 'auth_key_rejected', returnTo: '/inbox' })
    })

    test('a callback that came too late gets it', async () => {
      const app = await startTelling(keep)
      const browser = await begin(app)
      const cookie = await browser.cookies(app.origin)
      jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 11 * 60_000)
      expect(await told(app, browser, app.newKey(), { cookie })).toMatchObject({
        code: 'login_expired',
        returnTo: '/inbox',
      })
      // That it is too late does not make a forged one genuine.
      expect(await told(app, browser, app.newKey(), { cookie, 'sec-fetch-site': 'none' })).toMatchObject({
        code: 'callback_forged',
        returnTo: undefined,
      })
    })

    test.each<[string, string, Record<string, string>]>([
      ['from a foreign page', 'callback_forged', { referer: 'https://evil.example/' }],
      ['that was typed', 'callback_forged', { 'sec-fetch-site': 'none' }],
    ])('a callback %s does not get it', async (_title, code, headers) => {
      const app = await startTelling(keep)
      expect(await told(app, await begin(app), app.newKey(), headers)).toMatchObject({ code, returnTo: undefined })
    })

    test('the callback of another user, and that of a browser without a login, do not get it', async () => {
      const app = await startTelling(keep)
      const browser = await begin(app)
      await browser.follow(`${app.origin}/become`)
      expect(await told(app, browser, app.newKey())).toMatchObject({ code: 'user_changed', returnTo: undefined })
      expect(await told(app, new Browser())).toMatchObject({ code: 'login_not_started', returnTo: undefined })
    })
  })

  test.each([
    ['without a reason', undefined, expect.any(String)],
    ['with a reason', { message: 'Not you.' }, 'Not you.'],
    ['with an error as the reason', new Error('Not you.'), 'Not you.'],
  ])('a refusal by verify %s has it', async (_title, reason, message) => {
    const app = await startTelling('session', (_accessToken, _refreshToken, _profile, done) =>
      done(null, false, reason),
    )
    const answer = await told(app, await begin(app), app.newKey())
    expect(answer).toStrictEqual({ code: undefined, returnTo: '/inbox', message })
  })

  class DisabledError extends Error {}
  class Reason {
    readonly #text = 'Not you.'
    get message(): string {
      return this.#text
    }
  }

  test.each([
    ['an error', new DisabledError('Not you.')],
    ['a frozen object with a getter', Object.freeze(new Reason())],
  ])('a refusal by verify with %s keeps its class', async (_title, reason) => {
    const app = await startTelling('session', (_accessToken, _refreshToken, _profile, done) =>
      done(null, false, reason),
    )
    await told(app, await begin(app), app.newKey())
    expect(lastInfo).toBeInstanceOf(reason.constructor)
    expect(lastInfo).toMatchObject({ message: 'Not you.', returnTo: '/inbox' })
    expect(reason).not.toHaveProperty('returnTo')
  })

  test('an error that verify throws for several logins brings each its own', async () => {
    const shared = new SocialLoginError('login_expired', 'verify')
    const app = await startTelling('session', () => Promise.reject(shared))
    const browsers = [await begin(app, '/first'), await begin(app, '/second')]
    const answers = await Promise.all(browsers.map((browser, index) => told(app, browser, app.newKey(`${index + 1}`))))
    expect(answers.map(({ returnTo }) => returnTo)).toStrictEqual(['/first', '/second'])
  })

  test('an error of SocialLogin has it, and the function failureRedirect gets it', async () => {
    const { provider } = logins
    const redirectURL = 'http://localhost/callback'
    const { appID, appSecret } = provider.registerApplication({ name: 'Web', redirectURL })
    const login = new SocialLogin({
      ...{ baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret, callbackURL: redirectURL },
      keys: [COOKIE_KEY_CANARY],
      failureRedirect: ({ returnTo }) => `/login?${new URLSearchParams({ returnTo: returnTo ?? 'none' })}`,
    })
    const fail = async (status: number) => {
      const start = new Request('http://localhost/auth', { headers: sameOriginNavigation })
      const { headers } = await login.start(start, { user: null, returnTo: '/inbox' })
      const cookie = headers.getSetCookie().join().split(';', 1).join()
      provider.failNext('authorize', { status })
      const callback = `${redirectURL}?auth_key=${provider.issueAuthKey({ appID, userID: '1' })}`
      return login.callback(new Request(callback, { headers: { ...providerNavigation, cookie } }), { user: null })
    }
    expect(await fail(503)).toMatchObject({ type: 'error', code: 'provider_unavailable', returnTo: '/inbox' })
    const failure = await fail(400)
    if (failure.type === 'success') throw new Error('it has to fail')
    expect(failure.response.headers.get('location')).toBe('http://localhost/login?returnTo=%2Finbox')
    await login.close()
  })
})
