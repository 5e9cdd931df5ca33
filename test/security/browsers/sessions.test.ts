import { sameOriginNavigation } from '../../../lib/testing'
import { ours } from '../../support/attacks/target-app'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import { where } from '../../support/browsers/limits'
import type { Visitor } from '../../support/browsers/live-browser'
import { isCallback, until, type World } from '../../support/browsers/live-world'
import { startLogin } from './live-rows'
import { exchangesOf, liveSuite, userIn, verdictsOf } from './live-suite'

const AS_ATTACKER = 'social:2'
const NOTHING_LEFT = 'nothing left to finish here'
const AS_VICTIM = 'social:1'

describeInEachBrowser('cookies and second visits', (start, name) => {
  const suite = liveSuite(start)

  describe('a sister subdomain that plants the attacker’s own record', () => {
    /** The attacker starts a login. @returns the attacker's cookies, as `name=value` */
    async function startedByAttacker({ target }: World): Promise<string[]> {
      const { dispatcher } = suite.sites()
      const { host, origin, pathname } = new URL(target.startURL())
      const headers = { host, ...sameOriginNavigation, cookie: 'probe=there' }
      const answer = await dispatcher.request({ origin, path: pathname, method: 'GET', headers })
      await answer.body.dump()
      return [answer.headers['set-cookie'] ?? []].flat().map((line) => line.split(';', 1).join())
    }

    async function plant(world: World, victim: Visitor, cookies: readonly string[], path = '/'): Promise<string> {
      const tab = await victim.open()
      const lines = [...cookies, 'plain=arrives'].map((cookie) => `${cookie}; Domain=app.test; Path=${path}; Secure`)
      await tab.goto(world.subPage('Sister', { 'set-cookie': lines }))
      await tab.goto(world.evilPage(`<a id="go" rel="noreferrer" href="${world.forged()}">Look</a>`))
      await tab.click('#go')
      return (await world.visited(isCallback)).headers.cookie ?? ''
    }

    test('succeeds with the session store and a session cookie of a plain name', async () => {
      const world = suite.world({ kind: 'session' })
      const victim = await suite.visitor()
      // With this path it shadows the browser's own cookie only at the callback.
      await plant(world, victim, await startedByAttacker(world), '/auth')
      expect(await userIn(world, victim)).toBe(AS_ATTACKER)
    })

    where(name, 'cookies named __Host-').test('fails when the session cookie is named __Host-', async () => {
      const session = { name: '__Host-sid', cookie: { secure: true, path: '/' }, proxy: true }
      const world = suite.world({ kind: 'session', session, before: () => {} })
      const victim = await suite.visitor()
      const cookies = await startedByAttacker(world)
      const sent = await plant(world, victim, cookies)
      expect(sent).toContain('plain=arrives')
      expect(verdictsOf(world).at(-1)).toBe('login_not_started')
    })

    const disguises: Record<string, (cookie: string) => string> = {
      'as it is': (cookie) => cookie,
      'without a name': (cookie) => `=${cookie}`,
      'in small letters': (cookie) => cookie.replace('__Host-', '__host-'),
      'after a tab': (cookie) => `\t${cookie}`,
      'after a no-break space': (cookie) => `\u00a0${cookie}`,
      'within another value': (cookie) => `a=1, ${cookie}`,
      'in quotes': (cookie) => `"${cookie}"`,
    }

    const planted = (['cookie', 'web'] as const).flatMap((kind) =>
      Object.entries(disguises).map(([title, disguise]) => ({ kind, title, disguise })),
    )

    where(name, 'cookies named __Host-').test.each(planted)(
      'fails with the sealed cookie ($kind): planted $title',
      async ({ kind, disguise }) => {
        const world = suite.world({ kind })
        const victim = await suite.visitor()
        const sealed = (await startedByAttacker(world)).filter((cookie) => cookie.startsWith('__Host-social-login='))
        expect(sealed).toHaveLength(1)
        const sent = await plant(world, victim, sealed.map(disguise))
        expect(sent).toContain('plain=arrives')
        expect([verdictsOf(world).at(-1), exchangesOf(world)]).toStrictEqual(['login_not_started', 0])
      },
    )
  })

  describe('an application session with SameSite=Strict', () => {
    const session = { cookie: { sameSite: 'strict', secure: true }, proxy: true } as const

    test.each([
      { kind: 'session', verdict: 'login_not_started' },
      { kind: 'cookie', verdict: 'accepted' },
      { kind: 'web', verdict: 'accepted' },
    ] as const)('ends a login as $verdict with the kind $kind', async ({ kind, verdict }) => {
      const world = suite.world({ kind, session, way: 'form', before: () => {} })
      const tab = await startLogin(world, await suite.visitor())
      await tab.click('#go')
      expect((await world.visited(isCallback)).verdict).toBe(verdict)
    })

    test.each(['cookie', 'web'] as const)(
      'shows nobody after the callback, and the person on the next page (%s)',
      async (kind) => {
        const world = suite.world({ kind, session, way: 'form', before: () => {} })
        const victim = await suite.visitor()
        const tab = await startLogin(world, victim)
        await tab.click('#go')
        await until(async () => (await tab.url()) === `${world.app}/me`)
        expect(await tab.text()).toContain('null')
        expect(await userIn(world, victim)).toBe(AS_VICTIM)
      },
    )
  })

  describe.each(ours)('a second visit (%s)', (kind) => {
    test('reload, back and forward: a failure that says so, still signed in, and one exchange', async () => {
      const world = suite.world({ kind, way: 'link', stayAtCallback: true })
      const victim = await suite.visitor()
      const tab = await startLogin(world, victim)
      await tab.click('#go')
      await until(async () => (await tab.text()).includes(AS_VICTIM))
      await tab.reload()
      expect(await tab.text()).toContain(NOTHING_LEFT)
      await tab.back()
      // Delayed, so that the script returns before its page is gone.
      await tab.run('void setTimeout(() => history.forward())')
      await until(async () => (await tab.url()).startsWith(world.app) && (await tab.text()).includes(NOTHING_LEFT))
      expect(new Set(verdictsOf(world))).toEqual(new Set(['started', 'accepted', 'login_not_started']))
      expect([exchangesOf(world), await userIn(world, victim)]).toStrictEqual([1, AS_VICTIM])
    })

    test('a reload of the form that the tab’s page has sent: the same', async () => {
      const world = suite.world({ kind, way: 'link', stayAtCallback: true, strategy: { tabBinding: true } })
      const victim = await suite.visitor()
      const tab = await startLogin(world, victim)
      await tab.click('#go')
      await until(async () => (await tab.text()).includes(AS_VICTIM))
      await tab.reload()
      await world.visited(({ verdict }) => verdict === 'login_not_started')
      expect(await tab.text()).toContain(NOTHING_LEFT)
      expect(verdictsOf(world).slice(-2)).toStrictEqual(['accepted', 'login_not_started'])
      expect([exchangesOf(world), await userIn(world, victim)]).toStrictEqual([1, AS_VICTIM])
    })

    test('a double click on the provider’s link: signed in, and one exchange', async () => {
      const world = suite.world({ kind, way: 'link' })
      const victim = await suite.visitor()
      const tab = await startLogin(world, victim)
      await until(async () => (await tab.url()).startsWith(world.providerOrigin))
      world.provider.failNext('authorize', { delay: 300 })
      await tab.doubleClick('#go')
      await until(async () => (await tab.url()) === `${world.app}/me`)
      expect(await tab.text()).toContain(AS_VICTIM)
      expect(exchangesOf(world)).toBe(1)
    })
  })
})
