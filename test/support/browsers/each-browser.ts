import { describeInChromium } from './chromium'
import { type LiveBrowser, startChromium } from './live-browser'
import { describeInFirefox, startFirefox } from './live-firefox'

type Block = (start: () => Promise<LiveBrowser>, name: LiveBrowser['name']) => void

/** Runs the tests of `block` in Chromium and in Firefox, each if it is installed or required. */
export function describeInEachBrowser(title: string, block: Block): void {
  describeInChromium(`${title}, in Chromium`, () => block(startChromium, 'chromium'))
  describeInFirefox(`${title}, in Firefox`, () => block(startFirefox, 'firefox'))
}
