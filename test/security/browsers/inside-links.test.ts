import { type Kind, ours } from '../../support/attacks/target-app'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import { isCallback, until, type World } from '../../support/browsers/live-world'
import { startLogin } from './live-rows'
import { liveSuite, userIn, verdictsOf } from './live-suite'

const AS_ATTACKER = 'social:2'
const SILENT_APPROVAL_MS = 30_000

/**
 * An attacker posts a link inside the application to their own site, which redirects to the callback with their key:
 * the request is cross-site and its Referer is the application, as after a silent approval.
 */
describeInEachBrowser('a link inside the application', (start) => {
  const suite = liveSuite(start)
  afterEach(() => jest.restoreAllMocks())

  const worldOf = (kind: Kind): World => {
    let link = ''
    const world = suite.world({ kind, way: 'form', extra: () => `<a id="post" href="${link}">Look</a>` })
    link = world.evilRedirect(world.forged())
    return world
  }

  /**
   * The person starts a login, leaves it pending at the provider, and later follows the link.
   *
   * @returns the signed-in user
   */
  async function followsTheLink(world: World, later: number): Promise<unknown> {
    const victim = await suite.visitor()
    const login = await startLogin(world, victim)
    await until(async () => (await login.url()).startsWith(world.providerOrigin))
    const now = Date.now.bind(Date)
    jest.spyOn(Date, 'now').mockImplementation(() => now() + later)
    const tab = await victim.open()
    await tab.goto(`${world.app}/`)
    await tab.click('#post')
    await world.visited(isCallback)
    return userIn(world, victim)
  }

  test('signs in as the attacker with a naive strategy, at any time', async () => {
    expect(await followsTheLink(worldOf('naive'), SILENT_APPROVAL_MS)).toBe(AS_ATTACKER)
  })

  test.each(ours)('is refused by ours 30 seconds after the start, and does not affect the login (%s)', async (kind) => {
    const world = worldOf(kind)
    expect(await followsTheLink(world, SILENT_APPROVAL_MS)).toBeNull()
    expect(verdictsOf(world)).toStrictEqual(['started', 'callback_forged'])
  })

  test('succeeds within the 30 seconds: the known limit', async () => {
    expect(await followsTheLink(worldOf('session'), 0)).toBe(AS_ATTACKER)
  })
})
