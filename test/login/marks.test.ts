import type { AppOptions, RunningApp } from '../support/app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { useLogins } from '../support/logins'

// The header Social-Login says what each response of a login is. The outcomes are in outcomes.test.ts.

const logins = useLogins()
const FOREIGN = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const SCRIPT = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
const TURBO = { ...SCRIPT, 'x-turbo-request-id': '1', accept: 'text/html' }
const refusing: AppOptions['verify'] = (_accessToken, _refreshToken, _profile, done) => done(null, false)
const throwing = (): never => {
  throw new Error('of the application')
}

type Visit = (app: RunningApp, browser: Browser) => Promise<BrowserAnswer>
const start =
  (headers: Record<string, string> = {}): Visit =>
  (app, browser) =>
    browser.follow(app.loginURL, { headers })
const callback: Visit = (app, browser) => app.logIn(browser)

test.each<[what: string, mark: string, Visit, AppOptions?]>([
  ['the redirect to the provider', 'start', start()],
  ['the confirm page', 'confirm', start(FOREIGN)],
  ['the page that asks the tab', 'tab', start(), { strategy: { tabBinding: true } }],
  ['the answer to a router', 'navigation_required', start(TURBO)],
  ['the answer to a script', 'navigation_required', start(SCRIPT)],
  ['a prefetch', 'speculative_request', start({ 'sec-purpose': 'prefetch' })],
  ['a login', 'login', callback],
  ['a login with successRedirect', 'login', callback, { callback: { successRedirect: '/me' } }],
  ['a login of somebody whom verify refuses', 'login', callback, { verify: refusing }],
  ['the same with failureRedirect', 'login', callback, { verify: refusing, callback: { failureRedirect: '/' } }],
  ['an error of verify', 'application_error', callback, { verify: throwing }],
  [
    'a failure with failureRedirect',
    'login_not_started',
    (app, browser) => browser.comeBack(app.approvedCallback()),
    { callback: { failureRedirect: '/' } },
  ],
])('%s is marked %s', async (_what, mark, visit, options = {}) => {
  const app = await logins.startApp(options)
  const { headers } = await visit(app, new Browser())
  expect(headers['social-login']).toBe(mark)
})

test.each<[what: string, mark: string, Visit]>([
  ['the redirect to the provider', 'start', start()],
  ['the confirm page', 'confirm', start(FOREIGN)],
  ['a login', 'login', callback],
  ['a failure', 'login_not_started', (app, browser) => browser.comeBack(app.approvedCallback())],
])('with SocialLogin, %s is marked %s', async (_what, mark, visit) => {
  const app = await logins.startApp({ keep: 'web' })
  expect((await visit(app, new Browser())).headers['social-login']).toBe(mark)
})
