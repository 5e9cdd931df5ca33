import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express'
import { MemoryStore } from 'express-session'
import { Strategy as PassportStrategy } from 'passport'
import { type Provider, type ProviderResult, SocialLoginClient, Strategy } from '../../lib'
import { FakeProvider } from '../../lib/testing'
import { codeOf, failureIn, keepSessions, newPassport, type PassportInstance } from '../support/app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { findSecrets } from '../support/canaries'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'
import { until } from '../support/turns'

// Two communities of one application: the owner of the second is hostile.
const logins = useLogins()
let hostile: FakeProvider
beforeEach(async () => {
  hostile = logins.stopLater(await FakeProvider.start())
})

/** Signs in at the community of each request, as an application without this package does. */
class NaiveStrategy extends PassportStrategy {
  override name = 'social-login'

  constructor(private readonly _findCommunity: (req: Request) => Provider | undefined) {
    super()
  }

  override authenticate(req: Request): void {
    const community = this._findCommunity(req)
    if (!community) return this.fail(404)
    const { baseURL, clientID, clientSecret } = community
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
    provider?: string
  }
}

/** How the application finds the community of a request, and where logins come back. */
type Shape = 'by its path' | 'in the session'

interface Application {
  readonly origin: string
  readonly communities: Map<string, Provider>
  readonly errors: unknown[]
  sessions(): string
  start(community: string): string
  callback(community: string, authKey: string): string
  userOf(browser: Browser): Promise<unknown>
}

/** @param hostileCallback that of the hostile community, where the community is found in the session */
async function startApplication(
  kind: 'naive' | 'ours',
  shape: Shape,
  hostileCallback = '/auth/callback',
): Promise<Application> {
  const app = express()
  const { origin, stop } = await listen(app)
  logins.stopLater({ stop })
  const callbackOf = (community: string): string => {
    if (shape === 'by its path') return `${origin}/auth/${community}/callback`
    return origin + (community === 'good' ? '/auth/callback' : hostileCallback)
  }
  const communities = new Map([
    ['good', register(logins.provider, 'good', callbackOf('good'))],
    ['hostile', register(hostile, 'hostile', callbackOf('hostile'))],
  ])
  const find = (req: Request): Provider | undefined =>
    communities.get(String(shape === 'in the session' ? req.session.provider : req.params['provider']))
  const store = new MemoryStore()
  const errors: unknown[] = []
  mount(app, store, newPassport([kind === 'naive' ? new NaiveStrategy(find) : ourStrategy(find)]), errors)
  return {
    origin,
    communities,
    errors,
    sessions: () => JSON.stringify(Reflect.get(store, 'sessions')),
    start: (community) => `${origin}/auth/${community}`,
    callback: (community, authKey) => `${callbackOf(community)}?auth_key=${authKey}`,
    userOf: async (browser) => JSON.parse((await browser.follow(`${origin}/me`)).body)?.id ?? null,
  }
}

function register(provider: FakeProvider, name: string, callbackURL: string): Provider {
  const { appID, appSecret } = provider.registerApplication({ name: 'App', redirectURL: callbackURL })
  return { name, baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret, callbackURL }
}

function ourStrategy(provider: (req: Request) => Provider | undefined): Strategy {
  const options = { provider, allowPrivateAddresses: true }
  return new Strategy(options, async (_token, _refresh, { provider, id }) => ({ id: `${provider} ${id}` }))
}

function mount(app: Express, store: MemoryStore, passport: PassportInstance, errors: unknown[]): void {
  const authenticate: RequestHandler = passport.authenticate('social-login', { failureMessage: true })
  const showMe: RequestHandler = (_req, res) => res.redirect('/me')
  app.use(keepSessions(store), passport.session())
  app.get('/me', (req, res) => res.json(req.user ?? null))
  app.get('/auth/callback', authenticate, showMe)
  app.get('/auth/:provider', rememberCommunity, authenticate)
  app.get('/auth/:provider/callback', authenticate, showMe)
  app.use(recordErrors(errors))
}

const rememberCommunity: RequestHandler = (req, _res, next) => {
  req.session.provider = String(req.params['provider'])
  next()
}

