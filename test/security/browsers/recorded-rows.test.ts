import { rowsOf } from '../../support/attacks/header-rows'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import { type Lived, liveAll } from './live-suite'

// A changed row means changed browser behaviour: review SECURITY.md before you change the fixture.
describeInEachBrowser('the rows of browser-headers.json', (start, name) => {
  let lived: ReadonlyMap<string, Lived | Error>

  beforeAll(async () => {
    const browser = await start()
    lived = await liveAll(rowsOf(name), browser, name === 'chromium' ? 3 : 1)
    await browser.close()
  }, 180_000)

  test.each(rowsOf(name))('$id, $scenario: the $request is $verdict', ({ id, sent, verdict }) => {
    expect(lived.get(id)).toEqual({ sent, verdict })
  })
})
