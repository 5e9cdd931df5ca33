import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Application, FakeProvider } from '../../../lib/testing'
import { accessibilityFindings } from '../../support/browsers/accessibility'
import { describeInChromium, launchChromium } from '../../support/browsers/chromium'
import { type Listening, listen } from '../../support/listen'
import { exchange } from '../../support/provider-http'

describeInChromium('the pages in Chromium', () => {
  let browser: Browser
  let provider: FakeProvider
  let app: Listening
  let application: Application
  let callbacks: Array<{ url: string; site: string | undefined; referer: string | undefined }>
  let context: BrowserContext
  let page: Page

  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())

  beforeEach(async () => {
    provider = await FakeProvider.start()
    callbacks = []
    app = await listen((request, response) => {
      const url = request.url ?? ''
      const { referer } = request.headers
      if (url.startsWith('/cb')) callbacks.push({ url, site: String(request.headers['sec-fetch-site']), referer })
      response.setHeader('content-type', 'text/html')
      response.end(`<a href="${provider.oauthBase}/oauth?app_id=${application.appID}">Sign in</a>`)
    })
    application = provider.registerApplication({ name: 'My app', redirectURL: `${app.origin}/cb` })
    context = await browser.newContext({ javaScriptEnabled: false })
    page = await context.newPage()
    await page.goto(app.origin)
  })

  afterEach(async () => {
    await context.close()
    await app.stop()
    await provider.stop()
  })

  function callbackKey(): string {
    return new URL(callbacks.at(-1)?.url ?? '', 'http://localhost').searchParams.get('auth_key') ?? ''
  }

  test('a whole login: sign in, approve, return with a key that works', async () => {
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: /Ada Lovelace/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Continue to My app?' }).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL('**/cb?auth_key=*')
    expect(callbacks).toHaveLength(1)
    expect(callbacks[0]).toMatchObject({ site: 'cross-site', referer: `${provider.origin}/` })
    expect((await exchange(provider, application, callbackKey())).status).toBe(200)
  })

  test('a remembered approval redirects immediately, until it is revoked', async () => {
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: /Ada Lovelace/ }).click()
    await page.getByLabel('Do not ask me again').check()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('link', { name: 'Sign in' }).click()
    expect(callbacks).toHaveLength(2)
    await page.goto(`${provider.origin}/`)
    await page.getByRole('button', { name: 'Revoke My app' }).click()
    await page.goto(`${provider.oauthBase}/oauth?app_id=${application.appID}`)
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(1)
  })

  test('the dashboard: register, change the URL, renew the secret, delete', async () => {
    await page.goto(`${provider.origin}/developers`)
    await page.getByLabel('Name').fill('Second app')
    await page.getByLabel('App Redirect URL').first().fill('http://localhost:4000/cb')
    await page.getByRole('button', { name: 'Register' }).click()
    const card = page.getByRole('article', { name: 'Second app' })
    const secret = provider.applications[1]?.appSecret ?? ''
    await page.waitForLoadState()
    expect(await card.textContent()).toContain(secret)
    await card.getByLabel('App Redirect URL').fill('http://localhost:4000/new')
    await card.getByRole('button', { name: 'Change the URL' }).click()
    expect(provider.applications[1]?.redirectURL).toBe('http://localhost:4000/new')
    await card.getByRole('button', { name: 'Renew the secret' }).click()
    await page.waitForLoadState()
    expect(await card.textContent()).not.toContain(secret)
    await card.getByRole('button', { name: 'Delete' }).click()
    await page.waitForLoadState()
    expect(await card.count()).toBe(0)
  })

  test('a click copies the secret, where scripts run; else there is no button for it', async () => {
    await page.goto(`${provider.origin}/developers`)
    expect(await page.getByRole('button', { name: 'Copy the app_secret' }).count()).toBe(0)
    const visitor = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const tab = await visitor.newPage()
    await tab.goto(`${provider.origin}/developers`)
    await tab.getByRole('button', { name: 'Copy the app_secret' }).click()
    await tab.getByText('Copied').waitFor()
    expect(await tab.evaluate('navigator.clipboard.readText()')).toBe(application.appSecret)
    await visitor.close()
  })

  test('a user is removed after a question', async () => {
    await page.goto(`${provider.origin}/users/2`)
    const remove = page.getByRole('button', { name: 'Remove Alan Turing' })
    expect(await remove.count()).toBe(0)
    await page.locator('summary').click()
    await remove.click()
    await page.waitForLoadState()
    expect(provider.users.map(({ user_id }) => user_id)).not.toContain('2')
  })

  test('users: add and edit', async () => {
    await page.goto(`${provider.origin}/users`)
    await page.getByLabel('user_firstname').fill('Zoë')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('link', { name: 'Zoë' }).click()
    await page.getByLabel('user_birthdate').fill('1990-02-15')
    await page.getByLabel('Verified').check()
    await page.getByRole('button', { name: 'Save' }).click()
    expect(provider.users.at(-1)).toMatchObject({ user_birthdate: '1990-02-15', user_verified: true })
  })

  test('what changes something shows from the first moment, and can be pressed after 0.8 seconds', async () => {
    await page.goto(`${provider.origin}/developers`)
    const atTime = (time: number): Promise<unknown> =>
      page.evaluate(`
        for (const animation of document.getAnimations()) { animation.pause(); animation.currentTime = ${time} }
        [...document.querySelector('.action').children].map((each) => each.tagName + ' ' + getComputedStyle(each).visibility)`)
    expect(await atTime(0)).toStrictEqual(['SPAN visible', 'BUTTON hidden'])
    expect(await atTime(799)).toStrictEqual(['SPAN visible', 'BUTTON hidden'])
    expect(await atTime(800)).toStrictEqual(['SPAN hidden', 'BUTTON visible'])
  })

  test.each(['light', 'dark'] as const)('axe-core finds nothing on a small screen (%s)', async (colorScheme) => {
    const viewport = { width: 320, height: 640 }
    const visitor = await browser.newContext({ colorScheme, bypassCSP: true, viewport })
    const tab = await visitor.newPage()
    const login = `/api/oauth?app_id=${application.appID}`
    const look = async (paths: readonly string[]): Promise<void> => {
      for (const path of paths) {
        await tab.goto(provider.origin + path)
        expect([path, await accessibilityFindings(tab)]).toStrictEqual([path, []])
        expect([path, await tab.evaluate('document.documentElement.scrollWidth')]).toStrictEqual([path, 320])
      }
    }
    await look(['/', '/developers', '/users', '/users/1', '/nowhere', login])
    await tab.getByRole('button', { name: /Ada Lovelace/ }).click()
    const other = provider.registerApplication({ name: 'Other', redirectURL: 'http://x/' })
    provider.approve({ appID: other.appID, userID: '1' })
    await look(['/', login])
    await visitor.close()
  })
})