function recordErrors(errors: unknown[]): ErrorRequestHandler {
  return (error, _req, res, _next) => {
    errors.push(error)
    res.status(500).send(String(error))
  }
}

const keyAt = (provider: FakeProvider, { communities }: Application, community: string): string =>
  provider.issueAuthKey({ appID: communities.get(community)?.clientID ?? '', userID: '1' })

/** The victim approves at the good community while the attacker's page has begun a login at the hostile one, in another tab. */
async function beMixedUp(app: Application): Promise<{ victim: Browser; authKey: string }> {
  const victim = new Browser()
  await victim.follow(app.start('good'))
  await victim.follow(app.start('hostile'))
  const authKey = keyAt(logins.provider, app, 'good')
  await victim.comeBack(app.callback('good', authKey))
  return { victim, authKey }
}

describe('a hostile community that begins a login of its own meanwhile', () => {
  // To Express these are one path.
  const callbacks = ['/auth/callback', '/auth/callback/', '/AUTH/callback']

  test.each(callbacks)(
    'is sent the key of the good one, and signs its owner in as the victim, with a naive strategy and the callback %s',
    async (path) => {
      const app = await startApplication('naive', 'in the session', path)
      const { authKey } = await beMixedUp(app)
      const stolen = hostile.requests.map(({ form }) => form['auth_key'])
      expect(stolen).toStrictEqual([authKey])
      const attacker = new Browser()
      await attacker.follow(app.start('good'))
      await attacker.comeBack(app.callback('good', stolen[0] ?? ''))
      expect(await app.userOf(attacker)).toBe('1')
    },
  )

  test.each(callbacks)(
    'is sent nothing with ours, which wants a callback for each community, and not %s',
    async (path) => {
      const app = await startApplication('ours', 'in the session', path)
      await beMixedUp(app)
      expect(hostile.requests).toStrictEqual([])
      // One that differs by case may belong to another name, which nobody may claim: it is told apart at the callback.
      const isOther = path === '/AUTH/callback'
      if (isOther) expect(failureIn(app.sessions())).toBe('callback_forged')
      expect(app.errors.map(codeOf)).toEqual(isOther ? [] : ['provider_invalid', 'provider_invalid'])
      if (!isOther) expect(String(app.errors[0])).toContain('callbackURL is that of another provider')
    },
  )

  test('is sent nothing with ours and such callbacks: the login belongs to the hostile community', async () => {
    const app = await startApplication('ours', 'by its path')
    const { victim } = await beMixedUp(app)
    expect(failureIn(app.sessions())).toBe('context_mismatch')
    expect(await app.userOf(victim)).toBeNull()
    expect([...hostile.requests, ...logins.provider.requests]).toStrictEqual([])
  })
})

