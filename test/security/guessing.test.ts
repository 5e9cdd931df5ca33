import { once } from 'node:events'
import { createServer } from 'node:http'
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy } from '../../lib'
import { FakeProvider } from '../../lib/testing'
import { limitGuessing } from '../package/readme/recipes'
import { port, stopServer } from '../support/app'
import { startTarget } from '../support/attacks/http-target'
import { SOCIAL } from '../support/attacks/target-app'
import { Browser, closeBrowsers } from '../support/browser'

afterAll(closeBrowsers)

const GUESSES = 1000
const AT_ONCE = 50

let provider: FakeProvider

beforeEach(async () => {
  provider = await FakeProvider.start()
})

afterEach(() => provider.stop())

/** A script, not a browser: it starts a login and comes back with a key that it made up. @returns the status */
async function guess(startURL: string, callbackURL: string, address: string): Promise<number> {
  const script = new Browser()
  const headers = { 'x-forwarded-for': address }
  await script.follow(startURL, { headers })
  const key = Math.random().toString(16).slice(2).padEnd(32, '0')
  return (await script.comeBack(`${callbackURL}?auth_key=${key}`, { headers })).status
}

async function guessAll(startURL: string, callbackURL: string, address: string): Promise<number[]> {
  const statuses: number[] = []
  let left = GUESSES
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) statuses.push(await guess(startURL, callbackURL, address))
    }),
  )
  return statuses
}

const exchanges = () => provider.requests.filter(({ endpoint }) => endpoint === 'authorize').length

test('without a limit, a naive callback asks the provider for every key that somebody makes up', async () => {
  const target = await startTarget({ kind: 'naive', logins: [{ name: SOCIAL, provider }] })
  await guessAll(target.startURL(), target.callbackURL(), '192.0.2.1')
  expect(exchanges()).toBe(GUESSES)
  await target.stop()
}, 60_000)

describe('with the recipe of the README', () => {
  async function startLimited(): Promise<{
    origin: string
    startURL: string
    callbackURL: string
    stop(): Promise<void>
  }> {
    const app = express().set('trust proxy', 1)
    const server = createServer(app).listen(0, 'localhost')
    await once(server, 'listening')
    const origin = `http://localhost:${port(server)}`
    const callbackURL = `${origin}/auth/social-login/callback`
    const { appID, appSecret } = provider.registerApplication({ name: 'Limited', redirectURL: callbackURL })
    const settings = { baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret, callbackURL }
    passport.use(new Strategy(settings, async (_accessToken, _refreshToken, { id }) => ({ id })))
    passport.serializeUser((user, done) => done(null, user))
    app.use(session({ secret: 'session-secret', resave: false, saveUninitialized: false }), passport.session())
    app.get('/auth/social-login', passport.authenticate('social-login'))
    limitGuessing(app)
    return { origin, startURL: `${origin}/auth/social-login`, callbackURL, stop: () => stopServer(server) }
  }

  test('1,000 made-up keys from one address are at most 10 at the provider, and others sign in meanwhile', async () => {
    const app = await startLimited()
    const statuses = await guessAll(app.startURL, app.callbackURL, '192.0.2.1')
    expect(exchanges()).toBeGreaterThan(0)
    expect(exchanges()).toBeLessThanOrEqual(10)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(GUESSES - 10)

    const appID = provider.applications[0]?.appID ?? ''
    const other = { headers: { 'x-forwarded-for': '198.51.100.7' } }
    for (let login = 0; login < 20; login += 1) {
      const person = new Browser()
      await person.follow(app.startURL, other)
      const authKey = provider.issueAuthKey({ appID, userID: '1' })
      const back = await person.comeBack(`${app.callbackURL}?auth_key=${authKey}`, other)
      expect(back.location).toBe('/profile')
    }
    await app.stop()
  }, 60_000)

  test('a key at the start, where nobody counts, is not redeemed', async () => {
    const app = await startLimited()
    const address = { headers: { 'x-forwarded-for': '192.0.2.5' } }
    for (let visit = 0; visit < 30; visit += 1) {
      const script = new Browser()
      await script.follow(app.startURL, address)
      const answer = await script.comeBack(`${app.startURL}?auth_key=${'0'.repeat(32)}`, address)
      expect(answer.status).toBe(403)
    }
    expect(exchanges()).toBe(0)
    await app.stop()
  })

  test('refusals that ask the provider nothing, and outages, do not count', async () => {
    const app = await startLimited()
    const address = { headers: { 'x-forwarded-for': '192.0.2.9' } }
    for (let visit = 0; visit < 30; visit += 1) {
      await new Browser().comeBack(`${app.callbackURL}?auth_key=x`, address)
      const unlucky = new Browser()
      await unlucky.follow(app.startURL, address)
      provider.failNext('authorize', { status: 503 })
      const answer = await unlucky.comeBack(`${app.callbackURL}?auth_key=x`, address)
      expect(answer.status).toBe(502)
    }
    await app.stop()
  })
})
