import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import express, { type Express } from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy } from '../../lib'
import { type Application, FakeProvider } from '../../lib/testing'
import { port, stopServer } from '../support/app'
import { Browser, type BrowserAnswer, closeBrowsers } from '../support/browser'
import { limitGuessing, linking } from './readme/recipes'

const CALLBACK = '/auth/social-login/callback'

afterAll(() => closeBrowsers())

/** An application around a recipe of the README, as a reader builds it. */
describe('recipes of the README', () => {
  let provider: FakeProvider
  let application: Application
  let server: Server
  let origin: string
  let links: Array<[unknown, unknown]>

  const build = async (recipe: (app: Express) => void): Promise<void> => {
    const app = express()
    app.set('trust proxy', 'loopback')
    app.use(session({ secret: 'a secret of the test', resave: false, saveUninitialized: false }))
    app.use(passport.session())
    app.get('/auth/social-login', passport.authenticate('social-login'))
    recipe(app)
    server = createServer(app).listen(0, 'localhost')
    await once(server, 'listening')
    origin = `http://localhost:${port(server)}`
  }
  const keyOf = (userID: string): string => provider.issueAuthKey({ appID: application.appID, userID })
  const exchanges = (): number => provider.requests.filter(({ endpoint }) => endpoint === 'authorize').length
  const visitorAt = async (address: string): Promise<Browser> => {
    const browser = new Browser({ 'x-forwarded-for': address })
    expect((await browser.follow(`${origin}/auth/social-login`)).status).toBe(302)
    return browser
  }
  const comeBack = (browser: Browser, key: string): Promise<BrowserAnswer> =>
    browser.comeBack(`${origin}${CALLBACK}?auth_key=${key}`)

  beforeEach(async () => {
    links = []
    provider = await FakeProvider.start()
    application = provider.registerApplication({ name: 'Recipe', redirectURL: `http://localhost:3000${CALLBACK}` })
    const { baseURL } = provider
    const options = { baseURL, clientID: application.appID, clientSecret: application.appSecret }
    const verify = async (_accessToken: string, _refreshToken: undefined, profile: { id: string }) => ({
      id: profile.id,
    })
    passport.use(new Strategy({ ...options, callbackURL: CALLBACK }, verify))
    const link = { ...options, name: 'social-login-link', callbackURL: '/account/link/callback' }
    passport.use(new Strategy(link, verify))
    passport.serializeUser((user, done) => done(null, Reflect.get(user, 'id')))
    passport.deserializeUser((id, done) => done(null, { id }))
  })

  afterEach(async () => {
    await stopServer(server)
    await provider.stop()
  })

  test('"Limiting guesses": of 50 guesses sent at once ten reach the provider, and others are not locked out', async () => {
    await build(limitGuessing)
    const guessers = await Promise.all(Array.from({ length: 50 }, () => visitorAt('203.0.113.7')))
    provider.failNext('authorize', { delay: 500, rewrite: (body) => body }, { times: 50 })
    const answers = await Promise.all(guessers.map((guesser) => comeBack(guesser, 'a-guess')))
    provider.clearFaults()
    expect(answers.filter(({ status }) => status === 302).length).toBe(10)
    expect(answers.filter(({ status }) => status === 429).length).toBe(40)
    expect(exchanges()).toBe(10)
    const refused = await comeBack(await visitorAt('203.0.113.7'), keyOf('1'))
    expect(refused.status).toBe(429)
    expect((await comeBack(await visitorAt('203.0.113.8'), keyOf('1'))).location).toBe('/profile')
  }, 20_000)

  test('"Limiting guesses": an outage holds people up while it lasts, and locks nobody out', async () => {
    await build(limitGuessing)
    const hung = await Promise.all(Array.from({ length: 10 }, () => visitorAt('203.0.113.7')))
    const next = await visitorAt('203.0.113.7')
    provider.failNext('authorize', { status: 503, delay: 800 }, { times: 10 })
    const waiting = hung.map((browser) => comeBack(browser, keyOf('1')))
    while (exchanges() < 10) await new Promise((resolve) => setImmediate(resolve))
    expect((await comeBack(next, keyOf('1'))).status).toBe(429)
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(502)
    // The key was not spent, nor the login in progress: a reload does.
    expect((await comeBack(next, keyOf('1'))).location).toBe('/profile')
    for (let count = 0; count < 15; count++) {
      expect((await comeBack(next, 'spent')).location).toBe('/profile')
      const prefetch = { headers: { 'sec-purpose': 'prefetch' } }
      expect((await next.comeBack(`${origin}${CALLBACK}?auth_key=x`, prefetch)).status).toBe(503)
      expect((await comeBack(await visitorAt('203.0.113.7'), keyOf('2'))).location).toBe('/profile')
    }
  }, 20_000)

  // Whoever leaves answers unread decides when they finish: what is counted until then could be taken back at any time.
  test('"Limiting guesses": callbacks whose answers nobody reads are not counted any longer', async () => {
    let seen = 0
    await build((app) => {
      app.get('/large', (_req, res) => void res.send('x'.repeat(5_000_000)))
      app.use(CALLBACK, (_req, _res, next) => {
        seen += 1
        next()
      })
      limitGuessing(app)
    })
    const visitor = await visitorAt('127.0.0.1')
    const callback = `GET ${CALLBACK}?auth_key=a-guess HTTP/1.1\r\nHost: localhost\r\n\r\n`
    const socket = connect(Number(new URL(origin).port), 'localhost').pause()
    socket.write(`GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n${callback.repeat(30)}`)
    while (seen < 30) await new Promise((resolve) => setImmediate(resolve))
    const { location } = await comeBack(visitor, keyOf('1'))
    socket.destroy()
    expect(location).toBe('/profile')
  }, 20_000)

  test('"Linking accounts": the button of one link does not add the account of another', async () => {
    await build((app) => {
      limitGuessing(app)
      linking(app, async (userID, account) => void links.push([userID, Reflect.get(Object(account), 'id')]))
      app.get('/account/link/confirm', (req, res) => void res.json(Reflect.get(req.session, 'question') ?? {}))
    })
    const ada = await visitorAt('203.0.113.7')
    await comeBack(ada, keyOf('1'))
    const ask = async (userID: string): Promise<string> => {
      await ada.follow(`${origin}/account/link`)
      await ada.comeBack(`${origin}/account/link/callback?auth_key=${keyOf(userID)}`)
      return JSON.parse((await ada.follow(`${origin}/account/link/confirm`)).body).id
    }
    const press = (id: string): Promise<BrowserAnswer> => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return ada.follow(`${origin}/account/link/confirm`, { method: 'POST', headers, body: `id=${id}` })
    }
    const [aboutAlan, aboutGrace] = [await ask('2'), await ask('3')]
    // The danger: whatever was pressed, the account that waits now is this one.
    expect(JSON.parse((await ada.follow(`${origin}/account/link/confirm`)).body).account.id).toBe('3')
    for (const stale of [aboutAlan, '', 'undefined'])
      expect((await press(stale)).location).toBe('/account/link/confirm')
    expect(links).toEqual([])
    expect((await press(aboutGrace)).location).toBe('/account')
    expect((await press(aboutGrace)).location).toBe('/account/link/confirm')
    expect(links).toEqual([['1', '3']])
  })
})
