import { rowsOf } from '../../support/attacks/header-rows'
import { ours } from '../../support/attacks/target-app'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import { live, liveSuite } from './live-suite'

// A changed row means changed browser behaviour: review SECURITY.md before you change the fixture.
describeInEachBrowser('the rows of browser-headers.json', (start, name) => {
  const suite = liveSuite(start)
  // Rows alternate between the kinds, because a browser sends the same to all: recorded-headers.test.ts sends each row to each kind.
  const rows = rowsOf(name).map((row, index) => ({ ...row, kind: ours[index % ours.length] ?? 'session' }))

  test.each(rows)('$id, $scenario: the $request is $verdict', async ({ kind, ...row }) => {
    const { sent, verdict } = row
    expect(await live(row, suite, kind)).toEqual({ sent, verdict })
  })
})
