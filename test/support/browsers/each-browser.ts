import { describeInChromium } from './chromium'
import { type LiveBrowser, startChromium, type Visitor } from './live-browser'
import { describeInFirefox, startFirefox } from './live-firefox'
import { describeInWebKit, startWebKit } from './live-webkit'

type Block = (start: () => Promise<LiveBrowser>, name: LiveBrowser['name']) => void

/** Runs the tests of `block` in Chromium, Firefox and WebKit, each if it is installed or required. */
export function describeInEachBrowser(title: string, block: Block): void {
  describeInChromium(`${title}, in Chromium`, () => block(startChromium, 'chromium'))
  describeInFirefox(`${title}, in Firefox`, () => block(startFirefox, 'firefox'))
  describeInWebKit(`${title}, in WebKit`, () => block(startWebKit, 'webkit'))
}

/** The same with one browser for all tests, and a new visitor for each. @param block takes what returns the visitor */
export function describeVisits(title: string, block: (visitor: () => Visitor) => void): void {
  describeInEachBrowser(title, (start) => {
    jest.setTimeout(60_000)
    let browser: LiveBrowser
    let visitor: Visitor
    beforeAll(async () => {
      browser = await start()
    })
    beforeEach(async () => {
      visitor = await browser.visitor()
    })
    afterEach(() => visitor.close())
    afterAll(() => browser.close())
    block(() => visitor)
  })
}
