import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express'
import { MemoryStore } from 'express-session'
import { Strategy as PassportStrategy } from 'passport'
import { type Site, type SiteAnswer, SocialLoginClient, Strategy } from '../../lib'
import { FakeProvider } from '../../lib/testing'
import { codeOf, failureIn, keepSessions, newPassport, type PassportInstance } from '../support/app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { findSecrets } from '../support/canaries'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'

// Two communities of one application: the owner of the second is hostile.
const logins = useLogins()
let hostile: FakeProvider
beforeEach(async () => {
  hostile = logins.stopLater(await FakeProvider.start())
})

/** Signs in at the site of each request, as an application without this package does. */
class NaiveStrategy extends PassportStrategy {
  override name = 'social-login'

  constructor(private readonly _site: (req: Request) => Site | undefined) {
    super()
  }

  override authenticate(req: Request): void {
    const site = this._site(req)
    if (!site) return this.fail(404)
    const { baseURL, clientID, clientSecret } = site
    const client = new SocialLoginClient({ baseURL, clientID, clientSecret })
    const { auth_key: key } = req.query
    if (key === undefined) return this.redirect(client.loginURL())
    this._logIn(client, String(key)).then(
      (id) => this.success({ id }),
      (error) => this.error(error),
    )
  }

  private async _logIn(client: SocialLoginClient, key: string): Promise<string> {
    const { access_token } = await client.exchangeAuthKey(key)
    const { user_id } = await client.getCurrentUser(access_token)
    await client.close()
    return user_id
  }
}

declare module 'express-session' {
  interface SessionData {
    site?: string
  }
}

/** How the application finds the site of a request, and where logins come back. */
type Shape = 'by its path' | 'in the session'

interface Application {
  readonly origin: string
  readonly sites: Map<string, Site>
  readonly errors: unknown[]
  sessions(): string
  start(site: string): string
  callback(site: string, authKey: string): string
  userOf(browser: Browser): Promise<unknown>
}

/** @param hostileCallback that of the hostile site, where the site is found in the session */
async function startApplication(
  kind: 'naive' | 'ours',
  shape: Shape,
  hostileCallback = '/auth/callback',
): Promise<Application> {
  const app = express()
  const { origin, stop } = await listen(app)
  logins.stopLater({ stop })
  const callbackOf = (site: string): string => {
    if (shape === 'by its path') return `${origin}/auth/${site}/callback`
    return origin + (site === 'good' ? '/auth/callback' : hostileCallback)
  }
  const sites = new Map([
    ['good', register(logins.provider, 'good', callbackOf('good'))],
    ['hostile', register(hostile, 'hostile', callbackOf('hostile'))],
  ])
  const find = (req: Request): Site | undefined =>
    sites.get(String(shape === 'in the session' ? req.session.site : req.params['site']))
  const store = new MemoryStore()
  const errors: unknown[] = []
  mount(app, store, newPassport([kind === 'naive' ? new NaiveStrategy(find) : ourStrategy(find)]), errors)
  return {
    origin,
    sites,
    errors,
    sessions: () => JSON.stringify(Reflect.get(store, 'sessions')),
    start: (site) => `${origin}/auth/${site}`,
    callback: (site, authKey) => `${callbackOf(site)}?auth_key=${authKey}`,
    userOf: async (browser) => JSON.parse((await browser.follow(`${origin}/me`)).body)?.id ?? null,
  }
}

function register(provider: FakeProvider, name: string, callbackURL: string): Site {
  const { appID, appSecret } = provider.registerApplication({ name: 'App', redirectURL: callbackURL })
  return { name, baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret, callbackURL }
}

function ourStrategy(site: (req: Request) => Site | undefined): Strategy {
  return new Strategy({ site, allowPrivateAddresses: true }, async (_token, _refresh, { provider, id }) => ({
    id: `${provider} ${id}`,
  }))
}

function mount(app: Express, store: MemoryStore, passport: PassportInstance, errors: unknown[]): void {
  const authenticate: RequestHandler = passport.authenticate('social-login', { failureMessage: true })
  const showMe: RequestHandler = (_req, res) => res.redirect('/me')
  app.use(keepSessions(store), passport.session())
  app.get('/me', (req, res) => res.json(req.user ?? null))
  app.get('/auth/callback', authenticate, showMe)
  app.get('/auth/:site', rememberSite, authenticate)
  app.get('/auth/:site/callback', authenticate, showMe)
  app.use(recordErrors(errors))
}

const rememberSite: RequestHandler = (req, _res, next) => {
  req.session.site = String(req.params['site'])
  next()
}

