import { describeInEachBrowser } from '../../support/browsers/each-browser'
import { liveSuite, verdictsOf } from '../../support/browsers/live-suite'
import { until, type World } from '../../support/browsers/live-world'

const WORKER = `
addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => event.respondWith(fetch(event.request)))
`
const REGISTER = `<script>
navigator.serviceWorker.register('/worker.js')
navigator.serviceWorker.addEventListener('controllerchange', () => { document.title = 'controlled' })
</script>`

/** An application whose service worker answers navigations, as in offline applications. */
describeInEachBrowser('a service worker that answers navigations', (start) => {
  const suite = liveSuite(start)

  const withWorker = (): World =>
    suite.world({
      kind: 'session',
      extra: (path) => (path === '/' ? REGISTER : ''),
      before: (app) => app.get('/worker.js', (_req, res) => void res.type('js').send(WORKER)),
    })

  test('a login is refused, and the failure names the remedy', async () => {
    const world = withWorker()
    const tab = await (await suite.visitor()).open()
    await tab.goto(`${world.app}/`)
    await until(async () => (await tab.run('document.title')) === 'controlled')
    await tab.click('a[href="/auth/social"]')
    await world.visited(() => true)
    expect(verdictsOf(world)).toEqual(['start_forbidden'])
    expect(world.target.visits[0]?.headers['sec-fetch-dest']).toBe('empty')
    expect(JSON.stringify(Reflect.get(world.target.store, 'sessions'))).toContain('has a service worker')
  })
})
