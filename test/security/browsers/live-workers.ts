import type { Tab, Visitor } from '../../support/browsers/live-browser'
import { until, type World, type WorldOptions } from '../../support/browsers/live-world'

export const ANSWERS = 'event.respondWith(fetch(event.request))'
export const LEAVES_LOGIN = `if (!event.request.url.includes('/auth/')) ${ANSWERS}`

/** The script of a service worker. */
export const worker = (onFetch: string, preload: boolean): string => `
addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(activate()))
addEventListener('fetch', (event) => { ${onFetch} })
async function activate() {
  if (${preload}) await registration.navigationPreload.enable()
  await clients.claim()
}
`

/** A worker that takes longer to start than the browser takes to preload, and leaves the login to the browser. */
export const preloadingWorker = worker(`const end = Date.now() + 1000; while (Date.now() < end); ${LEAVES_LOGIN}`, true)

const REGISTER = `<script>
navigator.serviceWorker.register('/worker.js')
navigator.serviceWorker.addEventListener('controllerchange', () => { document.title = 'controlled' })
</script>`

/** The home page registers the worker. */
export const workerWorld = (script: string): Pick<WorldOptions, 'extra' | 'before'> => ({
  extra: (path) => (path === '/' ? REGISTER : ''),
  before: (app) => app.get('/worker.js', (_req, res) => void res.type('js').send(script)),
})

/** A tab with a page of the application that the worker controls. */
export async function controlledTab(world: World, visitor: Visitor): Promise<Tab> {
  const tab = await visitor.open()
  await tab.goto(`${world.app}/`)
  await until(async () => (await tab.run('document.title')) === 'controlled')
  return tab
}