function recordErrors(errors: unknown[]): ErrorRequestHandler {
  return (error, _req, res, _next) => {
    errors.push(error)
    res.status(500).send(String(error))
  }
}

const keyAt = (provider: FakeProvider, { sites }: Application, site: string): string =>
  provider.issueAuthKey({ appID: sites.get(site)?.clientID ?? '', userID: '1' })

/** The victim approves at the good site while the attacker's page has begun a login at the hostile one, in another tab. */
async function beMixedUp(app: Application): Promise<{ victim: Browser; authKey: string }> {
  const victim = new Browser()
  await victim.follow(app.start('good'))
  await victim.follow(app.start('hostile'))
  const authKey = keyAt(logins.provider, app, 'good')
  await victim.comeBack(app.callback('good', authKey))
  return { victim, authKey }
}

describe('a hostile site that begins a login of its own meanwhile', () => {
  // To Express these are one path.
  const callbacks = ['/auth/callback', '/auth/callback/', '/AUTH/callback']

  test.each(callbacks)(
    'is sent the key of the good one, and signs its owner in as the victim, with a naive strategy and the callback %s',
    async (path) => {
      const app = await startApplication('naive', 'in the session', path)
      const { authKey } = await beMixedUp(app)
      const stolen = hostile.requests.map(({ form }) => form['auth_key'])
      expect(stolen).toEqual([authKey])
      const attacker = new Browser()
      await attacker.follow(app.start('good'))
      await attacker.comeBack(app.callback('good', stolen[0] ?? ''))
      expect(await app.userOf(attacker)).toBe('1')
    },
  )

  test.each(callbacks)('is sent nothing with ours, which wants a callback for each site, and not %s', async (path) => {
    const app = await startApplication('ours', 'in the session', path)
    await beMixedUp(app)
    expect(app.errors.map(codeOf)).toEqual(['site_invalid', 'site_invalid'])
    expect(String(app.errors[0])).toContain('callbackURL is that of another site')
    expect(hostile.requests).toEqual([])
  })

  test('is sent nothing with ours and such callbacks: the login belongs to the hostile site', async () => {
    const app = await startApplication('ours', 'by its path')
    const { victim } = await beMixedUp(app)
    expect(failureIn(app.sessions())).toBe('context_mismatch')
    expect(await app.userOf(victim)).toBeNull()
    expect([...hostile.requests, ...logins.provider.requests]).toEqual([])
  })
})

describe('a hostile site that sends a browser to its callback without a login', () => {
  const visit = async (app: Application): Promise<unknown> => {
    const victim = new Browser()
    await victim.comeBack(app.callback('hostile', keyAt(hostile, app, 'hostile')))
    return app.userOf(victim)
  }

  test('signs people in as whom it likes, with a naive strategy', async () => {
    expect(await visit(await startApplication('naive', 'by its path'))).toBe('1')
  })

  test('signs nobody in with ours', async () => {
    const app = await startApplication('ours', 'by its path')
    expect(await visit(app)).toBeNull()
    expect(failureIn(app.sessions())).toBe('login_not_started')
  })

  test('nor with ours by the callback of a login that has ended', async () => {
    const app = await startApplication('ours', 'by its path')
    const browser = new Browser()
    const callback = app.callback('hostile', keyAt(hostile, app, 'hostile'))
    await browser.follow(app.start('hostile'))
    await browser.comeBack(callback)
    const attacker = new Browser()
    await attacker.comeBack(callback)
    expect([await app.userOf(browser), await app.userOf(attacker)]).toEqual(['hostile 1', null])
    expect(hostile.requests.filter(({ endpoint }) => endpoint === 'authorize')).toHaveLength(1)
  })
})

