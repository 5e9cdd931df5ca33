import type { RequestHandler } from 'express'
import { providerNavigation } from '../../lib/testing'
import type { AppOptions, RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'
import { until } from '../support/turns'

const logins = useLogins()

describe.each(['session', 'cookie'] as const)('with the record in the %s', (keep) => {
  const start = (options: AppOptions = {}): Promise<RunningApp> => logins.startApp({ keep, ...options })

  describe('a whole login', () => {
    test('leads from the login link through the provider’s pages to a signed-in browser', async () => {
      const app = await start()
      const browser = new Browser()
      const toProvider = await browser.follow(app.loginURL)
      expect(toProvider.status).toBe(302)
      expect(toProvider.location).toBe(`${logins.provider.oauthBase}/oauth?app_id=${app.application.appID}`)
      logins.provider.approve({ appID: app.application.appID, userID: '1' })
      const people = await browser.request(toProvider.location)
      expect(people.status).toBe(200)

      const back = await browser.comeBack(app.approvedCallback())
      expect(back.status).toBe(200)
      expect(JSON.parse(back.body).user).toEqual({ id: '1' })
      expect(await app.userOf(browser)).toEqual({ id: '1' })
    })

    test('reads the profile from get_user_info with that option, as from a provider in the mode as-deployed', async () => {
      logins.provider.setMode('as-deployed')
      const app = await start({ strategy: { profileEndpoint: 'get_user_info' } })
      const answer = await app.logIn()
      expect(JSON.parse(answer.body).user).toEqual({ id: '1' })
      expect(logins.provider.requests.at(-1)?.path).toMatch(/^\/api\/get_user_info\?access_token=[^&]+$/)
      expect(logins.provider.requests.at(-1)?.headers.authorization).toBeUndefined()
    })

    test('distinguishes ids that are equal as JavaScript numbers', async () => {
      const app = await start()
      const ids = ['9007199254740992', '9007199254740993']
      for (const mode of ['specification', { stringTypes: true }] as const) {
        logins.provider.setMode(mode)
        for (const id of ids) {
          if (!logins.provider.users.some((user) => user.user_id === id)) logins.provider.addUser({ user_id: id })
          const answer = await app.logIn(new Browser(), id)
          expect(JSON.parse(answer.body).user).toEqual({ id })
        }
      }
    })

    test('starts by POST as well', async () => {
      const app = await start()
      const browser = new Browser()
      const toProvider = await browser.follow(app.loginURL, { method: 'POST', headers: { origin: app.origin } })
      expect(toProvider.status).toBe(302)
      expect((await browser.comeBack(app.approvedCallback())).status).toBe(200)
    })

    test('leaves no usable record, even with keepSessionInfo', async () => {
      const app = await start({ callback: { keepSessionInfo: true } })
      const browser = new Browser()
      await app.logIn(browser)
      const before = [logins.provider.requests.length, await browser.cookies(app.origin)]
      expect((await browser.comeBack(app.approvedCallback('2'))).status).toBe(403)
      expect(await app.userOf(browser)).toEqual({ id: '1' })
      expect([logins.provider.requests.length, await browser.cookies(app.origin)]).toEqual(before)
    })

    test('returns returnTo and state in req.authInfo, merged with the info of the verify function', async () => {
      const app = await start({
        start: { returnTo: '/inbox?unread=1#top', state: 'cart-7' },
        verify: (_accessToken, _refreshToken, profile, done) => done(null, { id: profile.id }, { scope: 'all' }),
      })
      const { info } = JSON.parse((await app.logIn()).body)
      expect(info).toMatchObject({ returnTo: '/inbox?unread=1#top', state: 'cart-7', scope: 'all' })
    })

    test('answers every step with no-store, and the callback with no-referrer', async () => {
      // helmet sets the policy on every response; the redirect of a start must not have it (see
      // security/browsers/recorded-rows.test.ts).
      const app = await start({
        before: (express) => express.use((_req, res, next) => next(void res.set('Referrer-Policy', 'no-referrer'))),
      })
      const browser = new Browser()
      const answers = [await browser.follow(app.loginURL), await browser.comeBack(app.approvedCallback())]
      expect(answers.map(({ headers }) => headers['cache-control'])).toStrictEqual(['no-store', 'no-store'])
      expect(answers.map(({ headers }) => headers['referrer-policy'])).toStrictEqual([undefined, 'no-referrer'])
    })
  })

  describe('a second visit', () => {
    test('a reload is refused, sends nothing, and changes nobody', async () => {
      const app = await start({ callback: { successRedirect: '/me', failureRedirect: '/login' } })
      const browser = new Browser()
      await browser.follow(app.loginURL)
      const callback = app.approvedCallback()
      await browser.comeBack(callback)
      const requests = logins.provider.requests.length
      expect((await browser.comeBack(callback)).location).toBe('/login')
      expect(await app.userOf(browser)).toEqual({ id: '1' })
      expect(logins.provider.requests).toHaveLength(requests)
    })

    test('a double click is one exchange and two signed-in answers', async () => {
      const app = await start()
      const browser = new Browser()
      await browser.follow(app.loginURL)
      const callback = app.approvedCallback()
      logins.provider.failNext('authorize', { delay: 50 })
      const answers = await Promise.all([browser.comeBack(callback), browser.comeBack(callback)])
      expect(answers.map(({ body }) => JSON.parse(body).user)).toStrictEqual([{ id: '1' }, { id: '1' }])
      expect(logins.exchanges()).toBe(1)
      expect(app.profiles).toHaveLength(1)
      // Handlers run for each: the second one knows that it is not the first.
      expect(answers.map(({ body }) => JSON.parse(body).info.duplicate).sort()).toStrictEqual([true, undefined])
    })

    test('a second click that is sent before the answer to a finished login has come, with the old cookie, is refused', async () => {
      const app = await start({ session: { cookie: { maxAge: 60_000 } }, callback: { failureRedirect: '/login' } })
      const browser = new Browser()
      await browser.follow(app.loginURL)
      const callback = app.approvedCallback()
      const cookie = await browser.cookies(callback)
      await browser.comeBack(callback)
      const second = await new Browser().comeBack(callback, { headers: { cookie } })
      expect(second.location).toBe('/login')
      expect(logins.exchanges()).toBe(1)
    })

    test('a second callback that is handled late does not sign out the user of the first', async () => {
      let release: (() => void) | undefined
      const hold: RequestHandler = (req, _res, next) => {
        if (req.get('x-hold')) release = next
        else next()
      }
      const app = await start({
        session: { cookie: { maxAge: 60_000 } },
        callback: {},
        before: (express) => express.use(hold),
      })
      const browser = new Browser()
      await browser.follow(app.loginURL)
      const callback = app.approvedCallback()
      // Its session is read before the first login ends, and used afterwards.
      const late = browser.comeBack(callback, { headers: { 'x-hold': '1' } })
      await until(() => release !== undefined)
      expect((await browser.comeBack(callback)).status).toBe(200)
      release?.()
      expect((await late).status).toBe(403)
      expect(await app.userOf(browser)).toEqual({ id: '1' })
      expect(logins.exchanges()).toBe(1)
    })
  })

  describe('an unverified start', () => {
    test.each([
      ['typed', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }],
      ['linked from another site', providerNavigation],
      ['of an old browser without a Referer', {}],
    ])('(%s) gets the confirm page, whose link starts the login', async (_title, headers) => {
      const app = await start()
      const browser = new Browser()
      const page = await browser.request(`${app.loginURL}?next=%22%3Cx`, { headers })
      expect(page.status).toBe(200)
      expect(app.sessions()).toBe('{}')
      const href = /<a href="([^"]+)"/.exec(page.body)?.[1]
      expect(href).toBe('./auth?next=%22%3Cx&amp;social_login_confirmed=1')
      expect((await browser.follow(new URL(href?.replace('&amp;', '&') ?? '', app.loginURL).href)).status).toBe(302)
      expect((await browser.comeBack(app.approvedCallback())).status).toBe(200)
    })

    test('by POST gets a page whose button posts', async () => {
      const app = await start()
      const page = await new Browser().request(app.loginURL, { method: 'POST', headers: providerNavigation })
      expect(page.body).toMatch(
        /<form method="post" action="\.\/auth\?social_login_confirmed=1"><span.*<button hidden>/,
      )
    })

    test('the confirm page cannot be framed, runs only its guard, and is severed from its opener', async () => {
      const app = await start()
      const page = await new Browser().request(app.loginURL)
      expect(page.headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'sha256-\S+' 'sha256-\S+'; img-src data:; script-src 'sha256-[^ ;]+';/,
      )
      expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(page.headers['x-frame-options']).toBe('DENY')
      expect(page.headers['cross-origin-opener-policy']).toBe('same-origin')
      expect(page.body.match(/<script|\son\w+=/gi)).toStrictEqual(['<script'])
    })
  })

  test('userProfile loads the profile of a token that the application has', async () => {
    const app = await start({ strategy: { skipUserProfile: true }, verify: async (accessToken) => ({ accessToken }) })
    const { accessToken } = JSON.parse((await app.logIn()).body).user
    const profile = await new Promise((resolve, reject) => {
      app.strategy.userProfile(accessToken, (error, loaded) => (error ? reject(error) : resolve(loaded)))
    })
    expect(profile).toMatchObject({ provider: 'social-login', id: '1', displayName: 'Ada Lovelace' })
  })
})

// Base64, as a server appends it that encodes nothing. The doctor reads it in the same way.
test.each(['session', 'cookie', 'web'] as const)('a plus in a key is no space (%s)', async (keep) => {
  const app = await logins.startApp({ keep })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  const body = JSON.stringify({ access_token: 'token', user_id: '1' })
  for (const endpoint of ['authorize', 'user/me'] as const) logins.provider.failNext(endpoint, { status: 200, body })
  await browser.comeBack(`${app.callbackURL}?auth_key=ab+c/==`)
  expect(logins.provider.requests.map(({ form }) => form['auth_key'])).toStrictEqual(['ab+c/==', undefined])
})
