import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumArguments, executablePath } from './chromium'
import { RESOLVER_RULES } from './sites'

/** The keys that the tests need. */
export type Key = 'Tab' | 'Enter'

/** For tests in real browsers: a tab, reduced to what the attacks need; results are read from the servers' logs. */
export interface Tab {
  /** Types an address. Resolves when the navigation has ended, successfully or not. */
  goto(url: string): Promise<void>
  /** Clicks an element once it can be clicked, as a user does. */
  click(selector: string): Promise<void>
  /** Moves the mouse onto an element. */
  hover(selector: string): Promise<void>
  /** Clicks immediately where an element is, or in the middle of the window, like a click meant for another page. */
  press(selector: string): Promise<void>
  doubleClick(selector: string): Promise<void>
  /** Presses keys, one after the other. */
  type(...keys: Key[]): Promise<void>
  /** Brings the tab to the front, with the resulting events. */
  toFront(): Promise<void>
  reload(): Promise<void>
  back(): Promise<void>
  /** Runs an expression in the page. */
  run(expression: string): Promise<unknown>
  url(): Promise<string>
  /** The errors and warnings on the browser's console. */
  complaints(): readonly string[]
  /** The text of the page, once all of it is there. */
  text(): Promise<string>
}

/** A user with their own cookies. */
export interface Visitor {
  open(): Promise<Tab>
  /** The next tab that a page opens. */
  opened(): Promise<Tab>
  close(): Promise<void>
}

/** A browser process shared by many visitors. */
export interface LiveBrowser {
  readonly name: 'chromium' | 'firefox' | 'webkit'
  visitor(): Promise<Visitor>
  close(): Promise<void>
}

/** Starts Chromium so that it resolves the sites and accepts their certificate. */
export async function startChromium(): Promise<LiveBrowser> {
  const args = [...chromiumArguments, `--host-resolver-rules=${RESOLVER_RULES}`, '--ignore-certificate-errors']
  const browser: Browser = await chromium.launch({ executablePath, args })
  return {
    name: 'chromium',
    visitor: async () => {
      const context = await browser.newContext({ ignoreHTTPSErrors: true })
      return {
        open: async () => chromiumTab(await context.newPage()),
        opened: async () => chromiumTab(await context.waitForEvent('page')),
        close: () => context.close(),
      }
    },
    close: () => browser.close(),
  }
}

/** A tab driven by playwright. */
function chromiumTab(page: Page): Tab {
  page.setDefaultTimeout(8000)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', ({ message }) => complaints.push(message))
  return {
    goto: (url) => page.goto(url).then(ignore, ignore),
    click: (selector) => page.click(selector, { noWaitAfter: true }),
    hover: (selector) => page.hover(selector),
    press: async (selector) => {
      const window = { x: 0, y: 0, ...page.viewportSize() }
      const { x, y, width = 0, height = 0 } = (await page.locator(selector).boundingBox()) ?? window
      await page.mouse.click(x + width / 2, y + height / 2)
    },
    doubleClick: (selector) => page.dblclick(selector, { noWaitAfter: true }),
    type: async (...keys) => {
      for (const key of keys) await page.keyboard.press(key)
    },
    toFront: async () => {
      await page.bringToFront()
      // playwright gives every page the focus all the time.
      await page.evaluate("dispatchEvent(new Event('focus'))")
    },
    reload: () => page.reload().then(ignore, ignore),
    back: () => page.goBack().then(ignore, ignore),
    run: (expression) => page.evaluate(expression),
    url: async () => page.url(),
    complaints: () => complaints,
    text: async () => {
      await page.waitForLoadState('domcontentloaded')
      return page.innerText('body')
    },
  }
}

/** A navigation that a script interrupts is an error in playwright, but not here. */
const ignore = (): void => {}
