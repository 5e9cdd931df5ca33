import type { AppOptions, RunningApp } from '../support/app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { useLogins } from '../support/logins'

// Under `tabBinding`, our own form sends the callback, so browsers call its redirect same-origin, whoever chose the
// destination: a start there must ask first, whichever strategy, store and process it belongs to.

const logins = useLogins()
const SECRET = 'social_login_tab=0123456789abcdef0123456789abcdef'

const bound: AppOptions = { strategy: { tabBinding: true } }

/** A login that is bound to its tab, up to the response to the tab's form. */
async function logInFromTab(app: RunningApp, browser: Browser, key = app.newKey()): Promise<BrowserAnswer> {
  await browser.follow(`${app.loginURL}?${SECRET}`)
  const url = `${app.callbackURL}?auth_key=${key}`
  expect((await browser.comeBack(url)).body).toContain('sessionStorage.getItem')
  return browser.follow(`${url}&${SECRET}`, { method: 'POST', headers: { origin: app.origin } })
}

const isConfirmPage = ({ status, body }: BrowserAnswer): boolean => status === 200 && body.includes('Sign in with')
const linkOf = ({ body }: BrowserAnswer): string =>
  /href="\.?([^"]*social_login_confirmed=[^"]*)"/.exec(body)?.[1] ?? ''

/** Without `tabBinding`, and so without any record of a tab: as in another process, behind the same host. */
const elsewhere = (keep: AppOptions['keep']): Promise<RunningApp> => logins.startApp({ ...(keep && { keep }) })

describe.each(['session', 'cookie', 'web'] as const)('a login that is bound to its tab (%s)', (keep) => {
  test.each(['session', 'cookie', 'web'] as const)(
    'is followed by no planted start of another process (%s)',
    async (other) => {
      const [app, second, browser] = [await logins.startApp({ ...bound, keep }), await elsewhere(other), new Browser()]
      // Without such a login a start of the application's own page asks nothing.
      expect((await browser.follow(second.loginURL)).status).toBe(302)
      expect((await logInFromTab(app, browser)).status).toBe(200)
      const page = await browser.follow(second.loginURL)
      expect(isConfirmPage(page)).toBe(true)
      // No link of an attacker can hold what the page's own link does.
      expect(isConfirmPage(await browser.follow(`${second.loginURL}?social_login_confirmed=1`))).toBe(true)
      expect((await browser.follow(second.origin + linkOf(page))).status).toBe(302)
    },
  )

  test('is followed by no planted start where it fails', async () => {
    const [app, browser] = [await logins.startApp({ ...bound, keep }), new Browser()]
    expect((await logInFromTab(app, browser, 'made-up')).status).toBe(401)
    expect(isConfirmPage(await browser.follow(`${app.loginURL}?${SECRET}`))).toBe(true)
  })

  test('is followed by no planted start where its record is gone before the form arrives', async () => {
    const [app, browser] = [await logins.startApp({ ...bound, keep }), new Browser()]
    const post = { method: 'POST', headers: { origin: app.origin } } as const
    expect((await browser.follow(`${app.callbackURL}?auth_key=${app.newKey()}&${SECRET}`, post)).status).toBe(403)
    expect(isConfirmPage(await browser.follow(app.loginURL))).toBe(true)
  })

  test('is forgotten by the browser ten seconds later, and sets no such cookie without a tab', async () => {
    const app = await logins.startApp({ ...bound, keep })
    const { headers } = await logInFromTab(app, new Browser())
    const lines = [headers['set-cookie'] ?? []].flat().filter((line) => line.includes('social-login-tab'))
    expect(lines).toStrictEqual([
      expect.stringMatching(/^__Host-social-login-tab=[\w-]{22}; Max-Age=10; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      expect.stringMatching(/^social-login-tab=[\w-]{22}; Max-Age=10; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
    const plain = await logins.startApp({ keep })
    expect(JSON.stringify((await plain.logIn()).headers['set-cookie'])).not.toContain('social-login-tab')
  })
})

test('a planted cookie without the prefix does not replace the genuine one', async () => {
  const [app, browser] = [await logins.startApp(), new Browser()]
  const start = (cookie: string, query = '') => browser.follow(app.loginURL + query, { headers: { cookie } })
  const planted = await start('social-login-tab=planted')
  const both = await start('social-login-tab=planted; __Host-social-login-tab=genuine')
  expect([planted, both].map(isConfirmPage)).toStrictEqual([true, true])
  expect(linkOf(planted)).not.toBe(linkOf(both))
  const link = linkOf(planted).replace('/auth', '')
  expect(isConfirmPage(await start('social-login-tab=planted; __Host-social-login-tab=genuine', link))).toBe(true)
  expect((await start('social-login-tab=planted', link)).status).toBe(302)
  expect((await start('not-social-login-tab=planted')).status).toBe(302)
})

// Of a sister subdomain: by plain http, and in browsers that do not enforce the prefix. Its longer path puts it first.
test.each(['social-login-tab', '__Host-social-login-tab'])(
  'a planted %s before the genuine one does not tell what its link must hold',
  async (name) => {
    const [app, browser] = [await logins.startApp(), new Browser()]
    const start = (cookie: string, query = '') => browser.follow(app.loginURL + query, { headers: { cookie } })
    const queryOf = (page: BrowserAnswer): string => linkOf(page).replace('/auth', '')
    const known = queryOf(await start(`${name}=known`))
    const both = `${name}=known; ${name}=genuine`
    const page = await start(both, known)
    expect(isConfirmPage(page)).toBe(true)
    expect((await start(both, queryOf(page))).status).toBe(302)
  },
)

test('a form that another site sends to the callback is refused, and makes no start ask', async () => {
  const app = await logins.startApp(bound)
  const browser = new Browser()
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  const forged = await browser.follow(`${app.callbackURL}?auth_key=made-up&${SECRET}`, { method: 'POST', headers })
  expect([forged.status, String(forged.headers['set-cookie'])]).toStrictEqual([403, expect.not.stringContaining('tab')])
  expect((await browser.follow(`${app.loginURL}?${SECRET}`)).status).toBe(302)
})

test('by https a cookie that a sister subdomain has planted, without the prefix, makes no start ask', async () => {
  const app = await logins.startApp({ strategy: { callbackURL: 'https://app.example/callback' } })
  const start = (cookie: string) => new Browser().follow(app.loginURL, { headers: { cookie } })
  expect((await start('social-login-tab=planted')).status).toBe(302)
  expect(isConfirmPage(await start('__Host-social-login-tab=genuine'))).toBe(true)
  // By plain http there is no other cookie, so that it counts.
  const plain = await logins.startApp()
  const planted = await new Browser().follow(plain.loginURL, { headers: { cookie: 'social-login-tab=planted' } })
  expect(isConfirmPage(planted)).toBe(true)
})
