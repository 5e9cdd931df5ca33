import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { except } from 'hono/combine'
import { cors } from 'hono/cors'
import { languageDetector } from 'hono/language'
import { secureHeaders } from 'hono/secure-headers'
import { FakeProvider } from '../../lib/testing'
import { type Profile, SocialLogin, type SocialLoginOptions } from '../../lib/web'
import { useLogins } from '../support/logins'
import { WebBrowser } from '../support/web-browser'
import { linking, ownHeaders, type Question, quickStart, reasons, type Sessions } from './docs/web'

/** The code of docs/web.md. */
describe('guides for Request and Response', () => {
  const ORIGIN = 'https://app.example'
  const LOGIN_COOKIE_KEY = 'cookie-key-canary-d41c8f21a9e04b7c'
  const logins = useLogins()

  const registration = (redirectURL: string) => {
    const { provider } = logins
    const { appID, appSecret } = provider.registerApplication({ name: 'Web', redirectURL })
    return { baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret, LOGIN_COOKIE_KEY }
  }
  const newKey = (appID: string): string => logins.provider.issueAuthKey({ appID, userID: '1' })
  const sessions: Sessions = {
    userOf: async (c: Context) => /\bsid=(\w+)/.exec(c.req.header('cookie') ?? '')?.[1],
    signIn: async (c: Context, profile: Profile) =>
      c.header('Set-Cookie', `sid=${profile.id}; Path=/`, { append: true }),
  }

  const within = (base: string, ...middleware: MiddlewareHandler[]) => {
    return (app: Hono): Hono => new Hono().use(...middleware).route(base, app)
  }
  const languages = languageDetector({ supportedLanguages: ['en', 'de'], fallbackLanguage: 'en' })

  test.each([
    ['as it stands', '', (app: Hono) => app],
    ['below a base path, behind cors()', '/app', within('/app', cors())],
    ['behind languageDetector(), which sets a cookie', '/', within('/', languages)],
    ['behind both, which touch the response first', '/', within('/', cors(), languages)],
  ])('the whole file runs %s: it signs in, and says who it is', async (_how, path, mount) => {
    const base = path === '/' ? '' : path
    const { LOGIN_COOKIE_KEY: key, ...registered } = registration(`${ORIGIN}${base}/auth/callback`)
    const variables = {
      SOCIAL_BASE_URL: registered.baseURL,
      SOCIAL_CLIENT_ID: registered.clientID,
      SOCIAL_CLIENT_SECRET: registered.clientSecret,
      SOCIAL_CALLBACK_URL: `${ORIGIN}${base}/auth/callback`,
      LOGIN_COOKIE_KEY: key,
      SESSION_SECRET: 'session-secret-of-the-whole-file',
    }
    const environment = jest.replaceProperty(process, 'env', { ...process.env, ...variables })
    jest.resetModules()
    const { default: own }: typeof import('./docs/web-app') = require('./docs/web-app')
    const app = mount(own)
    environment.restore()
    const browser = new WebBrowser(ORIGIN)
    const get = (path: string, site: 'same-origin' | 'cross-site' = 'same-origin'): Promise<Response> =>
      browser.send((base + path).replace(/(.)\/$/, '$1'), site, async (request) => app.fetch(request))
    expect(await (await get('/')).text()).toBe('<a href="/auth">Sign in</a>')
    expect((await get('/auth?next=/inbox')).status).toBe(302)
    expect(browser.cookie).toMatch(/\b__Host-social-login=/)
    const callback = `/auth/callback?auth_key=${newKey(registered.clientID)}`
    const answer = await get(callback, 'cross-site')
    expect([answer.status, answer.headers.get('location')]).toStrictEqual([302, `${ORIGIN}/inbox`])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.getSetCookie().join()).toContain('__Host-social-login=;')
    expect(answer.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(/^user=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    )
    expect(browser.cookie).toMatch(/\buser=/)
    expect(await (await get('/')).text()).toBe('You are ["social-login","1"].')
    expect((await get(callback, 'cross-site')).status).toBe(403)
  })

  test('headers of the application’s own, which would replace those of the login, leave its routes out', async () => {
    const policies = async (app: Hono): Promise<unknown[]> => {
      quickStart(registration(`${ORIGIN}/auth/callback`), sessions, app).get('/', (c) => c.text('Hello'))
      const fetch = async (request: Request): Promise<Response> => app.fetch(request)
      const policy = async (path: string, site: 'same-origin' | 'cross-site'): Promise<string | null> =>
        (await new WebBrowser(ORIGIN).send(path, site, fetch)).headers.get('referrer-policy')
      return [
        await policy('/', 'same-origin'),
        await policy('/auth', 'same-origin'),
        await policy('/auth', 'cross-site'),
      ]
    }
    const naive = new Hono()
    naive.use(secureHeaders())
    expect(await policies(naive)).toStrictEqual(['no-referrer', 'no-referrer', 'no-referrer'])
    const app = new Hono()
    ownHeaders(app)
    expect(await policies(app)).toStrictEqual(['no-referrer', null, 'same-origin'])
  })

  test('the page that asks before a link keeps the header by which no other site can frame it', async () => {
    const frameOptions = async (app: Hono): Promise<string | null> => {
      app.get('/link/confirm', (c) => c.text('Is this yours?'))
      return (await app.request('/link/confirm')).headers.get('x-frame-options')
    }
    const naive = new Hono()
    naive.use(except(['/link', '/link/*'], secureHeaders()))
    expect(await frameOptions(naive)).toBeNull()
    const app = new Hono()
    ownHeaders(app)
    expect(await frameOptions(app)).toBe('SAMEORIGIN')
  })

  describe('with two providers, which both have a user 1', () => {
    let other: FakeProvider
    beforeEach(async () => {
      other = await FakeProvider.start()
    })
    afterEach(() => other.stop())

    const optionsOf = (provider: FakeProvider, path: string): SocialLoginOptions => {
      const callbackURL = `${ORIGIN}${path}/callback`
      const { appID, appSecret } = provider.registerApplication({ name: 'Web', redirectURL: callbackURL })
      const { baseURL } = provider
      return { baseURL, clientID: appID, clientSecret: appSecret, callbackURL, keys: [LOGIN_COOKIE_KEY] }
    }
    /** @returns the key of the account that user 1 of the provider is signed in to */
    const signIn = async (login: SocialLogin, provider: FakeProvider, path: string): Promise<string> => {
      const browser = new WebBrowser(ORIGIN)
      await browser.send(path, 'same-origin', (request) => login.start(request, { user: null }))
      const authKey = provider.issueAuthKey({ appID: provider.applications[0]?.appID ?? '', userID: '1' })
      let account = ''
      await browser.send(`${path}/callback?auth_key=${authKey}`, 'cross-site', async (request) => {
        const result = await login.callback(request, { user: null })
        if (result.type !== 'success') return result.response
        account = `${result.profile.provider}:${result.profile.id}`
        return new Response(null, { headers: result.headers })
      })
      await login.close()
      return account
    }

    test('by the guide they are two', async () => {
      const first = new SocialLogin({ ...optionsOf(logins.provider, '/first'), name: 'first' })
      const second = new SocialLogin({ ...optionsOf(other, '/second'), name: 'second' })
      expect(await signIn(first, logins.provider, '/first')).toBe('first:1')
      expect(await signIn(second, other, '/second')).toBe('second:1')
    })
  })

  test('a failure leads to the page that `failureRedirect` names by its code', async () => {
    const { LOGIN_COOKIE_KEY: key, ...registered } = registration(`${ORIGIN}/auth/callback`)
    const login = reasons({ ...registered, callbackURL: `${ORIGIN}/auth/callback`, keys: [key] })
    const answer = await new WebBrowser(ORIGIN).send('/auth/callback?auth_key=x', 'cross-site', async (request) => {
      const result = await login.callback(request, { user: null })
      return result.type === 'success' ? result.redirect('/') : result.response
    })
    expect(answer.headers.get('location')).toBe(`${ORIGIN}/login?error=login_not_started`)
  })

  test('"One redirect URL": a login of a preview with the id of production ends in production, with its key unused', async () => {
    const { LOGIN_COOKIE_KEY: key, ...registered } = registration(`${ORIGIN}/auth/callback`)
    const production = new SocialLogin({ ...registered, callbackURL: `${ORIGIN}/auth/callback`, keys: [key] })
    const preview = 'https://branch.previews.example'
    const login = new SocialLogin({ ...registered, callbackURL: `${preview}/auth/callback`, keys: [key] })
    const start = (callbackURL: string): Promise<Response> =>
      new WebBrowser(preview).send('/auth', 'same-origin', (request) =>
        login.start(request, { user: null, callbackURL }),
      )
    // Nothing in the request tells the provider where to redirect.
    for (const path of ['/auth/callback', '/other/callback']) {
      const { searchParams } = new URL((await start(preview + path)).headers.get('location') ?? '')
      expect([...searchParams.keys()]).toStrictEqual(['app_id'])
    }
    const before = logins.exchanges()
    const callback = `/auth/callback?auth_key=${newKey(registered.clientID)}`
    const answer = await new WebBrowser(ORIGIN).send(callback, 'cross-site', async (request) => {
      const result = await production.callback(request, { user: null })
      return Response.json(result.type === 'failure' ? result.code : result.type)
    })
    expect(await answer.json()).toBe('login_not_started')
    expect(logins.exchanges()).toBe(before)
  })

  describe('linking', () => {
    const linked: string[] = []
    const questions = new Map<string | undefined, Question>()
    let send: (
      browser: WebBrowser,
      path: string,
      site: 'same-origin' | 'cross-site',
      body?: URLSearchParams,
    ) => Promise<Response>
    let appID: string

    beforeEach(() => {
      linked.length = 0
      questions.clear()
      const { LOGIN_COOKIE_KEY: key, ...registered } = registration(`${ORIGIN}/auth/callback`)
      const { clientID, clientSecret } = registration(`${ORIGIN}/link/callback`)
      appID = clientID
      const failureRedirect: SocialLoginOptions['failureRedirect'] = ({ code }) => `/login?error=${code}`
      const options = { ...registered, callbackURL: `${ORIGIN}/auth/callback`, keys: [key], failureRedirect }
      const app = quickStart({ ...registered, LOGIN_COOKIE_KEY: key }, sessions)
      const kept = {
        ...sessions,
        keepQuestion: async (c: Context, question: Question) => void questions.set(await sessions.userOf(c), question),
        takeQuestion: async (c: Context, id: string) => {
          const question = questions.get(await sessions.userOf(c))
          if (question?.id !== id) return undefined
          questions.delete(await sessions.userOf(c))
          return question
        },
      }
      linking(
        options,
        { clientID, clientSecret },
        app,
        kept,
        async (user, profile) => void linked.push(`${user}: ${profile.id}`),
      )
      send = (browser, path, site, body) =>
        browser.send(path, site, async (request) =>
          app.fetch(body === undefined ? request : new Request(request, { method: 'POST', body })),
        )
    })

    const start = (browser: WebBrowser): Promise<Response> =>
      send(browser, '/link', 'same-origin', new URLSearchParams())
    const comeBack = async (browser: WebBrowser, userID: string): Promise<string | null> => {
      const authKey = logins.provider.issueAuthKey({ appID, userID })
      return (await send(browser, `/link/callback?auth_key=${authKey}`, 'cross-site')).headers.get('location')
    }
    const press = (
      browser: WebBrowser,
      id = '',
      site: 'same-origin' | 'cross-site' = 'same-origin',
    ): Promise<Response> => send(browser, '/link/confirm', site, new URLSearchParams({ id }))

    test('adds the account to the user who began it, and has said that it is theirs', async () => {
      const browser = new WebBrowser(ORIGIN, 'sid=7')
      expect((await start(browser)).status).toBe(302)
      expect(await comeBack(browser, '1')).toBe(`${ORIGIN}/link/confirm`)
      const id = questions.get('7')?.id
      expect((await press(browser, id, 'cross-site')).status).toBe(403)
      expect((await press(browser, id)).headers.get('location')).toBe('/account')
      expect((await press(browser, id)).headers.get('location')).toBe('/link/confirm')
      expect(linked).toStrictEqual(['7: 1'])
    })

    test('an account that another tab has brought in is not linked unseen, nor by the button of another question', async () => {
      const browser = new WebBrowser(ORIGIN, 'sid=7')
      await start(browser)
      // The danger: within the window, a hostile page navigates to the callback with a key of the attacker's.
      expect(await comeBack(browser, '2')).toBe(`${ORIGIN}/link/confirm`)
      const aboutAttacker = questions.get('7')?.id
      await start(browser)
      await comeBack(browser, '1')
      expect((await press(browser, aboutAttacker)).headers.get('location')).toBe('/link/confirm')
      expect(linked).toStrictEqual([])
    })

    test('links nothing for nobody, and nothing that began as a login', async () => {
      const nobody = new WebBrowser(ORIGIN)
      await start(nobody)
      expect(await comeBack(nobody, '1')).toBe(`${ORIGIN}/login`)
      const browser = new WebBrowser(ORIGIN, 'sid=7')
      await send(browser, '/auth', 'same-origin')
      expect(await comeBack(browser, '1')).toBe(`${ORIGIN}/login?error=context_mismatch`)
      expect([questions.size, linked]).toStrictEqual([0, []])
    })
  })
})
