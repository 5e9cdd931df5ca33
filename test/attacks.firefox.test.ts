import { describeInFirefox, startFirefox } from './support/live-firefox'
import { type Lived, liveAll, rowsOf } from './support/live-suite'

// A row that has changed is news about browsers: read security.md section 2 again before you change the fixture.
describeInFirefox('the rows of browser-headers.json, live in Firefox', () => {
  let lived: ReadonlyMap<string, Lived | Error>

  beforeAll(async () => {
    const browser = await startFirefox()
    lived = await liveAll(rowsOf('firefox'), browser, 1)
    await browser.close()
  }, 180_000)

  test.each(rowsOf('firefox'))('$id, $scenario: the $request is $verdict', ({ id, sent, verdict }) => {
    expect(lived.get(id)).toEqual({ sent, verdict })
  })
})
