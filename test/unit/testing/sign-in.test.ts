import { randomBytes } from 'node:crypto'
import express from 'express'
import { Hono } from 'hono'
import supertest from 'supertest'
import { type Application, FakeProvider, signIn } from '../../../lib/testing'
import { SocialLogin } from '../../../lib/web'
import { createApp } from '../../package/docs/your-app'
import { startApp } from '../../support/app'

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

  test.each([
    ['/', "200 and no redirect to the provider: either it is not the strategy's route"],
    ['/nowhere', '404 ("Cannot GET /nowhere") and no redirect to the provider: there is no such route'],
  ])('when the start is another page: %s', async (start, sentence) => {
    await expect(signIn(agent(), { provider, start })).rejects.toThrow(
      `signIn: the start ${start} answered ${sentence}`,
    )
  })

  test('when the start leads to another provider', async () => {
    await using other = await FakeProvider.start()
    await expect(signIn(agent({ baseURL: other.baseURL }), { provider })).rejects.toThrow(
      `leads to ${other.oauthBase}/oauth, not to this provider: give the strategy its baseURL`,
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

  test.each([
    ['/nowhere', '404 ("Cannot GET /nowhere")'],
    ['/', 200],
  ])('when the redirect URL is not the callback: %s', async (path, status) => {
    provider.updateApplication(application.appID, { redirectURL: `http://localhost:3000${path}` })
    await expect(signIn(agent(), { provider })).rejects.toThrow(
      `signIn: the callback ${path} answered ${status}, and signed nobody in: register a redirectURL with the path`,
    )
  })

  test('when there is no such person', async () => {
    await expect(signIn(agent(), { provider, user: { user_id: '99' } })).rejects.toThrow('there is no person')
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
  expect([seen[1], cookie]).toEqual([expect.not.stringContaining('token='), expect.stringContaining('token=1')])
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
