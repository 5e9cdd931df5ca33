import type { RequestListener } from 'node:http'
import connect from 'connect'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import session, { MemoryStore } from 'express-session'
import { Hono } from 'hono'
import { Passport } from 'passport'
import { Strategy, type StrategyOptions } from '../../../lib'
import { SocialLogin } from '../../../lib/web'
import { cookieSessions } from '../../package/docs/guides'
import { authenticate, type Deployment, type Proxy as Front, useDeployments } from '../../support/deployments'
import { fetchRoute } from '../../support/fetch-routes'

// Applications that are deployed as they should be: nothing is found, no one is signed in, and at most one key is exchanged.

const { examine } = useDeployments()

const KEYS = ['a'.repeat(32)]
const CALLBACK = '/auth/callback'
const withoutSession = { session: 'none', callback: { session: false } } as const
const inTurn: Front = { process: (_visit, connection) => connection }
const middleware = (handler: RequestHandler): Pick<Deployment, 'before'> => ({ before: (app) => void app.use(handler) })

/** Routes each browser to one process, by a cookie. */
const sticky: Front = {
  process: ({ headers }, connection) => Number(/node=(\d)/.exec(headers.cookie ?? '')?.[1] ?? connection % 2),
  response: (headers, { headers: { cookie = '' } }) => {
    const [, node = ''] = /node=(\d)/.exec(cookie) ?? []
    if (node === '') headers['set-cookie'] = [...(headers['set-cookie'] ?? []), `node=${turn++ % 2}; Path=/`]
  },
}
let turn = 0

/** For a listener that is written for Connect, which asks for less than its types say. */
const asListener = (app: unknown): RequestListener => {
  if (typeof app !== 'function') throw new TypeError('no listener')
  return (req, res) => void Reflect.apply(app, undefined, [req, res])
}

