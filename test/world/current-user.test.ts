import { randomUUID } from 'node:crypto'
import express5, { type RequestHandler } from 'express'
import express4 from 'express-4'
import { MemoryStore } from 'express-session'
import { Strategy, type StrategyOptions } from '../../lib'
import { keepSessions, newPassport } from '../support/app'
import { Browser } from '../support/browser'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'

const logins = useLogins()

interface Application {
  readonly express?: 4 | 5
  /** What comes behind `passport.session()`, and puts a user on the request. */
  readonly user: RequestHandler
  readonly strategy?: Partial<StrategyOptions>
}

/** An application that signs users in, and can link an account to the user at `req.user`. */
async function start({ express = 5, user, strategy }: Application) {
  const app = express === 5 ? express5() : express4()
  const { origin } = logins.stopLater(await listen(app))
  const { provider } = logins
  const { appID, appSecret } = provider.registerApplication({ name: 'App', redirectURL: `${origin}/callback` })
  const options = { baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret, callbackURL: '/callback' }
  const passport = newPassport([new Strategy({ ...options, ...strategy }, async (_a, _r, { id }) => ({ id }))])
  app.use(keepSessions(new MemoryStore()), passport.session(), user)
  app.get('/auth', passport.authenticate('social-login'))
  app.get('/callback', passport.authenticate('social-login', { successRedirect: '/me' }))
  app.get('/link', passport.authorize('social-login', { callbackURL: '/link/callback' }))
  app.get('/link/callback', passport.authorize('social-login', { callbackURL: '/link/callback' }), (req, res) => {
    res.json({ to: req.user, account: Reflect.get(req, 'account') })
  })
  app.get('/me', (req, res) => void res.json(req.user))
  app.get('/become/:id', (req, res) => {
    Object.assign(req.session, { userID: req.params.id })
    res.json({})
  })
  const key = () => provider.issueAuthKey({ appID, userID: '1' })
  return { origin, callback: (path = '/callback') => `${origin + path}?auth_key=${key()}` }
}

/** Who is signed in, where the application keeps only Passport's user in the session. */
const inSession: StrategyOptions['currentUser'] = (req) => Reflect.get(Object(req.session), 'passport')?.user

const guests: RequestHandler = (req, _res, next) => {
  req.user ??= { id: randomUUID() }
  next()
}

/** A user without an id that is known, whose token is renewed with each request. */
const renewed =
  (user: object): RequestHandler =>
  (req, _res, next) => {
    const now = Date.now()
    req.user = { ...user, iat: now, exp: now + 1, nbf: now, jti: randomUUID(), auth_time: now }
    next()
  }

describe.each([4, 5] as const)('a guest at req.user, who is another at each request (Express %i)', (express) => {
  test('is told that currentUser says who is signed in, and can then sign in', async () => {
    const logInWith = async (strategy: Partial<StrategyOptions>) => {
      const app = await start({ express, user: guests, strategy })
      const browser = new Browser()
      await browser.follow(`${app.origin}/auth`)
      return browser.comeBack(app.callback(), { headers: { accept: 'text/html' } })
    }
    const refused = await logInWith({})
    expect(refused.body).toContain('<code>user_changed</code>')
    expect(refused.body).toContain('by the option currentUser')
    expect(await logInWith({ currentUser: inSession })).toMatchObject({ status: 302, location: '/me' })
  })
})

test.each(['/auth', '/callback'])('a user whom middleware sets at %s alone is told of the two routes', async (only) => {
  const user: RequestHandler = (req, _res, next) => {
    if (req.path === only) req.user = { id: 'ada' }
    next()
  }
  const app = await start({ user })
  const browser = new Browser()
  await browser.follow(`${app.origin}/auth`)
  const { body } = await browser.comeBack(app.callback(), { headers: { accept: 'text/html' } })
  expect(body).toContain('<code>user_changed</code>')
  expect(body).toContain('on one of the two routes only')
})

test('with a sign-in of the application’s own in the session, a link that Ada started is not linked to Bob', async () => {
  const user: RequestHandler = (req, _res, next) => {
    const id: unknown = Reflect.get(req.session, 'userID')
    if (typeof id === 'string') req.user = { id }
    next()
  }
  const app = await start({ user })
  const browser = new Browser()
  await browser.follow(`${app.origin}/become/ada`)
  await browser.follow(`${app.origin}/link`)
  await browser.follow(`${app.origin}/become/bob`)
  const refused = await browser.comeBack(app.callback('/link/callback'), { headers: { accept: 'text/html' } })
  expect(refused.body).toContain('<code>user_changed</code>')
  expect(logins.exchanges()).toBe(0)
  await browser.follow(`${app.origin}/link`)
  const linked = await browser.comeBack(app.callback('/link/callback'))
  expect(JSON.parse(linked.body)).toMatchObject({ to: { id: 'bob' }, account: { id: '1' } })
})

describe('a user whose token is renewed with each request', () => {
  test.each([
    [{ userId: 7 }],
    [{ user_id: 'ada' }],
    [{ uid: 'ada' }],
    [{ username: 'ada' }],
    [{ roles: ['admin'], company: { id: 3 } }],
  ])('can link an account: %j', async (user) => {
    const app = await start({ user: renewed(user) })
    const browser = new Browser()
    await browser.follow(`${app.origin}/link`)
    const answer = await browser.comeBack(app.callback('/link/callback'))
    expect(JSON.parse(answer.body)).toMatchObject({ to: user, account: { id: '1' } })
  })

  test('is another one if the rest is another, and the message says that no id is known', async () => {
    let company = 3
    const app = await start({ user: (req, res, next) => renewed({ company })(req, res, next) })
    const browser = new Browser()
    await browser.follow(`${app.origin}/link`)
    company = 4
    const answer = await browser.comeBack(app.callback('/link/callback'), { headers: { accept: 'text/html' } })
    expect(answer.body).toContain('<code>user_changed</code>')
    expect(answer.body).toContain('has no id that is known')
  })
})

test.each([
  ['in a cookie', 'cookie', 'token='],
  ['in a header', 'authorization', 'Bearer '],
] as const)(
  'a login that the application keeps %s is one: another user does not finish it',
  async (_where, name, prefix) => {
    const user: RequestHandler = (req, _res, next) => {
      const [, id] = /(?:token=|Bearer )(\w+)/.exec(`${req.headers.cookie} ${req.headers.authorization}`) ?? []
      if (id !== undefined) req.user = { id }
      next()
    }
    const app = await start({ user })
    const as = async (who: string, browser: Browser, url: string) => {
      const cookies = await browser.cookies(app.origin)
      const own =
        name === 'cookie' ? { cookie: `${cookies}; ${prefix}${who}` } : { cookie: cookies, authorization: prefix + who }
      return browser.comeBack(url, { headers: { ...own, accept: 'text/html' } })
    }
    const browser = new Browser()
    await browser.follow(`${app.origin}/auth`)
    expect((await as('eve', browser, app.callback())).body).toContain('<code>user_changed</code>')
    expect(logins.exchanges()).toBe(0)
  },
)

test('a currentUser that returns a promise is a TypeError', async () => {
  const app = await start({ user: guests, strategy: { currentUser: async () => 'ada' } })
  const answer = await new Browser().follow(`${app.origin}/auth`)
  expect([answer.status, answer.body]).toStrictEqual([500, expect.stringContaining('currentUser must return')])
})
