import cookieSession from 'cookie-session'
import express, { type RequestHandler } from 'express'
import session, { MemoryStore } from 'express-session'
import { CookieStore, Strategy } from '../../lib'
import { newPassport } from '../support/app'
import { Browser } from '../support/browser'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'

// The login succeeds, and nobody is signed in, because the browser never gets the cookie of the session.

const logins = useLogins()
const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
beforeEach(() => emitWarning.mockClear())
afterAll(() => emitWarning.mockRestore())

const HTTPS = { host: 'app.example', 'x-forwarded-proto': 'https' }

/** The recipe of docs/guides/without-session.md. */
const renewable: RequestHandler = (req, _res, next) => {
  const kept: object = req.session ?? {}
  const regenerate = (done: () => void): void => {
    for (const name of Object.keys(kept)) Reflect.deleteProperty(kept, name)
    done()
  }
  Object.defineProperties(kept, { regenerate: { value: regenerate }, save: { value: (done: () => void) => done() } })
  next()
}

const expressSession = (secure: boolean | 'auto'): RequestHandler[] => [
  session({ secret: 's', resave: false, saveUninitialized: false, store: new MemoryStore(), cookie: { secure } }),
]
const inCookies = (secure: boolean): RequestHandler[] => [cookieSession({ keys: ['k'], secure }), renewable]

/** Signs in behind a proxy that ends TLS. @returns the codes of the warnings of a success */
async function warnedOf(sessions: RequestHandler[], trustProxy: boolean): Promise<string[]> {
  jest.resetModules()
  const app = express()
  if (trustProxy) app.set('trust proxy', 1)
  const { origin } = logins.stopLater(await listen(app))
  const { appID, appSecret } = logins.provider.registerApplication({ name: 'A', redirectURL: 'https://app.example/cb' })
  const options = {
    baseURL: logins.provider.baseURL,
    clientID: appID,
    clientSecret: appSecret,
    callbackURL: 'https://app.example/cb',
    store: new CookieStore({ keys: ['k'.repeat(32)] }),
  }
  const passport = newPassport([new Strategy(options, async (_a, _r, { id }) => ({ id }))])
  app.use(...sessions, passport.session())
  app.get('/auth', passport.authenticate('social-login'))
  app.get('/cb', passport.authenticate('social-login', { successRedirect: '/me' }))
  const browser = new Browser(HTTPS)
  const start = await browser.follow(`${origin}/auth`)
  const cookies = [start.headers['set-cookie'] ?? []].flat().map((line) => line.split(';', 1)[0])
  const key = logins.provider.issueAuthKey({ appID, userID: '1' })
  const headers = { cookie: cookies.join('; ') }
  const { location } = await browser.comeBack(`${origin}/cb?auth_key=${key}`, { headers })
  expect(location).toBe('/me')
  const { calls } = emitWarning.mock
  return calls.map(([, more]) => String(Reflect.get(Object(more), 'code'))).filter((code) => code.startsWith('SESSION'))
}

// A warning comes once in a process, so what must not warn comes first.
test.each<[string, RequestHandler[], boolean, string[]]>([
  ['express-session, with trust proxy', expressSession(true), true, []],
  ["express-session with secure: 'auto', with trust proxy", expressSession('auto'), true, []],
  ['cookie-session, with trust proxy', inCookies(true), true, []],
  [
    "express-session with secure: 'auto', without trust proxy",
    expressSession('auto'),
    false,
    ['SESSION_COOKIE_INSECURE'],
  ],
  ['express-session with secure: true, without trust proxy', expressSession(true), false, ['SESSION_COOKIE_NOT_SET']],
])('%s', async (_title, sessions, trustProxy, codes) => {
  expect(await warnedOf(sessions, trustProxy)).toEqual(codes)
})