function connectApp(settings: StrategyOptions<false>): RequestListener {
  const passport = new Passport()
  passport.use(new Strategy(settings, (_accessToken, _refreshToken, profile) => ({ id: profile.id })))
  passport.serializeUser((user, done) => done(null, user))
  const app = connect()
  const use = (path: string, handler: unknown): void => void Reflect.apply(app.use, app, [path, handler])
  const withResponse: connect.NextHandleFunction = (req, res, next) => {
    const redirect = (location: string): void => void res.writeHead(302, { Location: location }).end()
    Object.assign(req, { res: Object.assign(res, { redirect }) })
    next()
  }
  app.use(withResponse)
  use('/', session({ secret: 'secret', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
  use('/', passport.session())
  use(CALLBACK, passport.authenticate('social-login', { failureRedirect: '/login' }))
  use('/auth', passport.authenticate('social-login'))
  return asListener(app)
}

function honoApp(settings: StrategyOptions<false>): RequestListener {
  const { baseURL, clientID, clientSecret, callbackURL } = settings
  const login = new SocialLogin({ baseURL, clientID, clientSecret, callbackURL, keys: KEYS })
  const app = new Hono()
  app.get('/auth', (c) => login.start(c.req.raw, { user: null }))
  app.get(CALLBACK, async (c) => {
    const result = await login.callback(c.req.raw, { user: null })
    return result.type === 'success' ? result.redirect('/me') : result.response
  })
  const serve = fetchRoute((request) => app.fetch(request))
  return asListener((...args: unknown[]) => Reflect.apply(serve, undefined, [...args, () => {}]))
}

const custom: NonNullable<Deployment['routes']> = (app, passport) => {
  app.get('/auth', authenticate(passport))
  app.get(CALLBACK, (req, res, next) => {
    const answer = (error: unknown, _user: unknown, info?: { message?: string }): void => {
      setTimeout(() => (error ? next(error) : res.status(403).send(`<h1>No</h1>${info?.message}`)), 20)
    }
    passport.authenticate('social-login', answer)(req, res, next)
  })
}

const withErrorPage: NonNullable<Deployment['routes']> = (app, passport) => {
  app.get('/auth', authenticate(passport))
  app.get(CALLBACK, authenticate(passport, { failWithError: true }))
  const handle: ErrorRequestHandler = (_error, _req, res, _next) => void res.status(500).send('<h1>Sorry</h1>')
  app.use(handle)
}

const deployments: Record<string, Deployment> = {
  'Express with sessions': {},
  'Express with sessions, by https behind a proxy': { secure: true },
  'Express, with its own error page': { routes: withErrorPage },
  'Express, with messages of failures in the session': {
    callback: { failureRedirect: '/login', failureMessage: true },
  },
  'a CookieStore beside sessions': { secure: true, cookieKeys: () => KEYS },
  'a CookieStore without sessions': { secure: true, cookieKeys: () => KEYS, ...withoutSession },
  'cookie-session': {
    secure: true,
    cookieKeys: () => KEYS,
    session: 'none',
    before: (app) => cookieSessions(app, new Passport(), 'session key'),
  },
  Connect: { listener: connectApp },
  Hono: { listener: honoApp },
  'many providers': { findProvider: (provider) => provider },
  'two processes with one store': { processes: 2, proxy: inTurn, session: { store: new MemoryStore() } },
  'two processes with the same keys': { processes: 2, proxy: inTurn, cookieKeys: () => KEYS, ...withoutSession },
  'a sticky balancer of two memories': { processes: 2, proxy: sticky },
  'a prefix that a proxy strips': {
    proxy: { path: (url) => url.replace('/shop', '') },
    routes: (app, passport) => {
      app.get('/auth', authenticate(passport))
      app.get(CALLBACK, authenticate(passport, { failureRedirect: '/login' }))
    },
    strategy: { callbackURL: `/shop${CALLBACK}` },
    input: (origin) => ({
      app: new URL('/shop/auth', origin),
      redirectURL: new URL(`/shop${CALLBACK}`, origin).href,
    }),
  },
  tabBinding: { strategy: { tabBinding: true } },
  'a custom callback that answers later': { routes: custom },
  'a limit on guesses': middleware(rateLimit({ limit: 20, windowMs: 60_000, standardHeaders: true })),
  'a limit on starts, which some of them meet': {
    before: (app) => void app.get('/auth', rateLimit({ limit: 3, windowMs: 60_000 })),
  },
  'starts by a form alone': {
    routes: (app, passport) => {
      app.post('/auth', authenticate(passport))
      app.get(CALLBACK, authenticate(passport, { failureRedirect: '/login' }))
    },
  },
  "unverifiedStart: 'allow'": { strategy: { unverifiedStart: 'allow' } },
  "unverifiedStart: 'refuse'": { strategy: { unverifiedStart: 'refuse' } },
  'cookies of others, constant and strict': middleware((_req, res, next) => {
    res.cookie('csrf', 'same', { sameSite: 'strict' })
    res.cookie('lang', 'en')
    next()
  }),
  'an id and a provider that are typed': { input: (_origin, { appID }) => ({ appID }) },
  'a redirect URL that is guessed': { input: () => ({ redirectURL: undefined }) },
}

const rows = Object.entries(deployments).map(([title, deployment]) => ({ title, deployment }))

test('the right applications are many', () => expect(rows.length).toBeGreaterThanOrEqual(20))

test.each(rows)('$title: nothing is found', async ({ deployment }) => {
  const { told, exchanges } = await examine(deployment)
  expect(told.filter((line) => !line.startsWith('good'))).toStrictEqual([])
  expect([told.at(-1), exchanges]).toStrictEqual(['good whole_way', 1])
})

test('--quick exchanges nothing', async () => {
  const { told, exchanges } = await examine({}, { quick: true })
  expect([told.at(-1), exchanges]).toStrictEqual(['good way_back_good', 0])
})