describe('a hostile site that names a person of the good one', () => {
  const logIn = async (app: Application, site: string, provider: FakeProvider): Promise<unknown> => {
    const browser = new Browser()
    await browser.follow(app.start(site))
    await browser.comeBack(app.callback(site, keyAt(provider, app, site)))
    return app.userOf(browser)
  }

  test('gets the account of that person, with a naive strategy', async () => {
    const app = await startApplication('naive', 'by its path')
    expect(await logIn(app, 'good', logins.provider)).toBe('1')
    expect(await logIn(app, 'hostile', hostile)).toBe('1')
  })

  test('gets another account with ours', async () => {
    const app = await startApplication('ours', 'by its path')
    expect(await logIn(app, 'good', logins.provider)).toBe('good 1')
    expect(await logIn(app, 'hostile', hostile)).toBe('hostile 1')
  })

  test('nor by the name of the good one, once somebody has signed in there', async () => {
    const app = await startApplication('ours', 'by its path')
    expect(await logIn(app, 'good', logins.provider)).toBe('good 1')
    const site = app.sites.get('hostile')
    if (site) app.sites.set('hostile', { ...site, name: 'good' })
    expect(await logIn(app, 'hostile', hostile)).toBeNull()
    expect(String(app.errors[0])).toContain('name is that of a site with another baseURL')
    expect(hostile.requests).toEqual([])
    expect(await logIn(app, 'good', logins.provider)).toBe('good 1')
  })

  test('nor if the login of the other began before anybody had signed in', async () => {
    const app = await startApplication('ours', 'by its path')
    const site = app.sites.get('hostile')
    if (site) app.sites.set('hostile', { ...site, name: 'good' })
    const [early, browser] = [new Browser(), new Browser()]
    await early.follow(app.start('hostile'))
    await browser.follow(app.start('good'))
    await browser.comeBack(app.callback('good', keyAt(logins.provider, app, 'good')))
    await early.comeBack(app.callback('hostile', keyAt(hostile, app, 'hostile')))
    expect([await app.userOf(browser), await app.userOf(early)]).toEqual(['good 1', null])
    expect(app.errors.map(codeOf)).toEqual(['site_invalid'])
  })

  test('an address that was mistyped can be corrected', async () => {
    const app = await startApplication('ours', 'by its path')
    const site = app.sites.get('good')
    if (!site) throw new Error('there is a good site')
    app.sites.set('good', { ...site, baseURL: 'http://localhost:9/api/v1' })
    expect(await logIn(app, 'good', logins.provider)).toBeNull()
    app.sites.set('good', site)
    expect(await logIn(app, 'good', logins.provider)).toBe('good 1')
  })
})

test('the secret of a site is sent to that site alone, also after it was replaced during a login', async () => {
  const app = await startApplication('ours', 'by its path')
  const [good, other] = [app.sites.get('good'), app.sites.get('hostile')]
  if (!good || !other) throw new Error('there are two sites')
  const victim = new Browser()
  await victim.follow(app.start('good'))
  // Somebody moves the good site's name to the hostile address, with its old id and secret.
  app.sites.set('good', { ...good, baseURL: other.baseURL })
  await victim.comeBack(app.callback('good', keyAt(logins.provider, app, 'good')))
  expect(failureIn(app.sessions())).toBe('context_mismatch')
  expect(findSecrets([good.clientSecret], { requests: hostile.requests })).toEqual([])
})

test.each([
  'http://127.0.0.1:4400/api/v1',
  'https://127.1/api/v1',
  'https://0x7f000001/api/v1',
  'https://2130706433/api/v1',
  'https://10.0.0.1/api/v1',
  'https://172.31.255.255/v1',
  'https://192.168.1.1/v1',
  'https://169.254.169.254/v1',
  'https://100.64.0.1/v1',
  'https://[::1]/v1',
  'https://[::ffff:10.0.0.1]/v1',
  'https://[64:ff9b::a00:1]/v1',
  'https://[fd00::1]/v1',
  'https://[fe80::1]/v1',
])('a site at %s is refused before anything is made of it', async (baseURL) => {
  const { errors, answer } = await startAt(() => ({ name: 'private', baseURL, clientID: 'id', clientSecret: 'secret' }))
  expect(errors.map(codeOf)).toEqual(['site_invalid'])
  expect(answer.body).toContain('baseURL must not be a private address')
  expect(answer.headers['set-cookie']).toBeUndefined()
})

test.each(['a\nb', 'a\u0000b', 'a\ud800', '.', '..'])('a site named %j is refused', async (name) => {
  const site = { name, baseURL: 'https://a.example/v1', clientID: 'id', clientSecret: 'secret' }
  const { errors } = await startAt(() => site)
  expect(errors.map(codeOf)).toEqual(['site_invalid'])
  expect(String(errors[0])).toContain('name must have no control characters')
})

test('what the function throws goes to next(error) unchanged', async () => {
  const reason = new Error('the database is down')
  expect((await startAt(() => Promise.reject(reason))).errors).toEqual([reason])
})

/** The start of a login at the site that is found, as by default. */
async function startAt(site: () => SiteAnswer): Promise<{ errors: unknown[]; answer: BrowserAnswer }> {
  const errors: unknown[] = []
  const strategy = new Strategy({ callbackURL: 'https://app.example/auth/:site/callback', site }, () => false)
  const app = express()
  mount(app, new MemoryStore(), newPassport([strategy]), errors)
  const { origin, stop } = await listen(app)
  logins.stopLater({ stop })
  return { errors, answer: await new Browser().follow(`${origin}/auth/callback`) }
}
