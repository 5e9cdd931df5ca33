import type { Kind, Visit } from '../../support/attacks/target-app'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import type { Tab, Visitor } from '../../support/browsers/live-browser'
import { isCallback, until, type World } from '../../support/browsers/live-world'
import { liveSuite, userIn, verdictsOf } from './live-suite'

const ANSWERS = 'event.respondWith(fetch(event.request))'
const LEAVES_LOGIN = `if (!event.request.url.includes('/auth/')) ${ANSWERS}`
const worker = (onFetch: string, preload: boolean): string => `
addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(activate()))
addEventListener('fetch', (event) => { ${onFetch} })
async function activate() {
  if (${preload}) await registration.navigationPreload.enable()
  await clients.claim()
}
`
const REGISTER = `<script>
navigator.serviceWorker.register('/worker.js')
navigator.serviceWorker.addEventListener('controllerchange', () => { document.title = 'controlled' })
</script>`

/** An application whose service worker answers navigations, as in offline applications. */
describeInEachBrowser('a service worker that answers navigations', (start) => {
  const suite = liveSuite(start)

  const withWorker = (script: string, kind: Kind = 'session'): World =>
    suite.world({
      kind,
      extra: (path) => (path === '/' ? REGISTER : ''),
      before: (app) => app.get('/worker.js', (_req, res) => void res.type('js').send(script)),
    })

  /** A tab with a page of the application that the worker controls. */
  async function controlledTab(world: World, visitor: Visitor): Promise<Tab> {
    const tab = await visitor.open()
    await tab.goto(`${world.app}/`)
    await until(async () => (await tab.run('document.title')) === 'controlled')
    return tab
  }

  async function startWithWorker(world: World, visitor: Visitor): Promise<void> {
    const tab = await controlledTab(world, visitor)
    await tab.click('a[href="/auth/social"]')
  }

  test('a login is refused, and the failure names the remedy', async () => {
    const world = withWorker(worker(ANSWERS, false))
    await startWithWorker(world, await suite.visitor())
    await world.visited(() => true)
    expect(verdictsOf(world)).toEqual(['start_forbidden'])
    expect(world.target.visits[0]?.headers['sec-fetch-dest']).toBe('empty')
    expect(JSON.stringify(Reflect.get(world.target.store, 'sessions'))).toContain('has a service worker')
  })

  test('a login succeeds if the worker leaves its URLs to the browser', async () => {
    const world = withWorker(worker(LEAVES_LOGIN, false))
    const visitor = await suite.visitor()
    await startWithWorker(world, visitor)
    await world.visited(isCallback)
    expect(verdictsOf(world)).toEqual(['started', 'accepted'])
    expect(await userIn(world, visitor)).toBe('social:1')
  })

  /** A worker that takes longer to start than the browser takes to preload, and leaves the login to the browser. */
  const preloading = worker(`const end = Date.now() + 1000; while (Date.now() < end); ${LEAVES_LOGIN}`, true)

  test('a login succeeds if that worker has the browser preload navigations', async () => {
    const world = withWorker(preloading)
    const visitor = await suite.visitor()
    await startWithWorker(world, visitor)
    await world.visited(({ verdict }) => verdict === 'accepted')
    expect(verdictsOf(world)).toEqual(['speculative_request', 'started', 'speculative_request', 'accepted'])
    expect(await userIn(world, visitor)).toBe('social:1')
  })

  // Firefox says `same-origin` of what it preloads, whoever caused the navigation.
  test.each([
    ['with a naive strategy', 'naive', 'social:2'],
    ['not with ours', 'session', null],
    ['not with SocialLogin', 'web', null],
  ] as const)(
    'a foreign page plants a start by such a worker and signs the person in, %s',
    async (_title, kind, user) => {
      const world = withWorker(preloading, kind)
      const victim = await suite.visitor()
      await controlledTab(world, victim)
      for (const url of [world.target.startURL(), world.forged()]) {
        const tab = await victim.open()
        const evilPage = world.evilPage(`<a id="go" href="${url}" rel="noreferrer">Look</a>`)
        await tab.goto(evilPage)
        await tab.click('#go')
        // Beside the preloaded request, the navigation itself has been answered.
        await until(async () => !['', evilPage].includes(await tab.url()))
      }
      const wasPreloaded = ({ headers }: Visit): boolean => headers['service-worker-navigation-preload'] !== undefined
      expect(world.target.visits.some(wasPreloaded)).toBe(true)
      expect(await userIn(world, victim)).toBe(user)
    },
  )
})
