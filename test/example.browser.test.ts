import type { Browser, BrowserContext, Page } from 'playwright-core'
import { describeInBrowser, launchChromium } from './support/chromium'
import { type RunningExample, startExample, temporaryFolder } from './support/example-app'
import { watchForTrouble } from './support/page-trouble'

describeInBrowser('the example application in Chromium', () => {
  const folder = temporaryFolder()
  let example: RunningExample
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let trouble: string[]

  beforeAll(async () => {
    example = await startExample({ DATA_DIR: folder.path })
    browser = await launchChromium()
  }, 30_000)

  afterAll(async () => {
    await browser?.close()
    await example?.stop()
    folder.remove()
  })

  beforeEach(async () => {
    context = await browser.newContext()
    page = await context.newPage()
    trouble = watchForTrouble(page)
  })

  afterEach(() => context.close())

  test('signs somebody in, shows the profile, and signs them out', async () => {
    await page.goto(`${example.appURL}/`)
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: /^Continue with/ }).click()
    await page.getByRole('button', { name: /Ada Lovelace/ }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Is this you?' }).waitFor()
    await page.getByRole('button', { name: 'Continue as Ada Lovelace' }).click()
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/profile')
    expect(await page.getByText('ada@people.example').isVisible()).toBe(true)

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are signed out.').waitFor()
    await page.goto(`${example.appURL}/profile`)
    expect(new URL(page.url()).pathname).toBe('/login')
    expect(trouble).toEqual([])
  }, 20_000)
})
