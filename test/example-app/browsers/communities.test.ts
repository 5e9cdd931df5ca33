import type { Browser, BrowserContext, Page } from 'playwright-core'
import { accessibilityFindings } from '../../support/browsers/accessibility'
import { describeInChromium, launchChromium } from '../../support/browsers/chromium'
import { watchForTrouble } from '../../support/browsers/page-trouble'
import { type RunningExample, startExample, temporaryFolder } from '../../support/example/example-app'

describeInChromium('the example application with the two communities of its own, in Chromium', () => {
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
    await example?.stop('SIGKILL')
    folder.remove()
  })

  beforeEach(async () => {
    context = await browser.newContext()
    page = await context.newPage()
    trouble = watchForTrouble(page)
  })

  afterEach(async () => {
    await context.close()
    expect(trouble).toEqual([])
  })

  const press = (name: string | RegExp) => page.getByRole('button', { name }).click()
  const heading = (name: string) => page.getByRole('heading', { name }).waitFor()
  const comeFrom = async (community: string, person: string): Promise<void> => {
    await page.goto(`${example.appURL}/login`)
    await press(`Continue with ${community}`)
    await press(new RegExp(person))
    await press('Approve')
  }
  const whoAmI = async (): Promise<Record<string, unknown>> =>
    (await context.request.get(`${example.appURL}/profile`, { headers: { accept: 'application/json' } })).json()

  test('a person adds a login of the second community to the account of the first, and signs in with either', async () => {
    await comeFrom('Fake Social', 'Ada Lovelace')
    await press('Continue as Ada Lovelace')
    await heading('Your profile')
    const { account, provider } = await whoAmI()
    // As in the databases from before there was a second one.
    expect(provider).toBe('fake-provider')

    await page.getByRole('link', { name: 'Account' }).click()
    await press('Add another login at Fake Chess Club')
    await page.waitForFunction("document.title === 'Sign in · Fake Chess Club'")
    await press(/Ada Lovelace/)
    await press('Approve')
    await heading('Add this login?')
    await page.getByText('With the following login at Fake Chess Club').waitFor()
    await press('Add this login')
    await page.getByText('The login was added').waitFor()
    await page.waitForLoadState()
    expect(await page.getByRole('listitem').count()).toBe(2)
    await page.waitForFunction('[...document.images].every((image) => image.complete && image.naturalWidth > 0)')
    expect(await page.locator('img.portrait').count()).toBe(2)
    expect(await accessibilityFindings(page)).toEqual([])

    for (const community of ['Fake Chess Club', 'Fake Social']) {
      await press(/^Sign out$/)
      await page.getByText('You are signed out.').waitFor()
      // Signed out of both providers, too: they keep their sessions in one cookie of 127.0.0.1.
      await context.clearCookies({ domain: '127.0.0.1' })
      await comeFrom(community, 'Ada Lovelace')
      await heading('Your profile')
      await page.getByRole('button', { name: `Reload from ${community}` }).waitFor()
      expect((await whoAmI())['account']).toBe(account)
    }
  }, 30_000)

  test('user 1 of the second community is somebody else', async () => {
    await comeFrom('Fake Social', 'Ada Lovelace')
    await press('Continue as Ada Lovelace')
    await heading('Your profile')
    const ada = await whoAmI()
    await press('Sign out')
    await page.getByText('You are signed out.').waitFor()
    await comeFrom('Fake Chess Club', 'Vera Menchik')
    await heading('Is this you?')
    await page.getByText('This login at Fake Chess Club has not been used').waitFor()
    await press('Continue as Vera Menchik')
    await heading('Your profile')
    const vera = await whoAmI()
    expect([ada['id'], vera['id']]).toEqual(['1', '1'])
    expect(vera['account']).not.toBe(ada['account'])
  }, 30_000)
})
