import { describeInBrowser } from './support/chromium'
import { startChromium } from './support/live-browser'
import { type Lived, liveAll, rowsOf } from './support/live-suite'

// A row that has changed is news about browsers: read security.md section 2 again before you change the fixture.
describeInBrowser('the rows of browser-headers.json, live in Chromium', () => {
  let lived: ReadonlyMap<string, Lived | Error>

  beforeAll(async () => {
    const browser = await startChromium()
    lived = await liveAll(rowsOf('chromium'), browser, 3)
    await browser.close()
  }, 180_000)

  test.each(rowsOf('chromium'))('$id, $scenario: the $request is $verdict', ({ id, sent, verdict }) => {
    expect(lived.get(id)).toEqual({ sent, verdict })
  })
})
