import { randomBytes } from 'node:crypto'
import express from 'express'
import { MemoryStore } from 'express-session'
import { Hono } from 'hono'
import supertest from 'supertest'
import { Strategy } from '../../../lib'
import { type Application, FakeProvider, signIn } from '../../../lib/testing'
import type { PlaywrightRequest } from '../../../lib/testing/test-browser'
import { SocialLogin } from '../../../lib/web'
import { createApp } from '../../package/docs/your-app'
import { keepSessions, newPassport, startApp } from '../../support/app'
import { listen } from '../../support/listen'

const redirectURL = 'http://localhost:3000/auth/social-login/callback'
let provider: FakeProvider
let application: Application

beforeEach(async () => {
  provider = await FakeProvider.start()
  application = provider.registerApplication({ name: 'My app', redirectURL })
})

afterEach(() => provider.stop())

const options = () => ({
  baseURL: provider.baseURL,
  clientID: application.appID,
  clientSecret: application.appSecret,
})

function agent(more: Partial<ReturnType<typeof options>> = {}) {
  return supertest.agent(createApp({ ...options(), ...more }))
}

/** An application for Hono, whose session is a cookie with the id of the person. */
function honoApp(): Hono {
  const login = new SocialLogin({
    ...options(),
    callbackURL: redirectURL,
    keys: [randomBytes(32).toString('base64url')],
  })
  const app = new Hono()
  app.get('/auth/social-login', (c) => login.start(c.req.raw, { user: null }))
  app.get('/auth/social-login/callback', async (c) => {
    const result = await login.callback(c.req.raw, { user: null })
    if (result.type !== 'success') return result.response
    for (const [name, value] of result.headers) c.header(name, value, { append: true })
    c.header('set-cookie', `person=${result.profile.id}; Path=/`, { append: true })
    return c.redirect('/profile')
  })
  app.get('/profile', (c) => c.text(c.req.header('cookie') ?? ''))
  return app
}

test('an agent of supertest is signed in as the first person', async () => {
  const browser = agent()
  expect(await signIn(browser, { provider })).toMatchObject({ location: '/profile' })
  await browser.get('/profile').expect(200, { id: '1', name: 'Ada Lovelace' })
})

test('the cookie signs in a client of any kind', async () => {
  const app = createApp(options())
  const { cookie } = await signIn(supertest.agent(app), { provider })
  await supertest(app).get('/profile').set('Cookie', cookie).expect(200, { id: '1', name: 'Ada Lovelace' })
})

test('the person, and the path of the start, can be chosen', async () => {
  const app = createApp(options())
  app.get('/sign-in', (req, res, next) => app(Object.assign(req, { url: '/auth/social-login' }), res, next))
  const browser = supertest.agent(app)
  const user = provider.addUser({ user_firstname: 'Zoë', user_lastname: 'Washburne' })
  await signIn(browser, { provider, user, start: '/sign-in' })
  await browser.get('/profile').expect(200, { id: user.user_id, name: 'Zoë Washburne' })
})

test('a function that answers with a Response works as the browser', async () => {
  const app = honoApp()
  const { location, cookie } = await signIn(app.request, { provider, user: { user_id: '2' } })
  expect(location).toBe('/profile')
  expect(await (await app.request(location, { headers: { cookie } })).text()).toMatch(/(^|; )person=2$/)
})

test('the requests of Playwright follow no redirect, and may have an answer without a body', async () => {
  const app = honoApp()
  const followed = new Set<number>()
  const page: PlaywrightRequest = {
    storageState: () => ({}),
    fetch: async (url, options) => {
      const { maxRedirects, ...init } = Object(options)
      followed.add(maxRedirects)
      const { status, headers } = await app.request(url, init)
      return {
        status: () => (status === 302 && url.includes('callback') ? 204 : status),
        headersArray: () => Array.from(headers, ([name, value]) => ({ name, value })),
        body: async () => new Uint8Array(),
      }
    },
  }
  const { cookie } = await signIn(page, { provider })
  expect([cookie, ...followed]).toStrictEqual([expect.stringMatching(/(^|; )person=1$/), 0])
})

