import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { BiDi } from './bidi'
import type { Key, LiveBrowser, Tab } from './live-browser'
import { untilDefined } from './live-world'

const candidates = [process.env['FIREFOX_PATH'] ?? '/usr/bin/firefox-esr', '/usr/bin/firefox']
const executablePath = candidates.find((path) => existsSync(path))

if (executablePath === undefined && process.env['REQUIRE_FIREFOX'] !== '1') {
  console.log(`Firefox tests are skipped: there is none at ${candidates.join(' or ')} (FIREFOX_PATH names another).`)
}

/** `describe` if Firefox is installed or required (REQUIRE_FIREFOX=1); else `describe.skip`. */
export const describeInFirefox: jest.Describe =
  executablePath !== undefined || process.env['REQUIRE_FIREFOX'] === '1' ? describe : describe.skip

// As long as WebKit's driver waits.
const NAVIGATION_MS = 8000

const KEYS: Readonly<Record<Key, string>> = { Tab: '\ue004', Enter: '\ue007' }

/** Starts Firefox so that it resolves the sites and accepts their certificate. */
export async function startFirefox(): Promise<LiveBrowser> {
  const bidi = await BiDi.start(executablePath ?? 'firefox')
  return {
    name: 'firefox',
    visitor: async () => {
      const { userContext } = await bidi.send('browser.createUserContext', { acceptInsecureCerts: true })
      const tabs = new Set<unknown>()
      return {
        open: async () => {
          const { context } = await bidi.send('browsingContext.create', { type: 'tab', userContext })
          tabs.add(context)
          return firefoxTab(bidi, context)
        },
        opened: async () => {
          const context = await untilDefined(async () =>
            (await tabsOf(bidi, userContext)).find((tab) => !tabs.has(tab)),
          )
          tabs.add(context)
          return firefoxTab(bidi, context)
        },
        close: async () => void (await bidi.send('browser.removeUserContext', { userContext })),
      }
    },
    close: () => bidi.close(),
  }
}

async function tabsOf(bidi: BiDi, userContext: unknown): Promise<unknown[]> {
  const { contexts } = await bidi.send('browsingContext.getTree', { maxDepth: 0 })
  const all: unknown[] = Array.isArray(contexts) ? contexts : []
  return all.filter(isObject).flatMap((tab) => (tab['userContext'] === userContext ? [tab['context']] : []))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function firefoxTab(bidi: BiDi, context: unknown): Tab {
  const run = async (expression: string): Promise<unknown> => {
    const target = { context }
    const call = { expression, target, awaitPromise: true, userActivation: true }
    // Evaluation in a page that is being left may never return.
    const answer = await Promise.race([bidi.send('script.evaluate', call), gone()])
    const { result } = answer
    return typeof result === 'object' && result !== null ? Reflect.get(result, 'value') : undefined
  }
  const parsed = `new Promise((done) => document.readyState === 'loading' ? addEventListener('DOMContentLoaded', done) : done())`
  // A click before the first painted frame has no effect.
  const painted = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))'
  const locate = async (selector: string): Promise<unknown> => {
    const script = `document.readyState === 'complete' && document.querySelector(${JSON.stringify(selector)}) ? ${painted} : false`
    if ((await run(script).catch(() => false)) !== true) return undefined
    const locator = { type: 'css', value: selector }
    const { nodes } = await bidi.send('browsingContext.locateNodes', { context, locator, maxNodeCount: 1 })
    const node: unknown = Array.isArray(nodes) ? nodes[0] : undefined
    return typeof node === 'object' && node !== null ? Reflect.get(node, 'sharedId') : undefined
  }
  const visible = async (selector: string): Promise<boolean> => {
    const rendered = `document.querySelector(${JSON.stringify(selector)}).checkVisibility({ visibilityProperty: true })`
    return (await run(rendered)) === true
  }
  const point = async (selector: string, presses: number): Promise<void> => {
    const sharedId = await untilDefined(() => locate(selector))
    const rendered =
      (await run(`document.querySelector(${JSON.stringify(selector)}).getClientRects().length > 0`)) === true
    const at = rendered ? { x: 0, y: 0, origin: { type: 'element', element: { sharedId } } } : await middle()
    const press = [
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ]
    const actions = [{ type: 'pointerMove', ...at }, ...Array.from({ length: presses }, () => press).flat()]
    await bidi.send('input.performActions', { context, actions: [{ type: 'pointer', id: 'mouse', actions }] })
  }
  const middle = async (): Promise<{ x: number; y: number }> => ({
    x: Math.floor(Number(await run('innerWidth / 2'))),
    y: Math.floor(Number(await run('innerHeight / 2'))),
  })
  // Firefox forgets to answer where the address comes while another page is on its way: it is given once more then.
  const goto = async (url: string): Promise<void> => {
    const navigate = () =>
      bidi.send('browsingContext.navigate', { context, url, wait: 'complete' }).then(ignore, ignore)
    const first = await Promise.race([navigate().then(() => true), wait(NAVIGATION_MS, false, { ref: false })])
    if (!first) await navigate()
  }
  const click = async (selector: string, times: number): Promise<void> => {
    await bidi.send('browsingContext.activate', { context })
    await point(selector, 0)
    await untilDefined(async () => (await visible(selector)) || undefined)
    await point(selector, times)
  }
  return {
    goto,
    click: (selector) => click(selector, 1),
    hover: (selector) => point(selector, 0),
    press: (selector) => point(selector, 1),
    doubleClick: (selector) => click(selector, 2),
    type: async (...keys) => {
      await bidi.send('browsingContext.activate', { context })
      const actions = keys.flatMap((key) => ['keyDown', 'keyUp'].map((type) => ({ type, value: KEYS[key] })))
      await bidi.send('input.performActions', { context, actions: [{ type: 'key', id: 'keys', actions }] })
    },
    toFront: async () => void (await bidi.send('browsingContext.activate', { context })),
    reload: () => bidi.send('browsingContext.reload', { context, wait: 'complete' }).then(ignore, ignore),
    back: () => bidi.send('browsingContext.traverseHistory', { context, delta: -1 }).then(ignore, ignore),
    run,
    url: () => run('location.href').then(String, () => ''),
    complaints: () => [],
    text: async () => String(await run(`${parsed}.then(() => document.body.innerText)`)),
  }
}

const gone = (): Promise<never> =>
  new Promise((_resolve, reject) => setTimeout(() => reject(new Error('the page did not answer')), 2000).unref())

/** A navigation that a script interrupts is an error in WebDriver, but not here. */
const ignore = (): void => {}
