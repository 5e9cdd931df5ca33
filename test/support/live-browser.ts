import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumArguments, executablePath } from './chromium'
import { RESOLVER_RULES } from './sites'

/** A tab of a real browser, as far as the attacks need it: what happened is read from the servers' logs. */
export interface Tab {
  /** Types an address. Resolves when the navigation has ended, well or not. */
  goto(url: string): Promise<void>
  click(selector: string): Promise<void>
  doubleClick(selector: string): Promise<void>
  reload(): Promise<void>
  back(): Promise<void>
  /** Runs an expression in the page. */
  run(expression: string): Promise<unknown>
  url(): Promise<string>
  /** What the browser has complained about on its console. */
  complaints(): readonly string[]
  /** The text of the page. */
  text(): Promise<string>
}

/** Somebody with cookies of their own. */
export interface Visitor {
  open(): Promise<Tab>
  /** The next tab that a page opens. */
  opened(): Promise<Tab>
  close(): Promise<void>
}

/** A browser that is started once and visited by many. */
export interface LiveBrowser {
  readonly name: 'chromium' | 'firefox'
  visitor(): Promise<Visitor>
  close(): Promise<void>
}

/** Starts Chromium so that it finds the sites and takes their certificate. */
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

/** A tab of playwright's. */
export function chromiumTab(page: Page): Tab {
  page.setDefaultTimeout(8000)
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  return {
    goto: (url) => page.goto(url).then(ignore, ignore),
    click: (selector) => page.click(selector, { noWaitAfter: true }),
    doubleClick: (selector) => page.dblclick(selector, { noWaitAfter: true }),
    reload: () => page.reload().then(ignore, ignore),
    back: () => page.goBack().then(ignore, ignore),
    run: (expression) => page.evaluate(expression),
    url: async () => page.url(),
    complaints: () => complaints,
    text: () => page.innerText('body'),
  }
}

/** A navigation that a script overtakes is an error to playwright, and none to us. */
const ignore = (): void => {}
