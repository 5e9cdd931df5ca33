import { inspect } from 'node:util'
import helmet from 'helmet'
import { adapters, SOCIAL } from '../../support/attacks/target-app'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import { where } from '../../support/browsers/limits'
import { isCallback, until, type World } from '../../support/browsers/live-world'
import { LOGIN_LINK, startLogin } from './live-rows'
import { exchangesOf, liveSuite, userIn, verdictsOf } from './live-suite'

const START = `/auth/${SOCIAL}`
const AS_VICTIM = 'social:1'

describeInEachBrowser('starts', (start, name) => {
  const suite = liveSuite(start)

  const rules = where(name, 'speculation rules')
  const speculations = [
    [
      'a prefetch rule',
      rules,
      `<script type="speculationrules">{"prefetch":[{"urls":["${START}"],"eagerness":"immediate"}]}</script>`,
    ],
    [
      'a prerender rule',
      rules,
      `<script type="speculationrules">{"prerender":[{"urls":["${START}"],"eagerness":"immediate"}]}</script>`,
    ],
    ['link rel=prefetch', where(name, 'link rel=prefetch'), `<link rel="prefetch" href="${START}">`],
  ] as const

  for (const [title, { describe }, extra] of speculations)
    describe(`${title} for the start`, () => {
      test('spends a key in the background with a naive strategy', async () => {
        const world = suite.world({ kind: 'naive', extra: () => extra })
        const tab = await (await suite.visitor()).open()
        await tab.goto(`${world.app}/`)
        await until(() => exchangesOf(world) > 0)
      })

      test.each(adapters)('starts and spends nothing with ours, and a click still works (%s)', async (kind) => {
        const world = suite.world({ kind, extra: (path) => (path === '/' ? extra : '') })
        const victim = await suite.visitor()
        const tab = await victim.open()
        await tab.goto(`${world.app}/`)
        await world.visited(() => true)
        expect(verdictsOf(world)).toStrictEqual(['speculative_request'])
        expect(inspect(world.target.store, false, null)).not.toContain('passport-social-login')
        await tab.click(`a[href="${START}"]`)
        await world.visited(isCallback)
        expect([exchangesOf(world), await userIn(world, victim)]).toStrictEqual([1, AS_VICTIM])
      })
    })

  test.each(adapters)('a framed start shows no confirm page (%s)', async (kind) => {
    const world = suite.world({ kind, extra: () => `<iframe src="${START}"></iframe>` })
    const tab = await (await suite.visitor()).open()
    await tab.goto(world.evilPage(`<iframe src="${world.target.startURL()}"></iframe>`))
    await world.visited(() => true)
    await tab.goto(`${world.app}/`)
    await until(() => world.target.visits.length === 2)
    expect(verdictsOf(world)).toStrictEqual(['start_forbidden', 'start_forbidden'])
  })

  describe('the confirm page', () => {
    function withLoginWall(): World {
      return suite.world({
        kind: 'session',
        extra: () => '<a id="inbox" href="/inbox">Inbox</a>',
        before: (app) => app.get('/inbox', (req, res) => (req.user ? res.send('Mail') : res.redirect(START))),
      })
    }

    test('is shown when a login wall redirects a typed address', async () => {
      const world = withLoginWall()
      const tab = await (await suite.visitor()).open()
      await tab.goto(`${world.app}/inbox`)
      expect(verdictsOf(world)).toStrictEqual(['confirm page'])
      await tab.click('main a')
      await world.visited(({ verdict }) => verdict === 'accepted')
    })

    test('is shown when a foreign link hits the login wall, and no login is pending', async () => {
      const world = withLoginWall()
      const victim = await suite.visitor()
      const tab = await victim.open()
      await tab.goto(world.evilPage(`<a id="go" href="${world.app}/inbox">Look</a>`))
      await tab.click('#go')
      await world.visited(() => true)
      // Firefox drops an address that it is given while another page is on its way.
      await until(async () => (await tab.url()).startsWith(world.app))
      await tab.goto(world.evilPage(`<a id="go" rel="noreferrer" href="${world.forged()}">Look</a>`))
      await tab.click('#go')
      await world.visited(isCallback)
      expect(verdictsOf(world)).toStrictEqual(['confirm page', 'login_not_started'])
    })

    test('is not shown when a link of the application hits the login wall', async () => {
      const world = withLoginWall()
      const tab = await (await suite.visitor()).open()
      await tab.goto(`${world.app}/`)
      await tab.click('#inbox')
      await world.visited(isCallback)
      expect(verdictsOf(world)).toStrictEqual(['started', 'accepted'])
    })
  })

  describe('with helmet’s defaults', () => {
    const withHelmet = (formAction: string[] = []): World =>
      suite.world({
        kind: 'session',
        way: 'form',
        before: (app) => {
          const directives = { 'form-action': ["'self'", ...formAction] }
          app.use(helmet(formAction.length > 0 ? { contentSecurityPolicy: { directives } } : {}))
        },
      })

    const isBlocked = name !== 'firefox'
    const title = isBlocked ? 'fails: the application redirects, but the browser blocks it' : 'works all the same'
    test(`a start by POST ${title}`, async () => {
      const world = withHelmet()
      const tab = await startLogin(world, await suite.visitor(), 'POST')
      await world.visited(({ verdict }) => verdict === 'started')
      if (name === 'chromium') await until(() => tab.complaints().some((text) => text.includes('form-action')))
      // The page with the form is still there.
      if (isBlocked) await tab.click(LOGIN_LINK)
      await until(async () => (await tab.url()).startsWith(world.providerOrigin))
      expect(verdictsOf(world)).toEqual(isBlocked ? ['started', 'started'] : ['started'])
    })

    test('a start by POST works once form-action names the provider', async () => {
      const world = withHelmet([suite.sites().origin('provider.test')])
      const victim = await suite.visitor()
      const tab = await startLogin(world, victim, 'POST')
      await tab.click('#go')
      await world.visited(isCallback)
      expect(await userIn(world, victim)).toBe(AS_VICTIM)
    })
  })
})
