import { page } from '../../support/attacks/pages'
import { SOCIAL } from '../../support/attacks/target-app'
import type { Tab, Visitor } from '../../support/browsers/live-browser'
import { isCallback, until, type World, type WorldOptions } from '../../support/browsers/live-world'
import { controlledTab, preloadingWorker, workerWorld } from './live-workers'

/** How to reproduce a row of browser-headers.json. */
export interface LiveRow {
  readonly world?: Omit<WorldOptions, 'kind'>
  readonly play: (world: World, visitor: Visitor) => Promise<unknown>
}

export const LOGIN_LINK = `a[href="/auth/${SOCIAL}"]`
const LOGIN_BUTTON = `form[action="/auth/${SOCIAL}"] button`

/** Opens the application and clicks the login link, or the button of the login form. */
export async function startLogin({ app }: World, visitor: Visitor, method: 'GET' | 'POST' = 'GET'): Promise<Tab> {
  const tab = await visitor.open()
  await tab.goto(`${app}/`)
  await tab.click(method === 'GET' ? LOGIN_LINK : LOGIN_BUTTON)
  return tab
}

/** A pending login at the provider's page, and another tab on the attacker's page. */
async function pendingBeside(world: World, visitor: Visitor, evilHTML: string): Promise<Tab> {
  await startLogin(world, visitor)
  await world.visited(({ verdict }) => verdict === 'started')
  return evilTab(world, visitor, evilHTML)
}

async function evilTab(world: World, visitor: Visitor, html: string): Promise<Tab> {
  const tab = await visitor.open()
  await tab.goto(world.evilPage(html))
  return tab
}

const link = (to: string, more = ''): string => `<a id="go" href="${to}" ${more}>Look</a>`
const post = (to: string): string => `<form method="post" action="${to}"><button id="go">Win</button></form>`
const script = (code: string): string => `<script>${code}</script>`
const quoted = (text: string): string => JSON.stringify(text)

/** A click on `#go` of the attacker's page while a login is pending. */
const clicked = (html: (world: World) => string): LiveRow => ({
  world: { way: 'form' },
  play: async (world, visitor) => (await pendingBeside(world, visitor, html(world))).click('#go'),
})

/** An attacker's page that needs no click, while a login is pending. */
const loaded = (html: (world: World) => string): LiveRow => ({
  world: { way: 'form' },
  play: async (world, visitor) => {
    await pendingBeside(world, visitor, html(world))
    await world.visited(isCallback)
  },
})

/** An attacker's page that triggers a start, and then sends the callback. */
const planted = (html: (world: World) => string, click: boolean): LiveRow => ({
  world: { way: 'form' },
  play: async (world, visitor) => {
    const tab = await evilTab(world, visitor, html(world))
    if (click) await tab.click('#go')
    await world.visited(() => true)
    const next = await evilTab(world, visitor, link(world.forged(), 'rel="noreferrer"'))
    await next.click('#go')
    // Waits also for a row about the start: its callback could otherwise reach the application of the next row.
    await world.visited(isCallback)
  },
})

const login = (method: 'GET' | 'POST', way: WorldOptions['way'], world: LiveRow['world'] = {}): LiveRow => ({
  world: { ...world, way: way ?? '302' },
  play: async (scenario, visitor) => {
    const tab = await startLogin(scenario, visitor, method)
    if (way === 'form' || way === 'link' || way === '307' || way === 'no-referrer link') await tab.click('#go')
    await scenario.visited(isCallback)
  },
})

const inApp = (extra: (app: string) => string, wait: boolean): LiveRow => ({
  world: { extra: (path) => (path === '/' ? extra(path) : '') },
  play: async (world, visitor) => {
    const tab = await visitor.open()
    await tab.goto(`${world.app}/`)
    if (wait) await world.visited(() => true)
  },
})

/** A genuine callback that an outage has answered, and that is requested again. */
const again = (
  way: 'link' | '302' | 'no-referrer link',
  request: (tab: Tab, world: World) => Promise<unknown>,
): LiveRow => ({
  world: {
    way,
    before: (app) => {
      let isOut = true
      app.use(`/auth/${SOCIAL}/callback`, (_req, res, next) => {
        if (isOut) res.status(503).set('Cache-Control', 'no-store').send(page('Try again'))
        else next()
        isOut = false
      })
    },
  },
  play: async (world, visitor) => {
    const tab = await startLogin(world, visitor)
    if (way !== '302') await tab.click('#go')
    await until(async () => (await tab.text()).includes('Try again'))
    await request(tab, world)
    await until(() => world.target.visits.filter(isCallback).length === 2)
  },
})

