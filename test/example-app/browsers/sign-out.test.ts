import type { Browser, BrowserContext, Page } from 'playwright-core'
import { describeInChromium, launchChromium } from '../../support/browsers/chromium'
import { describeVisits } from '../../support/browsers/each-browser'
import { until } from '../../support/browsers/live-world'
import { type RunningExample, startExample, temporaryFolder } from '../../support/example/example-app'
import { useExamples } from '../../support/example/use-examples'

describeInChromium('the back button of Chromium, which keeps pages in memory', () => {
  const folder = temporaryFolder()
  let example: RunningExample
  let browser: Browser
  let context: BrowserContext
  let page: Page

  beforeAll(async () => {
    example = await startExample({ DATA_DIR: folder.path })
    // Playwright switches the back/forward cache off.
    browser = await launchChromium({ ignoreDefaultArgs: ['--disable-back-forward-cache'] })
  })
  beforeEach(async () => {
    context = await browser.newContext()
    page = await context.newPage()
  })
  afterEach(() => context.close())
  afterAll(async () => {
    await browser.close()
    await example.stop('SIGKILL')
    folder.remove()
  })

  const press = (name: string | RegExp) => page.getByRole('button', { name }).click()
  const openAccount = async (): Promise<void> => {
    await page.goto(`${example.appURL}/login?returnTo=/account`)
    await press('Continue with Fake Social')
    await press(/Ada Lovelace/)
    await press('Approve')
    await press(/^Continue as/)
    await page.waitForURL(`${example.appURL}/account`)
    await page.evaluate(
      'window.isFromCache = false, addEventListener("pageshow", (event) => { window.isFromCache = event.persisted })',
    )
  }
  /** Playwright does not notice that a page returns from memory, so its own `goBack` would wait for ever. */
  const goBack = (): Promise<unknown> => page.evaluate('void setTimeout(() => history.back(), 50)')

  const signOut = async (button: string): Promise<void> => {
    await page.getByRole('button', { name: button, exact: true }).click()
    await page.waitForURL(/\/login\?reason=signed_out/)
  }

  test('shows the account of a user who has signed out, if the script of the pages does not load', async () => {
    await context.route('**/back.js', (route) => route.abort())
    await openAccount()
    await signOut('Sign out')
    await goBack()
    await until(async () => (await page.evaluate('window.isFromCache')) === true)
    expect(await page.innerText('main')).toContain('Ada Lovelace')
  })

  test.each(['Sign out', 'Sign out everywhere'])('redirects to the login page after "%s"', async (button) => {
    await openAccount()
    await signOut(button)
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('example-session')
    await goBack()
    await page.waitForURL(`${example.appURL}/login?returnTo=%2Faccount`)
    expect(await page.innerText('main')).not.toContain('Ada')
  })

  test('shows the page as it is now while the user is signed in', async () => {
    await openAccount()
    await page.getByRole('link', { name: 'Profile' }).click()
    await page.getByRole('heading', { name: 'Your profile' }).waitFor()
    await goBack()
    const account = `document.querySelector('h1')?.textContent === 'Your account'`
    await until(async () => (await page.evaluate(`${account} && window.isFromCache === undefined`)) === true)
  })
})

describeVisits('the back button after a sign-out', (visitor) => {
  const examples = useExamples('all tests')
  let example: RunningExample

  beforeAll(async () => {
    example = await examples.startForBrowsers()
  })

  test('redirects to the login page', async () => {
    const tab = await visitor().open()
    const isAt = (path: string): Promise<void> => until(async () => (await tab.url()) === `${example.appURL}${path}`)
    await tab.goto(`${example.appURL}/login?returnTo=/account`)
    await tab.click('main .primary')
    await tab.click('button[name="user_id"][value="1"]')
    await tab.click('button[value="approve"]')
    await tab.click('form[action="/login/confirm"] .primary')
    await isAt('/account')
    await tab.click('form[action="/logout"] button')
    await isAt('/login?reason=signed_out')
    // Delayed, so that the script returns before its page is gone.
    await tab.run('void setTimeout(() => history.back())')
    await isAt('/login?returnTo=%2Faccount')
    expect(await tab.text()).not.toContain('Ada')
  })
})