describe('a hostile community that names a person of the good one', () => {
  const logIn = async (app: Application, community: string, provider: FakeProvider): Promise<unknown> => {
    const browser = new Browser()
    await browser.follow(app.start(community))
    await browser.comeBack(app.callback(community, keyAt(provider, app, community)))
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
    const community = app.communities.get('hostile')
    if (community) app.communities.set('hostile', { ...community, name: 'good' })
    expect(await logIn(app, 'hostile', hostile)).toBeNull()
    expect(String(app.errors[0])).toContain('name is that of a provider with another baseURL')
    expect(hostile.requests).toStrictEqual([])
    expect(await logIn(app, 'good', logins.provider)).toBe('good 1')
  })

  test('nor if the login of the other began before anybody had signed in', async () => {
    const app = await startApplication('ours', 'by its path')
    const community = app.communities.get('hostile')
    if (community) app.communities.set('hostile', { ...community, name: 'good' })
    const [early, browser] = [new Browser(), new Browser()]
    await early.follow(app.start('hostile'))
    await browser.follow(app.start('good'))
    await browser.comeBack(app.callback('good', keyAt(logins.provider, app, 'good')))
    await early.comeBack(app.callback('hostile', keyAt(hostile, app, 'hostile')))
    expect([await app.userOf(browser), await app.userOf(early)]).toStrictEqual(['good 1', null])
    expect(app.errors.map(codeOf)).toStrictEqual(['provider_invalid'])
  })

  // Both have passed the check at the beginning of their callbacks: only that after the exchange is left.
  test('nor if the first logins of both overlap: the name is taken by the one that its provider has confirmed first', async () => {
    const app = await startApplication('ours', 'by its path')
    const community = app.communities.get('hostile')
    if (community) app.communities.set('hostile', { ...community, name: 'good' })
    const [early, browser] = [new Browser(), new Browser()]
    await early.follow(app.start('hostile'))
    await browser.follow(app.start('good'))
    hostile.failNext('user/me', { delay: 400 })
    const waiting = early.comeBack(app.callback('hostile', keyAt(hostile, app, 'hostile')))
    await until(() => hostile.requests.some(({ endpoint }) => endpoint === 'user/me'))
    await browser.comeBack(app.callback('good', keyAt(logins.provider, app, 'good')))
    await waiting
    expect([await app.userOf(browser), await app.userOf(early)]).toStrictEqual(['good 1', null])
    expect(app.errors.map(codeOf)).toStrictEqual(['provider_invalid'])
  })

  test('an address that was mistyped can be corrected', async () => {
    const app = await startApplication('ours', 'by its path')
    const community = app.communities.get('good')
    if (!community) throw new Error('there is a good community')
    app.communities.set('good', { ...community, baseURL: 'http://localhost:9/api/v1' })
    expect(await logIn(app, 'good', logins.provider)).toBeNull()
    app.communities.set('good', community)
    expect(await logIn(app, 'good', logins.provider)).toBe('good 1')
  })
})

test('the secret of a community is sent to that community alone, also after it was replaced during a login', async () => {
  const app = await startApplication('ours', 'by its path')
  const [good, other] = [app.communities.get('good'), app.communities.get('hostile')]
  if (!good || !other) throw new Error('there are two communities')
  const victim = new Browser()
  await victim.follow(app.start('good'))
  // Somebody moves the good community's name to the hostile address, with its old id and secret.
  app.communities.set('good', { ...good, baseURL: other.baseURL })
  await victim.comeBack(app.callback('good', keyAt(logins.provider, app, 'good')))
  expect(failureIn(app.sessions())).toBe('context_mismatch')
  expect(findSecrets([good.clientSecret], { requests: hostile.requests })).toStrictEqual([])
})

// The addresses that are private: test/unit/client/http/address.test.ts.
test.each(['http://127.0.0.1:4400/api/v1', 'https://169.254.169.254/v1', 'https://[::ffff:10.0.0.1]/v1'])(
  'a community at %s is refused before anything is made of it',
  async (baseURL) => {
    const { errors, answer } = await startAt(() => ({
      name: 'private',
      baseURL,
      clientID: 'id',
      clientSecret: 'secret',
    }))
    expect(errors.map(codeOf)).toStrictEqual(['provider_invalid'])
    expect(answer.body).toContain('baseURL must not be a private address')
    expect(answer.headers['set-cookie']).toBeUndefined()
  },
)

test.each(['a\nb', 'a\u0000b', 'a\ud800', '.', '..'])('a community named %j is refused', async (name) => {
  const community = { name, baseURL: 'https://a.example/v1', clientID: 'id', clientSecret: 'secret' }
  const { errors } = await startAt(() => community)
  expect(errors.map(codeOf)).toStrictEqual(['provider_invalid'])
  expect(String(errors[0])).toContain('name must have no control characters')
})

/** The start of a login at the community that is found, as by default. */
async function startAt(provider: () => ProviderResult): Promise<{ errors: unknown[]; answer: BrowserAnswer }> {
  const errors: unknown[] = []
  const strategy = new Strategy({ callbackURL: 'https://app.example/auth/:provider/callback', provider }, () => false)
  const app = express()
  mount(app, new MemoryStore(), newPassport([strategy]), errors)
  const { origin, stop } = await listen(app)
  logins.stopLater({ stop })
  return { errors, answer: await new Browser().follow(`${origin}/auth/callback`) }
}
