import { ours } from '../../support/attacks/target-app'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import type { Visitor } from '../../support/browsers/live-browser'
import { isCallback, until, type World } from '../../support/browsers/live-world'
import { startLogin } from './live-rows'
import { exchangesOf, liveSuite, userIn, verdictsOf } from './live-suite'

const NO_REFERRER = '<meta name="referrer" content="no-referrer">'
const AS_ATTACKER = 'social:2'
const AS_VICTIM = 'social:1'

// Forged callbacks without a start: attacks.test.ts, with the headers of recorded-rows.test.ts.
describeInEachBrowser('login CSRF', (start) => {
  const suite = liveSuite(start)

  async function onEvilPage(world: World, visitor: Visitor, html: string): Promise<void> {
    const tab = await visitor.open()
    await tab.goto(world.evilPage(html))
    await tab.click('#go')
  }

  const link = (to: string): string => `<a id="go" href="${to}" rel="noreferrer">Look</a>`

  describe.each(['GET', 'POST'] as const)('a start planted by %s, then a callback without a Referer', (method) => {
    async function plant(world: World, victim: Visitor): Promise<void> {
      const to = world.target.startURL()
      const form = `<form method="post" action="${to}"><button id="go">Win</button></form>`
      await onEvilPage(world, victim, method === 'GET' ? `<a id="go" href="${to}">Look</a>` : form)
      await world.visited(() => true)
      await onEvilPage(world, victim, link(world.forged()))
      await world.visited(isCallback)
    }

    test('signs in as the attacker with a naive strategy', async () => {
      const world = suite.world({ kind: 'naive', way: 'form' })
      const victim = await suite.visitor()
      await plant(world, victim)
      expect(await userIn(world, victim)).toBe(AS_ATTACKER)
    })

    test.each([method === 'GET' ? 'session' : 'cookie', 'web'] as const)(
      'ends at the confirm page with ours (%s)',
      async (kind) => {
        const world = suite.world({ kind, way: 'form' })
        const victim = await suite.visitor()
        await plant(world, victim)
        expect(verdictsOf(world)).toStrictEqual(['confirm page', 'login_not_started'])
        expect(await userIn(world, victim)).toBeNull()
      },
    )
  })

  describe('an attacker inside the window: the victim is at the provider’s page', () => {
    /** P1: the attacker's page opened the application, and navigates its window while the victim is at the provider. */
    async function popup(world: World, victim: Visitor): Promise<void> {
      const code = `window.popup = window.open('${world.app}/')`
      const opener = await victim.open()
      await opener.goto(world.evilPage(`${NO_REFERRER}<button id="go" onclick="${code}">Look</button>`))
      const opened = victim.opened()
      await opener.click('#go')
      const app = await opened
      await app.click('a[href="/auth/social"]')
      await world.visited(({ verdict }) => verdict === 'started')
      await until(async () => (await app.url()).startsWith(world.providerOrigin))
      await opener.run(`window.popup.location = '${world.forged()}'`)
      if (!world.target.visits.some(({ verdict }) => verdict === 'tab page')) await world.visited(isCallback)
      else expect(await opener.run('window.popup.closed')).toBe(true)
      if (exchangesOf(world) === 0) await app.click('#go')
      await world.visited(({ verdict }) => verdict === 'accepted')
    }

    /** P4: the attacker's page is in another tab. */
    async function otherTab(world: World, victim: Visitor): Promise<void> {
      const own = await startLogin(world, victim)
      await until(async () => (await own.url()).startsWith(world.providerOrigin))
      await onEvilPage(world, victim, link(world.forged()))
      await world.visited(({ path, verdict }) => path.includes('/callback') && verdict !== 'tab page')
      if (exchangesOf(world) === 0) await own.click('#go')
      await world.visited(({ verdict }) => verdict === 'accepted')
    }

    describe.each(Object.entries({ 'a popup that it holds': popup, 'another tab': otherTab }))(
      'from %s',
      (_title, attack) => {
        test.each(ours)(
          'succeeds without tabBinding: the known limit within the window (%s)',
          async (kind) => {
            const world = suite.world({ kind, way: 'form' })
            const victim = await suite.visitor()
            await attack(world, victim)
            expect(await userIn(world, victim)).toBe(AS_ATTACKER)
          },
          15_000,
        )

        test.each(ours)(
          'is refused by tabBinding, and the genuine login succeeds (%s)',
          async (kind) => {
            const world = suite.world({ kind, way: 'form', strategy: { tabBinding: true } })
            const victim = await suite.visitor()
            await attack(world, victim)
            expect(await userIn(world, victim)).toBe(AS_VICTIM)
          },
          15_000,
        )
      },
    )
  })
})
