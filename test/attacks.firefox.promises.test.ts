import { describeDoubleClicks } from './support/double-click'
import { describeExampleDoubleClicks } from './support/example-double-click'
import { describeInsideLinks } from './support/inside-links'
import { describeInFirefox, startFirefox } from './support/live-firefox'
import { describeServiceWorkers } from './support/service-workers'

describeInFirefox('in Firefox', () => {
  describe('a double click', () => describeDoubleClicks(startFirefox))
  describe('a double click over the example', () => describeExampleDoubleClicks(startFirefox))
  describe('a link inside the application', () => describeInsideLinks(startFirefox))
  describe('a service worker that answers navigations', () => describeServiceWorkers(startFirefox))
})
