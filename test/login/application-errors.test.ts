import type { RequestHandler } from 'express'
import { type AuthenticateOptions, SocialLoginError, type StrategyOptions } from '../../lib'
import { FakeProvider } from '../../lib/testing'
import { type AppOptions, type RunningApp, startApp } from '../support/app'
import { Browser, type BrowserAnswer, closeBrowsers } from '../support/browser'

let provider: FakeProvider
let app: RunningApp

beforeEach(async () => {
  provider = await FakeProvider.start()
})
afterEach(async () => {
  await app.stop()
  await provider.stop()
})
afterAll(closeBrowsers)

async function logIn(options: Omit<AppOptions, 'provider'>): Promise<BrowserAnswer> {
  app = await startApp({ provider, callback: {}, ...options })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  const authKey = provider.issueAuthKey({ appID: app.application.appID, userID: '1' })
  return browser.comeBack(`${app.callbackURL}?auth_key=${authKey}`)
}

/** An error of an application that has learned from ours, and has codes of its own. */
class DatabaseError extends SocialLoginError {
  constructor() {
    super('overloaded', 'verify')
    const code: unknown = 'E_DATABASE'
    Object.assign(this, { code })
  }
}

test('an error that extends ours with a code of its own is the application’s, and does not end the process', async () => {
  const answer = await logIn({ verify: () => Promise.reject(new DatabaseError()) })
  expect(answer.status).toBe(503)
  expect(app.errors.map((error) => Reflect.get(Object(error), 'code'))).toEqual(['E_DATABASE'])
})

test.each<[string, () => unknown]>([
  ['an object without a prototype', () => Object.create(null)],
  [
    'an error whose stack cannot be read',
    () =>
      Object.defineProperty(new Error('x'), 'stack', {
        get: () => {
          throw new Error('no')
        },
      }),
  ],
  ['an error whose stack is a symbol', () => Object.assign(new Error('x'), { stack: Symbol('x') })],
])('a custom callback that throws %s is answered with an empty 500', async (_title, thrown) => {
  app = await startApp({
    provider,
    before: (server) =>
      server.get('/custom', (req, res, next) => {
        app.passport.authenticate('social-login', () => {
          throw thrown()
        })(req, res, next)
      }),
  })
  const answer = await new Browser().comeBack(`${app.origin}/custom?auth_key=K`)
  expect([answer.status, answer.body]).toEqual([500, ''])
})

test.each([200, true, () => 'x'])('a refusal with the info %p is a 401 all the same', async (info) => {
  const answer = await logIn({
    verify: (_token, _refresh, _profile, done) => Reflect.apply(done, undefined, [null, false, info]),
  })
  expect(answer.status).toBe(401)
})

test.each<[string, () => unknown]>([
  ['a promise', async () => '<p>'],
  ['a promise that is rejected', () => Promise.reject(new Error('no template'))],
  ['nothing', () => undefined],
])('a confirmPage that returns %s is an error that says so', async (_title, confirmPage) => {
  const strategy: Partial<StrategyOptions<false>> = {}
  Reflect.set(strategy, 'confirmPage', confirmPage)
  app = await startApp({ provider, strategy })
  const answer = await new Browser().request(app.loginURL)
  expect(answer.status).toBe(500)
  expect(String(app.errors[0])).toContain('confirmPage must return a string')
})

test.each([
  ['<!doctype html><title>x</title>', /^<!doctype html>\n<style>/],
  ['\n<!DOCTYPE html SYSTEM "x">\n<p>x', /^\n<!DOCTYPE html SYSTEM "x">\n<style>/],
  ['<!-- c --><!doctype html><p>x', /^<!-- c --><!doctype html>\n<style>/],
  ['<p>x <!--', /^\n<style>[\s\S]*<\/script>\n<p>x <!--$/],
])('the guard stands before all of a page of the application’s own (%j)', async (html, expected) => {
  app = await startApp({ provider, strategy: { confirmPage: () => html } })
  expect((await new Browser().request(app.loginURL)).body).toMatch(expected)
})

test('a login that was begun at one callback of a strategy ends at no other one', async () => {
  const other: AuthenticateOptions = { callbackURL: '/other' }
  const atOther: RequestHandler = (req, res, next) => app.passport.authenticate('social-login', other)(req, res, next)
  app = await startApp({
    provider,
    before: (server) => {
      server.get('/begin-other', atOther)
      server.get('/other', atOther, (req, res) => void res.json(req.user))
    },
  })
  const key = (): string => provider.issueAuthKey({ appID: app.application.appID, userID: '1' })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  expect((await browser.comeBack(`${app.origin}/other?auth_key=${key()}`)).status).toBe(403)
  await browser.follow(`${app.origin}/begin-other`)
  expect((await browser.comeBack(`${app.callbackURL}?auth_key=${key()}`)).status).toBe(403)
  expect((await browser.comeBack(`${app.origin}/other?auth_key=${key()}`)).status).toBe(200)
})

test('a callbackURL for one request that is the strategy’s own is no other callback; in other letters it is one', async () => {
  const same: AuthenticateOptions = { callbackURL: '/callback' }
  // Another route under `case sensitive routing`.
  const inCapitals: AuthenticateOptions = { callbackURL: '/Callback' }
  const atSame: RequestHandler = (req, res, next) => app.passport.authenticate('social-login', same)(req, res, next)
  app = await startApp({
    provider,
    before: (server) => {
      server.get('/begin-same', atSame)
      server.get('/begin-capitals', (req, res, next) =>
        app.passport.authenticate('social-login', inCapitals)(req, res, next),
      )
    },
  })
  const browser = new Browser()
  await browser.follow(`${app.origin}/begin-same`)
  const key = (): string => provider.issueAuthKey({ appID: app.application.appID, userID: '1' })
  expect((await browser.comeBack(`${app.callbackURL}?auth_key=${key()}`)).status).toBe(200)
  const other = new Browser()
  await other.follow(`${app.origin}/begin-capitals`)
  expect((await other.comeBack(`${app.callbackURL}?auth_key=${key()}`)).status).toBe(403)
})
