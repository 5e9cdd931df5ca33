import { describeInBrowser } from './support/chromium'
import { describeDoubleClicks } from './support/double-click'
import { describeExampleDoubleClicks } from './support/example-double-click'
import { describeInsideLinks } from './support/inside-links'
import { startChromium } from './support/live-browser'
import { describeServiceWorkers } from './support/service-workers'

describeInBrowser('in Chromium', () => {
  describe('a double click', () => describeDoubleClicks(startChromium))
  describe('a double click over the example', () => describeExampleDoubleClicks(startChromium))
  describe('a link inside the application', () => describeInsideLinks(startChromium))
  describe('a service worker that answers navigations', () => describeServiceWorkers(startChromium))
})
