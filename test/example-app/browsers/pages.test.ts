import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { accessibilityFindings } from '../../support/browsers/accessibility'
import { describeInChromium, launchChromium } from '../../support/browsers/chromium'
import { watchForTrouble } from '../../support/browsers/page-trouble'
import type { RunningExample } from '../../support/example/example-app'
import { useExamples } from '../../support/example/use-examples'

/** Where the README's pictures are. With UPDATE_SCREENSHOTS=1 they are taken anew. */
const pictures =
  process.env['UPDATE_SCREENSHOTS'] === '1' ? join(__dirname, '../../../../example-app/screenshots') : undefined

describeInChromium('the example application in Chromium', () => {
  const examples = useExamples('all tests')
  let example: RunningExample
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let trouble: string[]

  beforeAll(async () => {
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
    example = await examples.startForBrowsers()
    browser = await launchChromium()
  })

  afterAll(() => browser?.close())

  afterEach(async () => {
    await context.close()
    expect(trouble).toStrictEqual([])
  })

  const open = async (options: BrowserContextOptions = {}): Promise<void> => {
    context = await browser.newContext({ viewport: { width: 1100, height: 750 }, ...options })
    page = await context.newPage()
    trouble = watchForTrouble(page)
  }
  const visit = (path: string) => page.goto(`${example.appURL}${path}`)
  const press = (name: string | RegExp) => page.getByRole('button', { name }).click()
  const heading = (name: string) => page.getByRole('heading', { name }).waitFor()
  const at = (): string => page.url().replace(example.appURL, '')
  const look = async (name: string): Promise<void> => {
    // axe-core is a script itself.
    if (name.endsWith('without-script')) return
    expect(await accessibilityFindings(page)).toStrictEqual([])
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(overflow).toBe(0)
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
  }
  /** Both logins of the account. All of the page must be there to count them. */
  const seesTwoLogins = async (): Promise<void> => {
    await page.waitForLoadState()
    expect(await page.getByRole('listitem').count()).toBe(2)
  }
  const comeFromProvider = async (person: string): Promise<void> => {
    await visit('/login')
    await press(/^Continue with/)
    await press(new RegExp(person))
    await press('Approve')
  }
  const signIn = async (person: string): Promise<void> => {
    await comeFromProvider(person)
    await press(/^Continue as/)
    await heading('Your profile')
  }

  const SIZES: Array<[string, BrowserContextOptions]> = [
    ['desktop', {}],
    ['phone', { viewport: { width: 360, height: 740 }, colorScheme: 'dark', isMobile: true, hasTouch: true }],
    ['without-script', { javaScriptEnabled: false }],
  ]

  test.each(SIZES)('from the first visit to the sign-out: %s', async (size, options) => {
    await open(options)
    await visit('/')
    await look(`1-home-${size}`)
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
    await heading('Sign in')
    await look(`2-login-${size}`)
    await press(/^Continue with/)
    await press(/Ada Lovelace/)
    await press('Approve')
    await heading('Is this you?')
    await page.getByRole('button', { name: /^Continue as/ }).waitFor()
    await look(`3-confirm-${size}`)
    await press('Continue as Ada Lovelace')
    await heading('Your profile')
    expect(at()).toBe('/profile')
    await page.waitForFunction('[...document.images].every((image) => image.complete && image.naturalWidth > 0)')
    await look(`4-profile-${size}`)
    await press(/^Reload from/)
    await page.getByText('Your profile has been reloaded from the provider.').waitFor()
    await page.getByRole('link', { name: 'Account' }).click()
    await heading('Your account')
    await look(`5-account-${size}`)
    await visit('/nowhere').catch(() => undefined)
    await heading('Not found')
    await look(`6-not-found-${size}`)
    trouble.splice(0, trouble.length, ...trouble.filter((line) => !line.includes('status of 404')))
    await press('Sign out')
    await page.getByText('You are signed out.').waitFor()
    await visit('/profile')
    expect(at()).toBe('/login?returnTo=%2Fprofile')
  })

  test('by keyboard alone', async () => {
    await open()
    await visit('/login')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /Alan Turing/ }).press('Enter')
    await page.getByRole('button', { name: 'Approve' }).press('Enter')
    await page.getByRole('button', { name: /^Continue as/ }).press('Enter')
    await heading('Alan Turing')
  })

  test('a start that was typed gets the page in between, and then works', async () => {
    await open()
    await visit('/auth/social-login?returnTo=/account')
    await page.getByRole('link', { name: /^Continue to/ }).click()
    await press(/Grace Hopper/)
    await press('Approve')
    await press(/^Continue as/)
    await heading('Your account')
  })

  test('a cancelled login leaves nothing behind, and the next one works', async () => {
    await open()
    await visit('/login')
    await press(/^Continue with/)
    await press(/Ada Lovelace/)
    await press('Cancel')
    await page.waitForURL(`${examples.provider.origin}/`)
    await visit('/profile')
    expect(at()).toBe('/login?returnTo=%2Fprofile')
    await press(/^Continue with/)
    await press('Approve')
    await press('Not me')
    await page.getByText('You are not signed in.').waitFor()
    await look('7-not-me')
  })

  test('an expired key and a provider in trouble are said in words; trying again works', async () => {
    await open()
    examples.provider.failNext('authorize', { status: 503 })
    await comeFromProvider('Ada Lovelace')
    await page.getByText('The sign-in service has a problem at the moment.').waitFor()
    expect(at()).toBe('/login?reason=provider_unavailable')
    await look('8-provider-in-trouble')
    examples.provider.failNext('authorize', { body: '{"error":"expired"}', status: 400 })
    await press(/^Continue with/)
    await press('Approve')
    await page.getByText('The sign-in service did not confirm your sign-in.').waitFor()
    await press(/^Continue with/)
    await press('Approve')
    await press(/^Continue as/)
    await heading('Your profile')
    await page.goBack()
    await page.goForward()
    await page.reload()
    await heading('Your profile')
  })

  test('a second login is linked, and then opens the account too', async () => {
    await open()
    await signIn('Ada Lovelace')
    await page.getByRole('link', { name: 'Account' }).click()
    await press(/^Add another login/)
    await press('Sign in as someone else')
    await press(/Brien/)
    await press('Approve')
    await heading('Add this login?')
    await page.getByRole('button', { name: 'Add this login' }).waitFor()
    await look('9-link')
    await press('Add this login')
    await page.getByText('The login was added').waitFor()
    await seesTwoLogins()
    await look('10-linked')
    await press('Sign out everywhere')
    await page.getByText('here and in every other browser').waitFor()
    await press(/^Continue with/)
    await press('Approve')
    await heading('Your profile')
    await page.getByRole('link', { name: 'Account' }).click()
    await seesTwoLogins()
    const remove = page.getByRole('button', { name: /^Remove .*Brien/ })
    expect(await remove.count()).toBe(0)
    await page.locator('summary', { hasText: 'Remove' }).last().click()
    // The second click of a double click must not press it.
    const visibility = "getComputedStyle(document.querySelector('details[open] button')).visibility"
    expect(await page.evaluate(visibility)).toBe('hidden')
    await page.locator('details[open]', { hasText: 'Remove this login?' }).waitFor()
    await remove.waitFor()
    await look('11-remove')
    await remove.click()
    await page.getByText('The login was removed.').waitFor()
  })
})
