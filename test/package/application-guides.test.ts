import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import express, { type Application, type ErrorRequestHandler, type RequestHandler } from 'express'
import { Passport } from 'passport'
import { type Profile, SocialLoginError, Strategy, type StrategyOptions } from '../../lib'
import type { PassportInstance } from '../support/app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'
import { storedTokens } from './docs/guides'

const CALLBACK = '/auth/social-login/callback'
const FOLDER = join(__dirname, '../../../test/package/docs/members')

interface Member {
  readonly id: string
  readonly name: string
  readonly isAdmin: boolean
  isBanned: boolean
}

/** What the guides leave to the application, in memory. */
class Members {
  readonly invitations = new Set<unknown>()
  readonly #byLogin = new Map<string, Member>()

  add(subject: string, isAdmin = false): Member {
    const member = { id: `member-${subject}`, name: `<${subject}>`, isAdmin, isBanned: false }
    this.#byLogin.set(subject, member)
    return member
  }
  async find({ id }: Pick<Profile, 'id'>): Promise<Member | undefined> {
    return this.#byLogin.get(id)
  }
  async join({ id }: Pick<Profile, 'id'>, invitation: unknown): Promise<Member | undefined> {
    return this.invitations.delete(invitation) ? this.add(id) : undefined
  }
  async get(id: string): Promise<Member | undefined> {
    return [...this.#byLogin.values()].find((member) => member.id === id)
  }
  async deleteUser(userID: string): Promise<void> {
    for (const [subject, { id }] of this.#byLogin) if (id === userID) this.#byLogin.delete(subject)
  }
  async loginsOf(): Promise<{ provider: string; subject: string }[]> {
    return [{ provider: 'social-login', subject: '<7>' }]
  }
  readonly removals: unknown[] = []
  async removeLogin(...removal: [string, unknown, string]): Promise<boolean> {
    this.removals.push(removal)
    return this.removals.length > 1
  }
}

/** The guides' code, which is a program of its own: its `Express.User` is the guide's. */
interface Guides {
  sessions(): RequestHandler
  letIn(app: Application, passport: PassportInstance, options: StrategyOptions<false>, members: Members): void
  protect(app: Application, passport: PassportInstance, accounts: Members): void
}

describe('guides about people and accounts', () => {
  const logins = useLogins('all tests', { mode: { tokenLifetime: 60_000 }, rateLimit: 3 })
  let members: Members
  let origin: string
  let newKey: (userID?: string) => string

  beforeAll(() => {
    const tsc = join(__dirname, '../../../node_modules/typescript/bin/tsc')
    const compiled = spawnSync(process.execPath, [tsc, '-p', FOLDER], { encoding: 'utf8' })
    if (compiled.stdout !== '') throw new Error(compiled.stdout)
  })

  const serve = async (
    build: (guides: Guides, app: Application, passport: PassportInstance, options: StrategyOptions<false>) => void,
  ): Promise<void> => {
    const guides = jest.requireActual<Guides>(join(__dirname, 'docs/members/app.js'))
    members = new Members()
    const app = express()
    const listening = logins.stopLater(await listen(app))
    origin = listening.origin
    const redirectURL = origin + CALLBACK
    const { appID, appSecret } = logins.provider.registerApplication({ name: 'Guide', redirectURL })
    newKey = (userID = '1') => logins.provider.issueAuthKey({ appID, userID })
    const passport = new Passport()
    app.use(guides.sessions(), passport.session())
    const options = {
      baseURL: logins.provider.baseURL,
      clientID: appID,
      clientSecret: appSecret,
      callbackURL: CALLBACK,
    }
    build(guides, app, passport, options)
    app.get('/me', (req, res) => void res.json(req.user ?? null))
    const sendStatus: ErrorRequestHandler = (_error, _req, res, _next) => void res.sendStatus(500)
    app.use(sendStatus)
  }
  const get = (browser: Browser, path: string): Promise<BrowserAnswer> => browser.follow(origin + path)
  const linkOn = ({ body }: BrowserAnswer): string => /href="([^"<>]+)"/.exec(body)?.[1] ?? 'no link'
  const comeBack = (browser: Browser, key = newKey()): Promise<BrowserAnswer> =>
    browser.comeBack(`${origin}${CALLBACK}?auth_key=${key}`)
  const userIn = async (browser: Browser): Promise<unknown> => JSON.parse((await get(browser, '/me')).body)

  describe('"Letting only some users in"', () => {
    beforeEach(() => serve(({ letIn }, app, passport, options) => letIn(app, passport, options, members)))

    const problemOf = async (browser: Browser, { location }: BrowserAnswer): Promise<string> => {
      expect(location).toBe('/login')
      return /<p>(.*)<\/p>/.exec((await get(browser, location)).body)?.[1] ?? 'no message'
    }
    const join = async (browser: Browser, invitation: string, userID?: string): Promise<BrowserAnswer> => {
      const page = await get(browser, `/join/${encodeURIComponent(invitation)}`)
      expect((await get(browser, linkOn(page))).location).toContain('/api/oauth?app_id=')
      return comeBack(browser, newKey(userID))
    }

    test('an invitation lets one person in, and those without one read that they need it', async () => {
      members.invitations.add('welcome &"')
      const [ada, alan] = [new Browser(), new Browser()]
      expect((await join(ada, 'welcome &"')).location).toBe('/')
      expect(await userIn(ada)).toMatchObject({ id: 'member-1' })
      for (const invitation of ['welcome &"', 'x'.repeat(2000), 'guess']) {
        expect(await problemOf(alan, await join(alan, invitation, '2'))).toBe('You need an invitation.')
      }
      expect(await userIn(alan)).toBeNull()
      await get(alan, linkOn(await get(alan, '/login')))
      expect(await problemOf(alan, await comeBack(alan, newKey('2')))).toBe('You need an invitation.')
      const again = new Browser()
      await get(again, '/auth/social-login')
      expect((await comeBack(again)).location).toBe('/')
    })

    test('a ban ends the session that is open, and the next login says why', async () => {
      const member = members.add('1')
      const ada = new Browser()
      await get(ada, '/auth/social-login')
      await comeBack(ada)
      expect(await userIn(ada)).toMatchObject({ id: 'member-1' })
      member.isBanned = true
      expect(await userIn(ada)).toBeNull()
      await get(ada, '/auth/social-login')
      expect(await problemOf(ada, await comeBack(ada))).toContain('This account is closed.')
      expect(await userIn(ada)).toBeNull()
    })
  })

  describe('"Protecting routes" and "Removing a login, deleting an account"', () => {
    beforeEach(() =>
      serve(({ protect }, app, passport, options) => {
        passport.use(new Strategy(options, (_accessToken, _refreshToken, profile) => members.find(profile)))
        passport.serializeUser((user, done) => done(null, Reflect.get(user, 'id')))
        passport.deserializeUser((id: string, done) => {
          members.get(id).then((member) => done(null, member ?? false), done)
        })
        protect(app, passport, members)
        const finish = passport.authenticate('social-login', { failureRedirect: '/login' })
        app.get(CALLBACK, finish, (req, res) => res.redirect(req.authInfo?.returnTo ?? '/'))
      }),
    )

    const signIn = async (browser: Browser, userID = '1'): Promise<void> => {
      await get(browser, '/auth/social-login')
      await comeBack(browser, newKey(userID))
    }
    const post = (browser: Browser, path: string, headers: Record<string, string> = {}): Promise<BrowserAnswer> => {
      const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
      return browser.follow(origin + path, { method: 'POST', headers: form, body: 'provider=social-login&subject=7' })
    }

    test('the wall leads to the login, and the login back to the page', async () => {
      members.add('1')
      const ada = new Browser()
      const { location, headers } = await get(ada, '/account?tab=%22a&b')
      expect([location, headers['cache-control']]).toStrictEqual([
        '/login?returnTo=%2Faccount%3Ftab%3D%2522a%26b',
        'no-store',
      ])
      await get(ada, linkOn(await get(ada, location)))
      expect((await comeBack(ada)).location).toBe('/account?tab=%22a&b')
      expect(JSON.parse((await get(ada, '/account')).body)).toEqual({ name: '<1>' })
      const lured = new Browser()
      await get(lured, linkOn(await get(lured, '/login?returnTo=//evil.example&returnTo=x')))
      expect((await comeBack(lured)).location).toBe('/')
    })

    test('the wall tells a script so, and sends nobody back to a form', async () => {
      const visitor = new Browser()
      const fetched = await visitor.request(`${origin}/account`, { headers: { 'sec-fetch-dest': 'empty' } })
      expect(fetched.status).toBe(401)
      expect((await post(visitor, '/account/delete')).location).toBe('/login?returnTo=%2F')
    })

    test('only administrators come past the second wall', async () => {
      members.add('1', true)
      members.add('2')
      const [ada, alan, nobody] = [new Browser(), new Browser(), new Browser()]
      await signIn(ada)
      await signIn(alan, '2')
      const answers = await Promise.all([ada, alan, nobody].map((browser) => get(browser, '/admin')))
      expect(answers.map(({ status }) => status)).toStrictEqual([200, 403, 302])
    })

    test('an account is deleted by its own page only, and nobody is signed in to it afterwards', async () => {
      members.add('1')
      const [ada, elsewhere] = [new Browser(), new Browser()]
      for (const browser of [ada, elsewhere]) await signIn(browser)
      expect((await post(ada, '/account/delete', { 'sec-fetch-site': 'same-site' })).status).toBe(403)
      expect(await userIn(ada)).not.toBeNull()
      expect((await post(ada, '/account/delete')).location).toBe('/')
      for (const browser of [ada, elsewhere]) expect(await userIn(browser)).toBeNull()
      expect((await get(elsewhere, '/account')).location).toContain('/login?')
    })

    test('the account page lists the logins, and has a text for each notice that it knows', async () => {
      members.add('1')
      const ada = new Browser()
      await signIn(ada)
      const page = await get(ada, '/linking/account?notice=in-use')
      expect(page.body).toContain('<p>Another user here already has this account.</p>')
      expect(page.body).toContain('name="subject" value="&#60;7&#62;"')
      expect((await get(ada, '/linking/account?notice=<b>')).body).toContain('<p></p>')
      expect((await get(new Browser(), '/linking/account')).location).toContain('/login?')
    })

    test('a login is removed, and its page says when it is the last one', async () => {
      members.add('1')
      const ada = new Browser()
      await signIn(ada)
      expect((await post(ada, '/account/logins/remove', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
      expect((await post(ada, '/account/logins/remove')).location).toBe('/account?notice=not-removed')
      expect((await post(ada, '/account/logins/remove')).location).toBe('/account?notice=removed')
      const removal = ['member-1', { provider: 'social-login', subject: '7' }, expect.any(String)]
      expect(members.removals).toStrictEqual([removal, removal])
    })
  })

  describe('"Using the access token later"', () => {
    const key = Buffer.alloc(32, 'k').toString('base64')
    const [ada, alan] = ['1', '2'].map((subject) => ({ provider: 'social-login', subject }))

    const exchange = async (userID: string) => {
      const redirectURL = `http://localhost:3000${CALLBACK}`
      const { provider } = logins
      const { appID, appSecret } = provider.registerApplication({ name: 'Token', redirectURL })
      const tokens = storedTokens(provider.baseURL, appID, appSecret, key)
      logins.stopLater({ stop: () => tokens.client.close() })
      const { access_token } = await tokens.client.exchangeAuthKey(provider.issueAuthKey({ appID, userID }))
      return { ...tokens, token: access_token }
    }

    test('a sealed token opens for its owner only, and reads the profile of now', async () => {
      if (!ada || !alan) throw new Error('two people are needed')
      const { seal, reloadProfile, token } = await exchange('1')
      const sealed = await seal(token, ada)
      expect(sealed).not.toContain(token)
      logins.provider.updateUser('1', { user_firstname: 'Augusta' })
      expect(await reloadProfile(ada, sealed)).toMatchObject({ id: '1', name: { givenName: 'Augusta' } })
      expect(await reloadProfile(alan, sealed)).toBeUndefined()
      expect(await reloadProfile(alan, await seal(token, alan))).toBeUndefined() // it is another person's
      expect(await reloadProfile(ada, token)).toBeUndefined()
    })

    test('a token that has ended asks for a new login, and the limit of requests is an error', async () => {
      if (!ada) throw new Error('a person is needed')
      const { seal, reloadProfile, token } = await exchange('1')
      const sealed = await seal(token, ada)
      for (let count = 0; count < 3; count++) expect(await reloadProfile(ada, sealed)).toBeDefined()
      const limited = await reloadProfile(ada, sealed).catch((error: unknown) => error)
      expect(limited).toBeInstanceOf(SocialLoginError)
      expect(limited).toMatchObject({ code: 'provider_rate_limited', retryAfter: expect.any(Number) })
      logins.provider.clock.advance(61_000)
      expect(await reloadProfile(ada, sealed)).toBeUndefined()
    })
  })
})
