import type { Kind, Visit } from '../../support/attacks/target-app'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import type { Visitor } from '../../support/browsers/live-browser'
import { isCallback, until, type World } from '../../support/browsers/live-world'
import { liveSuite, userIn, verdictsOf } from './live-suite'
import { ANSWERS, controlledTab, LEAVES_LOGIN, preloadingWorker, worker, workerWorld } from './live-workers'

/** An application whose service worker answers navigations, as in offline applications. */
describeInEachBrowser('a service worker that answers navigations', (start, name) => {
  const suite = liveSuite(start)

  const withWorker = (script: string, kind: Kind = 'session'): World => suite.world({ kind, ...workerWorld(script) })

  async function startWithWorker(world: World, visitor: Visitor): Promise<void> {
    const tab = await controlledTab(world, visitor)
    await tab.click('a[href="/auth/social"]')
  }

  test('a login is refused, and the failure names the remedy', async () => {
    const world = withWorker(worker(ANSWERS, false))
    await startWithWorker(world, await suite.visitor())
    await world.visited(() => true)
    expect(verdictsOf(world)).toStrictEqual(['start_forbidden'])
    expect(world.target.visits[0]?.headers['sec-fetch-dest']).toBe('empty')
    expect(JSON.stringify(Reflect.get(world.target.store, 'sessions'))).toContain('has a service worker')
  })

  test('a login succeeds if the worker leaves its URLs to the browser', async () => {
    const world = withWorker(worker(LEAVES_LOGIN, false))
    const visitor = await suite.visitor()
    await startWithWorker(world, visitor)
    await world.visited(isCallback)
    expect(verdictsOf(world)).toStrictEqual(['started', 'accepted'])
    expect(await userIn(world, visitor)).toBe('social:1')
  })

  test('a login succeeds if that worker has the browser preload navigations', async () => {
    const world = withWorker(preloadingWorker)
    const visitor = await suite.visitor()
    await startWithWorker(world, visitor)
    await world.visited(({ verdict }) => verdict === 'accepted')
    const verdicts = verdictsOf(world)
    expect(verdicts.filter((verdict) => verdict !== 'speculative_request')).toStrictEqual(['started', 'accepted'])
    // WebKit requests each navigation once more, after what it has preloaded, and does not wait for the answer.
    expect(verdicts.length).toBeGreaterThanOrEqual(4)
    expect(await userIn(world, visitor)).toBe('social:1')
  })

  // Firefox says `same-origin` of what it preloads, and WebKit of what it requests once more, whoever caused the navigation.
  test.each([
    ['with a naive strategy', 'naive', 'social:2'],
    ['not with ours', 'session', null],
    ['not with SocialLogin', 'web', null],
  ] as const)(
    'a foreign page plants a start by such a worker and signs the person in, %s',
    async (_title, kind, user) => {
      const world = suite.world({ kind, way: 'form', ...workerWorld(preloadingWorker) })
      const victim = await suite.visitor()
      await controlledTab(world, victim)
      // What is preloaded, the navigation itself, and in WebKit what it requests once more.
      const each = name === 'webkit' ? 3 : 2
      for (const [index, url] of [world.target.startURL(), world.forged()].entries()) {
        const tab = await victim.open()
        const evilPage = world.evilPage(`<a id="go" href="${url}" rel="noreferrer">Look</a>`)
        await tab.goto(evilPage)
        await tab.click('#go')
        await until(async () => !['', evilPage].includes(await tab.url()))
        await until(() => world.target.visits.length >= each * (index + 1))
      }
      const wasPreloaded = ({ headers }: Visit): boolean => headers['service-worker-navigation-preload'] !== undefined
      expect(world.target.visits.some(wasPreloaded)).toBe(true)
      expect(await userIn(world, victim)).toBe(user)
    },
  )
})