describe('a user who is signed in links a second account, whose start is a POST', () => {
  const LINK = 'http://localhost:3000/link/callback'
  let second: Application

  beforeEach(() => {
    second = provider.registerApplication({ name: 'Links', redirectURL: LINK })
  })
  const linkOptions = () => ({
    ...options(),
    clientID: second.appID,
    clientSecret: second.appSecret,
    callbackURL: LINK,
  })
  const start = { start: '/link', method: 'POST', user: '2' } as const

  function linkingApp(): ReturnType<typeof express> {
    const login = new Strategy({ ...options(), callbackURL: redirectURL }, (_access, _refresh, { id }) => ({ id }))
    const passport = newPassport([login])
    passport.use('link', new Strategy(linkOptions(), (_access, _refresh, { id }) => ({ id })))
    const app = express().use(keepSessions(new MemoryStore()), passport.session())
    app.get('/auth/social-login', passport.authenticate('social-login'))
    app.get('/auth/social-login/callback', passport.authenticate('social-login', { successRedirect: '/' }))
    const authorize = passport.authorize('link')
    app.post('/link', authorize)
    app.get('/link/callback', authorize, (req, res) => {
      const [user, account] = [req.user, Reflect.get(req, 'account')].map((each) => Reflect.get(Object(each), 'id'))
      res.redirect(`/linked/${user}/${account}`)
    })
    return app
  }

  test('in a server, and at an origin', async () => {
    await using listening = await listen(linkingApp())
    for (const browser of [listening.server, listening.origin]) {
      const { cookie } = await signIn(browser, { provider })
      const linked = await signIn(browser, { provider, ...start, cookie })
      expect(linked.location).toBe('/linked/1/2')
      expect(linked.cookie).toContain('connect.sid=')
    }
  })

  test('by an agent, which has the cookie already', async () => {
    const browser = supertest.agent(linkingApp())
    const { cookie } = await signIn(browser, { provider })
    expect((await signIn(browser, { provider, ...start })).location).toBe('/linked/1/2')
    await expect(signIn(browser, { provider, ...start, cookie })).rejects.toThrow(
      new TypeError('signIn: an agent has cookies of its own: sign the user in with it first, and leave out cookie'),
    )
  })

  test('by an object with fetch, and by a function', async () => {
    const login = new SocialLogin({ ...linkOptions(), keys: ['k'.repeat(40)] })
    const userIn = (headers: Headers) => /person=(\d+)/.exec(headers.get('cookie') ?? '')?.[1] ?? null
    const hono = honoApp()
    hono.post('/link', (c) => login.start(c.req.raw, { user: userIn(c.req.raw.headers) }))
    hono.get('/link/callback', async (c) => {
      const user = userIn(c.req.raw.headers)
      const result = await login.callback(c.req.raw, { user })
      return result.type === 'success' ? result.redirect(`/linked/${user}/${result.profile.id}`) : result.response
    })
    for (const browser of [hono, { fetch: hono.fetch }, hono.request]) {
      const { cookie } = await signIn(Object(browser), { provider })
      const { location } = await signIn(Object(browser), { provider, ...start, cookie })
      expect(location).toMatch(/\/linked\/1\/2$/)
    }
  })

  test.each([
    [{ method: 'PUT' }, 'method must be one of GET, POST'],
    [{ cookie: 7 }, 'cookie must be the Cookie header of a user who is signed in'],
  ])('%j is refused', async (wrong, message) => {
    const signedIn = Reflect.apply(signIn, undefined, [linkingApp(), { provider, ...wrong }])
    await expect(signedIn).rejects.toThrow(TypeError)
    await expect(signedIn).rejects.toThrow(message)
  })
})

test('it works in the modes of deployed servers', async () => {
  provider.setMode('as-deployed')
  await expect(signIn(agent(), { provider })).resolves.toBeDefined()
  provider.setMode({ escapeRedirectAmpersands: true })
  await expect(signIn(agent(), { provider })).resolves.toBeDefined()
})

describe('it fails with a sentence of cause and cure', () => {
  test('when the headers of a click are lost, so that the start shows the confirm page', async () => {
    const app = honoApp()
    const forgetful = (path: string) => app.request(path)
    await expect(signIn(forgetful, { provider })).rejects.toThrow(
      /^signIn: the start \/auth\/social-login answered 200 and no redirect to the provider: it is the confirm page, because .*pass on the headers/,
    )
  })

  test('when the application is not registered', async () => {
    await expect(signIn(agent({ clientID: 'somebody-else' }), { provider })).rejects.toThrow(
      'names an application that is not registered here: give the strategy its clientID',
    )
  })

  test('when the start is refused', async () => {
    const app = express().use((req, _res, next) => {
      req.headers['sec-purpose'] = 'prefetch'
      next()
    }, createApp(options()))
    await expect(signIn(supertest.agent(app), { provider })).rejects.toThrow(
      'signIn: the start /auth/social-login ended with speculative_request',
    )
  })

  test.each([
    ['auth_key_rejected: The provider refused the auth_key', { clientSecret: 'wrong' }],
    ['provider_unavailable: The provider answered with a server error', {}],
  ])('when the callback is refused: %s', async (sentence, more) => {
    if (sentence.startsWith('provider')) provider.failNext('authorize', { status: 503 })
    await expect(signIn(agent(more), { provider })).rejects.toThrow(
      `signIn: the callback /auth/social-login/callback ended with ${sentence}`,
    )
  })

  test.each([
    ['verify_refused', async () => false as const],
    [
      'application_error',
      () => {
        throw new Error('a mistake')
      },
    ],
  ])('when the verify function does not find the person: %s', async (code, verify) => {
    const app = await startApp(provider, { verify })
    await expect(signIn(supertest.agent(app.origin), { provider, start: '/auth' })).rejects.toThrow(
      `signIn: the callback /callback ended with ${code}`,
    )
    await app.stop()
  })

  test('when there is no such person', async () => {
    await expect(signIn(agent(), { provider, user: { user_id: '99' } })).rejects.toThrow('there is no user')
  })
})

