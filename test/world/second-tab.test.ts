import type { AppOptions, Keep, RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

const logins = useLogins()

// A login page is open in two tabs. One user finishes in the first, another one is approved in the second.
describe.each(['session', 'cookie', 'web'] as const satisfies readonly Keep[])('with the record in the %s', (keep) => {
  const options: AppOptions = { keep, callback: {} }

  async function twoTabs(browser: Browser, more: AppOptions = {}): Promise<RunningApp> {
    const app = await logins.startApp({ ...options, ...more })
    await browser.follow(app.loginURL)
    await browser.follow(app.loginURL)
    return app
  }

  test('the user of the second tab is told that someone else is signed in, and nothing is sent to the provider', async () => {
    const browser = new Browser()
    const app = await twoTabs(browser)
    const first = app.approvedCallback('1')
    expect((await browser.comeBack(first)).status).toBe(200)
    const sent = logins.provider.requests.length
    const second = await browser.comeBack(app.approvedCallback('2'))
    expect(second.status).toBe(403)
    expect(second.body).toContain('login_not_started')
    expect(await app.userOf(browser)).toEqual({ id: '1' })
    expect(logins.provider.requests).toHaveLength(sent)
  })

  test('a reload of either is refused, and does not change the user', async () => {
    const browser = new Browser()
    const app = await twoTabs(browser)
    const [first, second] = [app.approvedCallback('1'), app.approvedCallback('2')]
    await browser.comeBack(first)
    for (const callback of [first, second, first, second]) {
      expect((await browser.comeBack(callback)).status).toBe(403)
      expect(await app.userOf(browser)).toEqual({ id: '1' })
    }
    expect(logins.exchanges()).toBe(1)
  })

  test('a user who signs out and starts again becomes the other user', async () => {
    const browser = new Browser()
    const app = await twoTabs(browser)
    await browser.comeBack(app.approvedCallback('1'))
    await browser.comeBack(app.approvedCallback('2'))
    await browser.follow(`${app.origin}/logout`, { method: 'POST', headers: { origin: app.origin } })
    expect(JSON.parse((await app.logIn(browser, '2')).body).user).toEqual({ id: '2' })
  })

  test('after a login that failed, a callback of the other tab says that no login is in progress', async () => {
    const browser = new Browser()
    const app = await twoTabs(browser)
    expect((await browser.comeBack(`${app.callbackURL}?auth_key=invented`)).status).toBe(401)
    const second = await browser.comeBack(app.approvedCallback('2'))
    expect(second.status).toBe(403)
    expect(second.body).not.toContain('Another login was finished')
  })
})