const forward = async (tab: Tab, { providerOrigin }: World): Promise<void> => {
  await tab.back()
  await until(async () => (await tab.url()).startsWith(providerOrigin))
  // Delayed, so that the script returns before its page is gone.
  await tab.run('void setTimeout(() => history.forward())')
}

/** A hostile callback without a Referer, from before the login that is pending now, and how it is requested again. */
const revived = (request: (tab: Tab, world: World) => Promise<unknown>): LiveRow => ({
  world: { way: 'form' },
  play: async (world, visitor) => {
    const tab = await evilTab(world, visitor, link(world.forged(), 'rel="noreferrer"'))
    await tab.click('#go')
    await world.visited(isCallback)
    await startLogin(world, visitor)
    await world.visited(({ verdict }) => verdict === 'started')
    await request(tab, world)
    await until(() => world.target.visits.filter(isCallback).length === 2)
  },
})

const hostileBack = async (tab: Tab, world: World): Promise<void> => {
  await tab.goto(world.evilPage('Look'))
  await tab.run('void setTimeout(() => history.back())')
}

const own = (html: string): LiveRow => ({
  world: { way: 'form', extra: (path) => (path === '/' ? html : '') },
  play: async (world, visitor) => {
    const tab = await visitor.open()
    await tab.goto(`${world.app}/`)
    await tab.click('#own')
  },
})

const START = `/auth/${SOCIAL}`

/** A link of the attacker in a browser in which a service worker of the application has navigations preloaded. */
const withWorker = (to: (world: World) => string, requests: number): LiveRow => ({
  world: { way: 'form', ...workerWorld(preloadingWorker) },
  play: async (world, visitor) => {
    await controlledTab(world, visitor)
    const tab = await evilTab(world, visitor, link(to(world), 'rel="noreferrer"'))
    await tab.click('#go')
    await until(() => world.target.visits.length === requests)
  },
})

const rules = (action: string): string =>
  `<script type="speculationrules">{"${action}":[{"urls":["${START}"],"eagerness":"immediate"}]}</script>`

