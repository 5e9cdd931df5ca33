import type { LiveBrowser } from './support/live-browser'
import { describeInFirefox, startFirefox } from './support/live-firefox'
import { live, rowsOf } from './support/live-suite'
import { Sites } from './support/sites'
import { ours } from './support/target-app'

// A row that has changed is news about browsers: read security.md section 2 again before you change the fixture.
describeInFirefox('the rows of browser-headers.json, live in Firefox', () => {
  let sites: Sites
  let browser: LiveBrowser

  beforeAll(async () => {
    sites = await Sites.start()
    browser = await startFirefox()
  }, 30_000)

  afterAll(async () => {
    await browser.close()
    await sites.stop()
  })

  // The headers are the same for both stores; which row meets which store changes with nothing but the order of the file.
  test.each(rowsOf('firefox').map((row, index) => ({ ...row, kind: ours[index % 2] ?? 'session' })))(
    '$id, $scenario: the $request is $verdict ($kind)',
    async (row) => {
      expect(await live(row, browser, sites, row.kind)).toEqual({ sent: row.sent, verdict: row.verdict })
    },
    20_000,
  )
})
