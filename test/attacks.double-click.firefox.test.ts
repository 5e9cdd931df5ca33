import { describeDoubleClicks } from './support/double-click'
import { describeInFirefox, startFirefox } from './support/live-firefox'

describeInFirefox('a double click in Firefox', () => describeDoubleClicks(startFirefox))