/** By row id. */
export const liveRows: Readonly<Record<string, LiveRow>> = {
  G1: login('POST', 'form'),
  'G2 link': login('POST', 'link'),
  'G2 script': login('POST', 'script'),
  G3: login('POST', '302'),
  'G3 naive': login('POST', '302'),
  G4: login('GET', '302'),
  'G4 naive': login('GET', '302'),
  'G5 start': { play: async ({ target }, visitor) => (await visitor.open()).goto(target.startURL()) },
  G5: { play: async ({ target }, visitor) => (await visitor.open()).goto(target.startURL()) },
  'G5 confirmed start': { play: confirm },
  'G5 confirmed': { play: confirm },
  G6: login('POST', '307'),
  G7: login('POST', 'no-referrer link'),
  'G8 start': login('POST', '302', { referrerPolicy: 'no-referrer' }),
  G8: login('POST', '302', { referrerPolicy: 'no-referrer' }),
  'G8 link': login('GET', '302', { referrerPolicy: 'no-referrer' }),
  'G8 same-origin': login('POST', '302', { referrerPolicy: 'same-origin' }),
  A1: clicked((world) => link(world.forged())),
  A2: clicked((world) => link(world.forged(), 'rel="noreferrer"')),
  'A3 location': loaded((world) => script(`location = ${quoted(world.forged())}`)),
  'A3 window.open': clicked(
    (world) => `<button id="go" onclick='window.open(${quoted(world.forged())})'>Look</button>`,
  ),
  'A3 refresh': loaded(
    (world) => `<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; ${world.forged()}">`,
  ),
  A4: loaded((world) => `<iframe src="${world.forged()}"></iframe>`),
  'A4 object': loaded((world) => `<object data="${world.forged()}"></object>`),
  A5: loaded((world) => `<img src="${world.forged()}" alt="">`),
  A6: loaded((world) => script(`fetch(${quoted(world.forged())}, { mode: 'no-cors', credentials: 'include' })`)),
  'A6 prefetch': loaded((world) => `<link rel="prefetch" href="${world.forged()}">`),
  'A6 beacon': loaded((world) => script(`navigator.sendBeacon(${quoted(world.forged())})`)),
  'A7 start': planted(({ target }) => post(target.startURL()), true),
  A7: planted(({ target }) => post(target.startURL()), true),
  'A8 start': planted(({ target }) => link(target.startURL()), true),
  A8: planted(({ target }) => link(target.startURL()), true),
  A9: planted(({ target }) => `<img src="${target.startURL()}" alt="">`, false),
  A10: planted(({ target }) => `<iframe src="${target.startURL()}"></iframe>`, false),
  A11: {
    world: { way: 'form' },
    play: async (world, visitor) => {
      await startLogin(world, visitor)
      await world.visited(({ verdict }) => verdict === 'started')
      await (await visitor.open()).goto(world.forged())
    },
  },
  A12: {
    world: { way: 'form', before: (app) => app.get('/to', (req, res) => res.send(link(String(req.query['url'])))) },
    play: async (world, visitor) => {
      await startLogin(world, visitor)
      await world.visited(({ verdict }) => verdict === 'started')
      const tab = await visitor.open()
      await tab.goto(`${world.app}/to?url=${encodeURIComponent(world.forged())}`)
      await tab.click('#go')
    },
  },
  A13: clicked((world) => link(`${world.providerOrigin}/open-redirect?to=${encodeURIComponent(world.forged())}`)),
  A14: clicked((world) => post(world.forged())),
  'S1 callback': {
    world: { way: 'form' },
    play: async (world, visitor) => {
      await startLogin(world, visitor)
      await world.visited(({ verdict }) => verdict === 'started')
      const tab = await visitor.open()
      await tab.goto(world.subPage(link(world.forged(), 'rel="noreferrer"')))
      await tab.click('#go')
    },
  },
  'S1 start': {
    play: async (world, visitor) => {
      const tab = await visitor.open()
      await tab.goto(world.subPage(link(world.target.startURL())))
      await tab.click('#go')
    },
  },
  'R1 reload': again('link', (tab) => tab.reload()),
  'R1 reload, silent': again('302', (tab) => tab.reload()),
  'R1 reload, no-referrer': again('no-referrer link', (tab) => tab.reload()),
  'R2 back': again('link', async (tab, { app }) => {
    await tab.goto(`${app}/`)
    await tab.back()
  }),
  'R3 forward': again('link', forward),
  'A15 reload': revived((tab) => tab.reload()),
  'A15 history.back()': revived(hostileBack),
  'A16 noreferrer window': clicked(
    (world) => `<button id="go" onclick='window.open(${quoted(world.forged())}, "_blank", "noreferrer")'>Look</button>`,
  ),
  'T1 new tab': own(`<a id="own" target="_blank" href="${START}">Sign in</a>`),
  'T1 new tab, opener': own(`<a id="own" target="_blank" rel="opener" href="${START}">Sign in</a>`),
  'T1 window.open': own(`<button id="own" onclick="window.open('${START}')">Sign in</button>`),
  'T1 window.open, noopener': own(
    `<button id="own" onclick="window.open('${START}', '_blank', 'noopener')">Sign in</button>`,
  ),
  'T1 form in a new tab': own(
    `<form method="post" target="_blank" action="${START}"><button id="own">Sign in</button></form>`,
  ),
  'T2 download': own(`<a id="own" download href="${START}">Sign in</a>`),
  'W1 start, preload': withWorker(({ target }) => target.startURL(), 2),
  'W1 callback, preload': withWorker((world) => world.forged(), 2),
  'W2 start, copy': withWorker(({ target }) => target.startURL(), 3),
  'W2 callback, copy': withWorker((world) => world.forged(), 3),
  'P-1 prefetch': inApp(() => rules('prefetch'), true),
  'P-1 prerender': inApp(() => rules('prerender'), true),
  'P-1 link': inApp(() => `<link rel="prefetch" href="${START}">`, true),
}

async function confirm(world: World, visitor: Visitor): Promise<void> {
  const tab = await visitor.open()
  await tab.goto(world.target.startURL())
  await tab.click('main a')
  await world.visited(isCallback)
}