describe.each(['strict', 'secure'] as const)('a cookie that does not come back: %s', (kind) => {
  const line = { strict: 'sid=1; Path=/; SameSite=Strict', secure: 'sid=1; Path=/; SameSite=Lax; Secure' }[kind]

  test('an agent fails with the reason', async () => {
    const sentence =
      kind === 'strict' ? 'the start sets sid with SameSite=Strict' : 'Here, the start sets sid with Secure'
    const app = express().use((_req, res, next) => {
      const set = res.setHeader.bind(res)
      res.setHeader = (name, value) => set(name, /^set-cookie$/i.test(name) ? line : value)
      next()
    }, createApp(options()))
    await expect(signIn(supertest.agent(app), { provider })).rejects.toThrow(sentence)
  })

  test('a cookie beside one that comes back is no reason', async () => {
    const browser = supertest.agent(createApp(options()))
    await browser.get('/').expect(200)
    await expect(signIn(browser, { provider })).resolves.toBeDefined()
  })
})

test('a function gets no SameSite=Strict cookie for its callback, and all others', async () => {
  const seen: string[] = []
  const app = honoApp()
  const browser = async (path: string, { headers }: { headers: Record<string, string> }) => {
    seen.push(headers['cookie'] ?? '')
    const response = await app.request(path, { headers })
    const changed = new Response(response.body, response)
    if (seen.length === 1) changed.headers.append('set-cookie', 'token=1; SameSite=Strict')
    return changed
  }
  const { cookie } = await signIn(browser, { provider })
  expect([seen[1], cookie]).toStrictEqual([expect.not.stringContaining('token='), expect.stringContaining('token=1')])
  expect(seen[1]).not.toBe('')
})

test.each([
  ['a promise (await it first)', Promise.resolve(express())],
  ['null', null],
  ['an array', [express()]],
  ['an instance of a class', new Headers()],
  ['an instance of a class', new Map()],
  ['an object', { get: () => undefined }],
  // It would throw where nobody catches it: it needs a third parameter, for what it does not answer.
  ['a function', express.Router()],
])('%s is refused with a list of what can be signed in to', async (type, browser) => {
  const rejected = expect(Reflect.apply(signIn, undefined, [browser, { provider }])).rejects
  await rejected.toThrow(/^signIn: browser must be an Express or Connect application or another listener/)
  await rejected.toThrow(new RegExp(`, not ${type.replace(/[()]/g, '.')}$`))
  await rejected.toBeInstanceOf(TypeError)
})

