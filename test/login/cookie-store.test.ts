import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import connect from 'connect'
import express, { type RequestHandler } from 'express'
import { Passport } from 'passport'
import { CookieStore, SocialLoginError, Strategy } from '../../lib'
import { type Application, FakeProvider } from '../../lib/testing'
import { port, stopServer } from '../support/app'
import { Browser, closeBrowsers } from '../support/browser'

const KEY = 'cookie-key-canary-0123456789abcdef'
const NAME = '__Host-social-login'

let provider: FakeProvider
let server: Server
let application: Application
let origin: string

afterAll(closeBrowsers)
afterEach(async () => {
  jest.restoreAllMocks()
  await stopServer(server)
  await provider.stop()
})

/** Starts an application that `build` makes of a Passport with the strategies `social-login` and `other`. */
async function serve(build: (passport: InstanceType<typeof Passport>) => RequestListener): Promise<void> {
  provider = await FakeProvider.start()
  server = createServer((req, res) => listener(req, res)).listen(0, 'localhost')
  await once(server, 'listening')
  origin = `http://localhost:${port(server)}`
  application = provider.registerApplication({ name: 'Test', redirectURL: `${origin}/callback` })
  const passport = new Passport()
  const common = { baseURL: provider.baseURL, clientID: application.appID, clientSecret: application.appSecret }
  const verify = async (_accessToken: string, _refreshToken: undefined, profile: { id: string }) => ({ id: profile.id })
  const store = new CookieStore({ keys: [KEY] })
  passport.use(new Strategy({ ...common, store, callbackURL: `${origin}/callback` }, verify))
  passport.use(new Strategy({ ...common, store, callbackURL: `${origin}/other`, name: 'other' }, verify))
  const listener = build(passport)
}

const approved = (path = '/callback') =>
  `${origin}${path}?auth_key=${provider.issueAuthKey({ appID: application.appID, userID: '1' })}`

const exchanges = () => provider.requests.filter(({ endpoint }) => endpoint === 'authorize').length

const answerUser: RequestHandler = (req, res) => {
  res.json({ user: req.user })
}

function withoutSession(passport: InstanceType<typeof Passport>): RequestListener {
  const app = express()
  app.use((_req, res, next) => next(void res.append('Set-Cookie', ['cart=1; Path=/', 'theme=dark; Path=/'])))
  app.get('/auth', passport.authenticate('social-login', { session: false }))
  app.get('/callback', passport.authenticate('social-login', { session: false }), answerUser)
  app.get('/other', passport.authenticate('other', { session: false }), answerUser)
  return app
}

describe('an Express application without any session', () => {
  beforeEach(() => serve(withoutSession))

  test('signs in once, and not a second time by the same record', async () => {
    const browser = new Browser()
    expect((await browser.follow(`${origin}/auth`)).status).toBe(302)
    const cookies = await browser.cookies(origin)
    const answer = await browser.comeBack(approved())
    expect(JSON.parse(answer.body)).toEqual({ user: { id: '1' } })
    // The browser has no record any more, and a copy of it is of no use.
    expect(await browser.cookies(origin)).not.toContain(NAME)
    expect((await browser.comeBack(approved())).status).toBe(403)
    expect((await browser.comeBack(approved(), { headers: { cookie: cookies } })).status).toBe(403)
    expect(exchanges()).toBe(1)
  })

  test('keeps the other cookies of its answers', async () => {
    const browser = new Browser()
    for (const answer of [await browser.follow(`${origin}/auth`), await browser.comeBack(approved())]) {
      const lines = [answer.headers['set-cookie'] ?? []].flat()
      expect(lines.slice(0, 2)).toEqual(['cart=1; Path=/', 'theme=dark; Path=/'])
      expect(lines.slice(2).map((line) => line.split('=')[0])).toEqual([NAME])
    }
  })

  test('refuses a record of another strategy, and keeps it for its own', async () => {
    const browser = new Browser()
    await browser.follow(`${origin}/auth`)
    expect((await browser.comeBack(approved('/other'))).status).toBe(403)
    expect(exchanges()).toBe(0)
    expect((await browser.comeBack(approved())).status).toBe(200)
  })

  test('refuses a record older than ten minutes, even one that the browser did not drop', async () => {
    const browser = new Browser()
    await browser.follow(`${origin}/auth`)
    const cookie = await browser.cookies(origin)
    const start = Date.now()
    const now = jest.spyOn(Date, 'now')
    now.mockReturnValue(start + 10 * 60 * 1000 + 2000)
    expect((await browser.comeBack(approved(), { headers: { cookie } })).status).toBe(403)
    expect(exchanges()).toBe(0)
    now.mockReturnValue(start + 10 * 60 * 1000 - 2000)
    expect((await browser.comeBack(approved(), { headers: { cookie } })).status).toBe(200)
  })

  // What __Host- is for: whoever can set cookies for this very host can plant his own login in progress. That is
  // malware or a hostile proxy, who need no such detour. A planted cookie beside the browser's own ends both logins.
  test('accepts a cookie planted from another browser, unless the browser has one of its own', async () => {
    const attacker = new Browser()
    await attacker.follow(`${origin}/auth`)
    const planted = await attacker.cookies(origin)
    const victim = new Browser()
    await victim.follow(`${origin}/auth`)
    const both = `${await victim.cookies(origin)}; ${planted}`
    expect((await victim.comeBack(approved(), { headers: { cookie: both } })).status).toBe(403)
    expect(exchanges()).toBe(0)
    const answer = await new Browser().comeBack(approved(), { headers: { cookie: planted } })
    expect(answer.status).toBe(200)
  })
})

describe('a Connect application', () => {
  const errors: unknown[] = []

  function app(passport: InstanceType<typeof Passport>, givesResponse: boolean): RequestListener {
    const routes = connect()
    if (givesResponse) routes.use((req, res, next) => next(void Object.assign(req, { res })))
    const login = passport.authenticate('social-login', { session: false })
    routes.use('/auth', login).use('/callback', login)
    routes.use('/callback', (req: connect.IncomingMessage, res) => res.end(JSON.stringify(Reflect.get(req, 'user'))))
    routes.use((error: unknown, _req: unknown, _res: unknown, next: (error: unknown) => void) => {
      errors.push(error)
      next(error)
    })
    return routes
  }

  test('signs in with the response at req.res', async () => {
    await serve((passport) => app(passport, true))
    const browser = new Browser()
    expect((await browser.follow(`${origin}/auth`)).status).toBe(302)
    expect(JSON.parse((await browser.comeBack(approved())).body)).toEqual({ id: '1' })
  })

  test('is told where to put the response without it', async () => {
    await serve((passport) => app(passport, false))
    const answer = await new Browser().follow(`${origin}/auth`)
    expect(answer.status).toBe(503)
    const [error] = errors.splice(0)
    expect(error).toBeInstanceOf(SocialLoginError)
    expect(error).toMatchObject({ code: 'session_unavailable', phase: 'start' })
    expect(String(error)).toContain('CookieStore needs req.res: put the response there before passport.authenticate().')
  })
})
