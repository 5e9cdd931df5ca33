import type { RequestHandler } from 'express'
import { type AuthenticateOptions, Strategy } from '../../lib'
import { providerNavigation } from '../../lib/testing'
import { type AppOptions, codeOf, type Keep, type RunningApp } from '../support/app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { useLogins } from '../support/logins'
import { sendBytes } from '../support/raw-requests'
import { until } from '../support/turns'

// A login is bound to its callback, to the signed-in user, and to a request that has no response yet.

const logins = useLogins()
let app: RunningApp

const linked: RequestHandler = (req, res) => {
  res.json({ linked: Reflect.get(req, 'account') ?? null, to: req.user ?? null })
}

/** An application that links accounts at a second callback of the same strategy. */
async function linking({ before, ...options }: AppOptions = {}): Promise<Browser> {
  const link: AuthenticateOptions = { callbackURL: '/link/callback' }
  app = await logins.startApp({
    ...options,
    before: (server, passport) => {
      const authorize: RequestHandler = passport.authorize('social-login', link)
      before?.(server, passport)
      server.get('/link', authorize)
      server.get('/link/callback', authorize, linked)
      server.get('/as/:id', (req, res, next) => {
        const user = { id: req.params.id }
        req.logIn(user, { session: true, keepSessionInfo: true }, (error) => (error ? next(error) : res.json(user)))
      })
    },
  })
  const browser = new Browser()
  await browser.follow(`${app.origin}/as/victim`)
  return browser
}

/** Sends the callback, and again to another URL before the provider has answered. */
async function double(browser: Browser, urls: readonly [string, string], between = async (): Promise<void> => {}) {
  logins.provider.failNext('authorize', { delay: 300, rewrite: (body) => body })
  const first = browser.comeBack(urls[0])
  await until(() => logins.exchanges() > 0)
  await between()
  const second = await browser.comeBack(urls[1])
  return { first: await first, second }
}

describe.each<[Keep]>([['session'], ['cookie']])('a callback that comes twice (%s)', (keep) => {
  test('does not link the account at the callback for links', async () => {
    const browser = await linking({ keep })
    await browser.follow(app.loginURL)
    const query = `?auth_key=${app.newKey('2')}`
    const { first, second } = await double(browser, [
      `${app.callbackURL}${query}`,
      `${app.origin}/link/callback${query}`,
    ])
    expect(JSON.parse(first.body).user).toEqual({ id: '2' })
    expect([second.status, second.body]).not.toContain('"linked":{"id":"2"}')
    expect(second.status).toBe(403)
    expect(logins.exchanges()).toBe(1)
  })

  test('does not link to somebody who has signed in meanwhile', async () => {
    const browser = await linking({ keep })
    await browser.follow(`${app.origin}/link`)
    const url = `${app.origin}/link/callback?auth_key=${app.newKey('2')}`
    const other = async (): Promise<void> => void (await browser.follow(`${app.origin}/as/third`))
    const { second } = await double(browser, [url, url], other)
    expect(second.body).not.toContain('"linked":{"id":"2"}')
  })
})

test('a login of one strategy does not end at another that has the same name in its options', async () => {
  const browser = await linking({
    before: (server, passport) => {
      const { appID, appSecret } = logins.provider.registerApplication({
        name: 'Link',
        redirectURL: 'http://localhost/x',
      })
      const options = { baseURL: logins.provider.baseURL, clientID: appID, clientSecret: appSecret }
      const login = new Strategy({ ...options, callbackURL: '/one/callback' }, async () => ({ id: 'one' }))
      const link = new Strategy({ ...options, callbackURL: '/two/callback' }, async () => ({ id: 'two' }))
      passport.use('one', login).use('two', link)
      server.get('/one', passport.authenticate('one'))
      server.get('/two/callback', passport.authorize('two'), linked)
    },
  })
  await browser.follow(`${app.origin}/one`)
  expect((await browser.comeBack(`${app.origin}/two/callback?auth_key=a-key`)).status).toBe(403)
  expect(logins.exchanges()).toBe(0)
})

test.each(['/auth/callback', '/auth/../callback', '/auth/%2e%2e/callback'])(
  'a start mounted with app.use does not exchange the key of %s, where no limit counts it',
  async (path) => {
    app = await logins.startApp({
      before: (server, passport) => server.use('/auth', passport.authenticate('social-login')),
    })
    const browser = new Browser()
    await browser.follow(app.loginURL)
    const answer = await raw(browser, `${path}?auth_key=${app.newKey('2')}`)
    expect(answer).toContain('403 Forbidden')
    expect(logins.exchanges()).toBe(0)
  },
)

/** Sends a target unchanged: HTTP clients resolve `..`. */
async function raw(browser: Browser, target: string): Promise<string> {
  const headers = { ...providerNavigation, host: 'localhost', cookie: await browser.cookies(app.origin) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return sendBytes(app.origin, `GET ${target} HTTP/1.1\r\n${lines.join('')}connection: close\r\n\r\n`)
}

describe('a request that the application answers before the provider does', () => {
  const late = async (callback: AppOptions['callback']): Promise<BrowserAnswer> => {
    app = await logins.startApp({
      ...(callback && { callback }),
      before: (server) =>
        server.use('/callback', (_req, res, next) => {
          // As connect-timeout does, at the worst moment.
          setImmediate(() => res.status(503).send('too slow'))
          next()
        }),
    })
    const browser = new Browser()
    await browser.follow(app.loginURL)
    return browser.comeBack(app.approvedCallback('2'))
  }

  test('passes a failure to the error handler, where a naive custom callback would respond twice', async () => {
    logins.provider.failNext('authorize', { status: 200, body: '{"error":true,"message":"no"}' })
    let answers = 0
    app = await logins.startApp({
      before: (server, passport) =>
        server.use('/callback', (req, res, next) => {
          setImmediate(() => res.status(503).send('too slow'))
          const answer = (error: unknown): void => {
            answers += 1
            if (error) next(error)
            else res.redirect('/login')
          }
          passport.authenticate('social-login', answer)(req, res, next)
        }),
    })
    const browser = new Browser()
    await browser.follow(app.loginURL)
    expect((await browser.comeBack(app.approvedCallback('2'))).status).toBe(503)
    await until(() => app.errors.length > 0)
    expect([app.errors.map(codeOf), answers]).toStrictEqual([['auth_key_rejected'], 1])
  })

  test('signs nobody in, does not redirect, and does not crash the process', async () => {
    expect((await late({ successRedirect: '/me' })).status).toBe(503)
    await until(() => app.errors.length > 0)
    expect(String(app.errors[0])).toContain('no one was signed in')
    expect(app.sessions()).not.toContain('passport":{"user"')
    expect((await new Browser().follow(`${app.origin}/me`)).status).toBe(200)
  })
})
