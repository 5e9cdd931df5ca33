import { SocialLogin } from 'passport-social-login/web'
import { FakeProvider, sameOriginNavigation } from '../../lib/testing'
import { type AppOptions, type RunningApp, startApp } from '../support/app'
import { Browser, closeBrowsers } from '../support/browser'

const ROUTER = { 'hx-request': 'true', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }

const failing = (): never => {
  throw new Error('skip-canary')
}

/** Logins and starts of each kind, one after the other, of which NODE_DEBUG tells. */
async function main(): Promise<void> {
  await using provider = await FakeProvider.start()
  const run = async (work: (app: RunningApp, browser: Browser) => Promise<unknown>, options: AppOptions = {}) => {
    const app = await startApp(provider, options)
    await work(app, new Browser())
    await app.stop()
  }
  await run(async (app, browser) => {
    await browser.follow(app.loginURL)
    await browser.comeBack(`${app.callbackURL}?auth_key=not-a-key-canary`)
  })
  await run((app, browser) => app.logIn(browser))
  provider.failNext('user/me', { status: 503 })
  await run((app, browser) => app.logIn(browser))
  await run((app, browser) => app.logIn(browser), { verify: async () => false })
  await run((app, browser) => app.logIn(browser), { verify: () => Promise.reject(new Error('verify-canary')) })
  await run((app, browser) => app.logIn(browser), { strategy: { skipUserProfile: failing } })
  provider.failNext('authorize', { status: 405 })
  await run((app, browser) => app.logIn(browser))
  await run((app, browser) => browser.request(app.loginURL))
  await run((app, browser) => browser.follow(app.loginURL, { headers: { 'sec-purpose': 'prefetch' } }))
  await run((app, browser) => browser.request(app.loginURL, { headers: { ...ROUTER, referer: `${app.origin}/` } }))
  await run((app, browser) => browser.follow(app.loginURL), { strategy: { tabBinding: true } })
  await run(
    async (app, browser) => {
      await browser.follow(`${app.origin}/become`)
      await browser.comeBack(app.approvedCallback())
    },
    { callback: { successRedirect: '/me' } },
  )
  const settings = { baseURL: provider.baseURL, clientID: 'app', clientSecret: 'canary-secret' }
  const login = new SocialLogin({ ...settings, callbackURL: 'http://localhost/back', keys: ['k'.repeat(32)] })
  const wrong: unknown[] = [['/inbox-canary', '/'], 'inbox-canary', 'https://canary.example/', `/${'c'.repeat(1024)}`]
  for (const returnTo of wrong) {
    const request = new Request('http://localhost/login', { headers: sameOriginNavigation })
    await Reflect.apply(login.start, login, [request, { user: null, returnTo }])
  }
  await login.close()
  await closeBrowsers()
}

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