describe('what a function answers is told', () => {
  const CONFIRM =
    'the confirm page, because the request did not look like a click on a page of the application (pass on the headers that signIn gives; fetch of Node replaces Sec-Fetch-Mode).'
  const LOG = 'see the log of the application (NODE_DEBUG=passport-social-login).'
  const CURE = `register a redirectURL with the path of the strategy's callbackURL, and ${LOG}`

  /** How the start, and a callback with its key and without one, are answered. */
  interface Answers {
    readonly start?: Response
    readonly callback?: (authKey: string) => Promise<Response> | Response
  }

  const start = '/auth'
  const redirect = (location: string): Response => new Response(null, { status: 302, headers: { location } })
  const toProvider = (): Response => {
    const response = redirect(`${provider.oauthBase}/oauth?app_id=${application.appID}`)
    response.headers.append('set-cookie', 'session=1; Path=/')
    return response
  }
  const signInTo = ({ start: first = toProvider(), callback = () => redirect('/') }: Answers, path = start) =>
    signIn(
      async (asked: string) =>
        asked === path ? first : callback(new URL(asked, 'http://app').searchParams.get('auth_key') ?? ''),
      { provider, start: path },
    )
  const page = (status: number, text = ''): Response => new Response(text, { status })

  /** Exchanges the key, as a strategy would. */
  async function exchange(authKey: string): Promise<void> {
    const body = new URLSearchParams({
      app_id: application.appID,
      app_secret: application.appSecret,
      auth_key: authKey,
    })
    await fetch(`${provider.oauthBase}/authorize`, { method: 'POST', body })
  }

  const NO_ROUTE = "there is no such route (give your path as start, and method: 'POST' if a form posts to it)."

  test.each([
    [399, `: either it is not the strategy's route (give its path as start), or it is ${CONFIRM}`, ''],
    [400, `: ${LOG}`, ' ("no such table")'],
    [404, `: ${NO_ROUTE}`, ' ("no such table")'],
  ])('of a start with the status %d', async (status, cure, line) => {
    const message = `signIn: the start /auth answered ${status}${line} and no redirect to the provider${cure}`
    await expect(signInTo({ start: page(status, 'no such table') })).rejects.toThrow(new Error(message))
  })

  test.each([
    ['\n  no such table  \n at line 1', 'no such table'],
    ['<title>Error</title><style>p { }</style><script>let a\n</script><p>no such table</p>', 'no such table'],
    [`<pre>${'x'.repeat(201)}</pre>`, 'x'.repeat(200)],
    ['<p>Sorry</p><h2>For the operator</h2>\n<p>The <b>store</b> is away.</p><p>More</p>', 'The'],
  ])('of a page its first line is told: %#', async (text, line) => {
    await expect(signInTo({ start: page(500, text) })).rejects.toThrow(
      new Error(`signIn: the start /auth answered 500 ("${line}") and no redirect to the provider: ${LOG}`),
    )
  })

  test('an empty page has none', async () => {
    await expect(signInTo({ start: page(500, ' <br> ') })).rejects.toThrow(
      new Error(`signIn: the start /auth answered 500 and no redirect to the provider: ${LOG}`),
    )
  })

  const WITHOUT = 'signIn: the callback /auth/social-login/callback answered'

  test.each([
    [200, CURE],
    [499, CURE],
    [500, LOG],
  ])('of a callback with the status %d that exchanges nothing', async (status, cure) => {
    await expect(signInTo({ callback: () => page(status) })).rejects.toThrow(
      new Error(`${WITHOUT} ${status}, and signed no one in: ${cure}`),
    )
  })

  test('of a callback that exchanges its key, a status from 400 on is a failure, in which the key is not repeated', async () => {
    const answering = (status: number) => async (authKey: string) => {
      if (authKey !== '') await exchange(authKey)
      return page(status, `${authKey} was used`)
    }
    await expect(signInTo({ callback: answering(400) })).rejects.toThrow(
      new Error(`${WITHOUT} 400 ("... was used"), and signed no one in: ${LOG}`),
    )
    const signedIn = async (authKey: string) => (authKey === '' ? page(200) : answering(399)(authKey))
    await expect(signInTo({ callback: signedIn })).resolves.toEqual({ location: '', cookie: 'session=1' })
  })

  test('of a callback that answers as without a key, whatever it says of the failure', async () => {
    const callback = async (authKey: string) => {
      if (authKey !== '') await exchange(authKey)
      return redirect(`/login?error=${authKey === '' ? 'missing' : 'refused'}&a=b`)
    }
    await expect(signInTo({ callback })).rejects.toThrow(
      new Error(
        `${WITHOUT} 302, and signed no one in: it answered as without a key, and set no new cookie: the verify function may have refused the user, or threw an error; ${LOG}`,
      ),
    )
  })

  test('of a callback that redirects elsewhere after a refusal by the provider than without a key', async () => {
    provider.failNext('authorize', { status: 400 })
    const callback = async (authKey: string) => {
      if (authKey !== '') await exchange(authKey)
      return redirect(authKey === '' ? '/login' : '/again')
    }
    await expect(signInTo({ callback })).rejects.toThrow(
      new Error(`${WITHOUT} 302, and signed no one in: the provider refused the exchange (status 400): ${LOG}`),
    )
  })

  test.each([
    ['/auth/', '/auth', "if the strategy's route is there, give start: '/auth'."],
    ['/auth/', 'https://app.example/auth', "if the strategy's route is there, give start: '/auth'."],
    ['/auth', 'https://app.example/auth/', "if the strategy's route is there, give start: '/auth/'."],
    ['/auth', 'https://app.example/login', 'give the strategy its baseURL.'],
  ])('of a start %s that leads to %s', async (path, location, cure) => {
    await expect(signInTo({ start: redirect(location) }, path)).rejects.toThrow(
      new Error(`signIn: the start ${path} redirects to ${location}, not to this provider: ${cure}`),
    )
  })
})
