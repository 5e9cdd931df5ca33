import type { StrategyOptions } from '../../lib'
import { providerNavigation } from '../../lib/testing'
import { failureIn, type RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { startMinimalApp } from '../support/example/minimal-app'
import type { Listening } from '../support/listen'
import { useLogins } from '../support/logins'
import { startStrippingProxy } from './strip-prefix'

const typed = { ...providerNavigation, 'sec-fetch-site': 'none' }
const logins = useLogins()

describe.each(['session', 'cookie'] as const)(
  'behind a proxy that takes a prefix off, with the record in the %s,',
  (keep) => {
    let app: RunningApp
    let proxy: Listening
    let browser: Browser

    /** Only the whole `callbackURL` is given, as the documentation says. */
    const start = async (strategy: Partial<StrategyOptions> = {}): Promise<void> => {
      browser = new Browser()
      proxy = logins.stopLater(await startStrippingProxy('/app', () => app.origin))
      const callbackURL = `${proxy.origin}/app/callback`
      app = await logins.startApp({
        keep,
        strategy: { callbackURL, ...strategy },
        callback: { failureRedirect: '/failed', failureMessage: true },
      })
    }
    const at = (path: string): string => `${proxy.origin}/app${path}`

    test.each(['GET', 'POST'] as const)(
      'the confirm page of a %s leads to its own URL, and the login ends well',
      async (method) => {
        await start()
        const page = await browser.request(at('/auth?next=1'), { method, headers: { ...typed } })
        const target = /(?:href|action)="([^"]+)"/.exec(page.body.slice(page.body.indexOf('<main>')))?.[1] ?? ''
        expect(new URL(target.replace('&amp;', '&'), at('/auth?next=1')).href).toBe(
          at('/auth?next=1&social_login_confirmed=1'),
        )
        expect((await browser.follow(at('/auth?next=1'), { method })).status).toBe(302)
        expect((await browser.comeBack(`${at('/callback')}?auth_key=${app.newKey()}`)).status).toBe(200)
      },
    )

    test.each(['confirm', 'allow'] as const)(
      'a callback without a key is a failure and never a new start (unverifiedStart: %s)',
      async (unverifiedStart) => {
        await start({ unverifiedStart })
        await browser.follow(at('/auth'))
        for (const headers of [
          { ...providerNavigation },
          { ...providerNavigation, referer: `${logins.provider.origin}/` },
        ]) {
          const answer = await browser.comeBack(at('/callback'), { headers })
          expect([answer.status, answer.location]).toStrictEqual([302, '/failed'])
        }
        expect(failureIn(app.sessions())).toBe('auth_key_missing')
        expect(logins.provider.requests).toStrictEqual([])
        // The genuine callback still finishes the login, after which the browser is like one that has had none.
        expect((await browser.comeBack(`${at('/callback')}?auth_key=${app.newKey()}`)).status).toBe(200)
        const after = await browser.comeBack(at('/callback'))
        const asNew = await new Browser().comeBack(at('/callback'))
        expect([after.status, after.location, after.body]).toStrictEqual([asNew.status, asNew.location, asNew.body])
      },
    )

    test('a form that is sent to the path of the callback is a start, and so is a link of the application: a callback is neither', async () => {
      await start()
      await browser.follow(at('/auth'))
      const page = await browser.request(at('/callback'), { method: 'POST', headers: { ...providerNavigation } })
      expect([page.status, page.body.includes('Continue to')]).toStrictEqual([200, true])
      expect((await browser.follow(at('/callback'))).location).toContain(logins.provider.origin)
    })
  },
)

describe('a start whose path is the end of the callback’s, without any proxy', () => {
  const start = (unverifiedStart: 'confirm' | 'allow' = 'confirm'): Promise<RunningApp> =>
    logins.startApp({
      callbackPath: '/social/auth',
      strategy: { unverifiedStart },
      callback: { failureRedirect: '/auth' },
      start: { failureRedirect: '/auth' },
    })

  test('stays a start while a login is pending, and after a failure that leads to it', async () => {
    const app = await start()
    const browser = new Browser()
    expect((await browser.follow(app.loginURL)).status).toBe(302)
    for (const headers of [typed, providerNavigation]) {
      const page = await browser.request(app.loginURL, { headers: { ...headers } })
      expect([page.status, page.body.includes('Continue to')]).toStrictEqual([200, true])
    }
    expect((await browser.comeBack(app.callbackURL)).location).toBe('/auth')
    expect((await browser.comeBack(app.loginURL)).status).toBe(200)
    expect((await browser.comeBack(app.approvedCallback())).status).toBe(200)
  })

  test('starts at once with unverifiedStart: allow', async () => {
    const app = await start('allow')
    const browser = new Browser()
    for (let visit = 0; visit < 2; visit++) {
      const { location } = await browser.request(app.loginURL, { headers: { ...typed } })
      expect(location).toContain(logins.provider.origin)
    }
  })
})

test('the small application of the README signs in behind a proxy that takes a prefix off', async () => {
  const app = logins.stopLater(await startMinimalApp(logins.provider))
  const proxy = logins.stopLater(await startStrippingProxy('/app', () => app.origin))
  const browser = new Browser()
  const at = (path: string): string => `${proxy.origin}/app${path}`
  const page = await browser.request(at('/auth/social-login'), { headers: { ...typed } })
  const link = new URL(/<a href="([^"]+)"/.exec(page.body)?.[1] ?? '', at('/auth/social-login')).href
  expect(link).toBe(at('/auth/social-login?social_login_confirmed=1'))
  expect((await browser.follow(link)).location).toContain(logins.provider.origin)
  expect((await browser.comeBack(at('/auth/social-login/callback'))).location).toBe('/')
  expect((await browser.follow(at('/'))).body).toContain('without an auth_key')
  const authKey = logins.provider.issueAuthKey({ appID: app.appID, userID: '1' })
  expect((await browser.comeBack(`${at('/auth/social-login/callback')}?auth_key=${authKey}`)).location).toBe('/profile')
  expect((await browser.follow(at('/profile'))).body).toContain('Ada Lovelace')
})
