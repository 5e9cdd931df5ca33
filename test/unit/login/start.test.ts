import type { AppOptions, RunningApp } from '../../support/app'
import { Browser, type BrowserAnswer } from '../../support/browser'
import { useLogins } from '../../support/logins'

const logins = useLogins()

/** Whether a start leads to the provider, asks the person first, or is taken for a callback without a key. */
function kindOf({ status, location }: BrowserAnswer): string {
  if (status === 302) return location.startsWith(logins.provider.origin) ? 'start' : location
  return status === 200 ? 'confirm page' : String(status)
}

/** The path `/auth` is the end of the callback's, and there is another start, `/begin`. */
const startApp = (options: AppOptions = {}): Promise<RunningApp> =>
  logins.startApp({
    callbackPath: '/social/auth',
    before: (app, passport) => app.all('/begin', passport.authenticate('social-login')),
    ...options,
  })

test('only an unverified GET at the end of the callback’s path, in a browser that began a login elsewhere, is a callback without a key', async () => {
  const app = await startApp()
  const browser = new Browser()
  expect(kindOf(await browser.comeBack(app.loginURL))).toBe('confirm page')
  expect(kindOf(await browser.follow(`${app.origin}/begin`))).toBe('start')
  expect(kindOf(await browser.comeBack(app.loginURL))).toBe('401')
  expect(kindOf(await browser.comeBack(app.loginURL, { method: 'POST' }))).toBe('confirm page')
  expect(kindOf(await browser.comeBack(`${app.origin}/begin`))).toBe('confirm page')
  expect(kindOf(await new Browser().comeBack(app.loginURL))).toBe('confirm page')
  expect(kindOf(await browser.follow(app.loginURL))).toBe('start')
  expect(kindOf(await browser.comeBack(app.loginURL))).toBe('confirm page')
})

test('a login that is bound to its tab leads back to no path, because that would hold the secret of the tab', async () => {
  const app = await startApp({ strategy: { tabBinding: true } })
  const browser = new Browser()
  const secret = 'social_login_tab=0123456789abcdef0123456789abcdef'
  expect(kindOf(await browser.follow(`${app.loginURL}?${secret}`))).toBe('start')
  expect(app.sessions()).not.toContain('startPath')
})

test('a returnTo may be an address of the application', async () => {
  const app = await startApp({
    before: (app, passport) =>
      app.get('/begin', (req, res, next) => {
        passport.authenticate('social-login', { returnTo: `http://${req.headers.host}/inbox` })(req, res, next)
      }),
  })
  const browser = new Browser()
  await browser.follow(`${app.origin}/begin`)
  expect(JSON.parse((await browser.comeBack(app.approvedCallback())).body).info.returnTo).toBe('/inbox')
})
