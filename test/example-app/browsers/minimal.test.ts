import type { Browser } from 'playwright-core'
import { OUTCOMES } from '../../../lib'
import { FakeProvider } from '../../../lib/testing'
import { closeBrowsers } from '../../support/browser'
import { describeInChromium, launchChromium } from '../../support/browsers/chromium'
import { watchForTrouble } from '../../support/browsers/page-trouble'
import { startMinimalApp } from '../../support/example/minimal-app'

describeInChromium('the small application of the README in Chromium', () => {
  let provider: FakeProvider
  let app: Awaited<ReturnType<typeof startMinimalApp>>
  let browser: Browser

  beforeAll(async () => {
    provider = await FakeProvider.start()
    app = await startMinimalApp(provider)
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.stop()
    await provider.stop()
    await closeBrowsers()
  })

  test('shows why a login failed, signs a user in, shows the profile, and signs out', async () => {
    const page = await (await browser.newContext()).newPage()
    // The small application has no icon.
    await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }))
    const trouble = watchForTrouble(page)
    await page.goto(app.origin)
    provider.failNext('authorize', { status: 400, body: '{"error":"expired"}' })
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: /Ada Lovelace/ }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText(OUTCOMES.auth_key_rejected.message).waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL('**/profile')
    expect(JSON.parse(await page.locator('body').innerText())).toEqual({ id: '1', name: 'Ada Lovelace' })
    await page.goto(app.origin)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
    expect(trouble).toStrictEqual([])
  })
})
