import { existsSync } from 'node:fs'
import { BiDi } from './bidi'
import type { LiveBrowser, Tab } from './live-browser'
import { untilDefined } from './live-world'

const candidates = [process.env['FIREFOX_PATH'] ?? '/usr/bin/firefox-esr', '/usr/bin/firefox']
const executablePath = candidates.find((path) => existsSync(path))

if (executablePath === undefined && process.env['REQUIRE_FIREFOX'] !== '1') {
  console.log(`Firefox tests are skipped: there is none at ${candidates.join(' or ')} (FIREFOX_PATH names another).`)
}

/** `describe` where Firefox is, or must be (REQUIRE_FIREFOX=1); else `describe.skip`. */
export const describeInFirefox: jest.Describe =
  executablePath !== undefined || process.env['REQUIRE_FIREFOX'] === '1' ? describe : describe.skip

/** Starts Firefox so that it finds the sites and takes their certificate. */
export async function startFirefox(): Promise<LiveBrowser> {
  const bidi = await BiDi.start(executablePath ?? 'firefox')
  return {
    name: 'firefox',
    visitor: async () => {
      const { userContext } = await bidi.send('browser.createUserContext', { acceptInsecureCerts: true })
      return {
        open: async () => {
          const { context } = await bidi.send('browsingContext.create', { type: 'tab', userContext })
          return firefoxTab(bidi, context)
        },
        opened: () => Promise.reject(new Error('no test in Firefox needs this yet')),
        close: async () => void (await bidi.send('browser.removeUserContext', { userContext })),
      }
    },
    close: () => bidi.close(),
  }
}

function firefoxTab(bidi: BiDi, context: unknown): Tab {
  const run = async (expression: string): Promise<unknown> => {
    const target = { context }
    const answer = await bidi.send('script.evaluate', { expression, target, awaitPromise: true, userActivation: true })
    const { result } = answer
    return typeof result === 'object' && result !== null ? Reflect.get(result, 'value') : undefined
  }
  // A click that comes before the first frame is painted hits nothing.
  const painted = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))'
  const locate = async (selector: string): Promise<unknown> => {
    const script = `document.readyState === 'complete' && document.querySelector(${JSON.stringify(selector)}) ? ${painted} : false`
    if ((await run(script).catch(() => false)) !== true) return undefined
    const locator = { type: 'css', value: selector }
    const { nodes } = await bidi.send('browsingContext.locateNodes', { context, locator, maxNodeCount: 1 })
    const node: unknown = Array.isArray(nodes) ? nodes[0] : undefined
    return typeof node === 'object' && node !== null ? Reflect.get(node, 'sharedId') : undefined
  }
  const press = async (selector: string, times: number): Promise<void> => {
    await bidi.send('browsingContext.activate', { context })
    const sharedId = await untilDefined(() => locate(selector))
    const origin = { type: 'element', element: { sharedId } }
    const once = [
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ]
    const actions = [{ type: 'pointerMove', x: 0, y: 0, origin }, ...Array.from({ length: times }, () => once).flat()]
    await bidi.send('input.performActions', { context, actions: [{ type: 'pointer', id: 'mouse', actions }] })
  }
  return {
    goto: (url) => bidi.send('browsingContext.navigate', { context, url, wait: 'complete' }).then(ignore, ignore),
    click: (selector) => press(selector, 1),
    doubleClick: (selector) => press(selector, 2),
    reload: () => bidi.send('browsingContext.reload', { context, wait: 'complete' }).then(ignore, ignore),
    back: () => bidi.send('browsingContext.traverseHistory', { context, delta: -1 }).then(ignore, ignore),
    run,
    url: async () => String(await run('location.href')),
    complaints: () => [],
    text: async () => String(await run('document.body.innerText')),
  }
}

/** A navigation that a script overtakes is an error to WebDriver, and none to us. */
const ignore = (): void => {}
