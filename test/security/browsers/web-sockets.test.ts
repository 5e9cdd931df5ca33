import { type Kind, ours } from '../../support/attacks/target-app'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import { isCallback, type World } from '../../support/browsers/live-world'
import { LOGIN_LINK } from './live-rows'
import { liveSuite, verdictsOf } from './live-suite'

/**
 * It needs no navigation, so a page in another tab can try until the person begins to link an account. Chromium sends all
 * cookies with the handshake, but neither Fetch Metadata nor a Referer.
 */
describeInEachBrowser('a WebSocket of a sister subdomain that opens the callback of a pending link', (start, name) => {
  const suite = liveSuite(start)

  async function linkBeside(kind: Kind): Promise<World> {
    const world = suite.world({ kind, way: 'form', link: true })
    const victim = await suite.visitor()
    const hostile = await victim.open()
    await hostile.goto(world.subPage('<p>In another tab</p>'))
    const own = await victim.open()
    await own.goto(`${world.app}/become/ada`)
    await own.goto(`${world.app}/`)
    await own.click(LOGIN_LINK)
    await world.visited(({ verdict }) => verdict === 'started')
    await hostile.run(`void new WebSocket('${world.forged().replace('https:', 'wss:')}')`)
    const { headers } = await world.visited(isCallback)
    expect(headers['sec-fetch-site']).toBe(name === 'chromium' ? undefined : 'same-site')
    await own.click('#go')
    await world.visited((visit) => isCallback(visit) && visit.headers.upgrade === undefined)
    return world
  }

  test('links the account of the attacker with a naive strategy', async () => {
    const { target } = await linkBeside('naive')
    expect(target.linked[0]).toBe('ada: social:2')
  })

  test.each(ours)('does nothing to ours, and the link under way succeeds (%s)', async (kind) => {
    const world = await linkBeside(kind)
    expect(verdictsOf(world)).toStrictEqual(['started', 'callback_forged', 'linked'])
    expect(world.target.linked).toStrictEqual(['ada: social:1'])
  })
})
