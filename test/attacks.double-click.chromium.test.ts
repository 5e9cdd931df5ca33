import { describeInBrowser } from './support/chromium'
import { describeDoubleClicks } from './support/double-click'
import { startChromium } from './support/live-browser'

describeInBrowser('a double click in Chromium', () => describeDoubleClicks(startChromium))
