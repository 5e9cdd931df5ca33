import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { port as portOf, stopServer } from '../listen'
import type { Key, LiveBrowser, Tab, Visitor } from './live-browser'
import { untilDefined } from './live-world'
import { property, WebDriver } from './webdriver'

const executablePath = process.env['WEBKIT_DRIVER_PATH'] ?? '/usr/bin/WebKitWebDriver'
const displayServer = process.env['XVFB_PATH'] ?? '/usr/bin/Xvfb'
const missing = [executablePath, displayServer].filter((path) => !existsSync(path))

if (missing.length > 0 && process.env['REQUIRE_WEBKIT'] !== '1') {
  console.log(
    `WebKit tests are skipped: there is no ${missing.join(' and no ')} (WEBKIT_DRIVER_PATH and XVFB_PATH name others).`,
  )
}

/** `describe` if WebKit is installed or required (REQUIRE_WEBKIT=1); else `describe.skip`. */
export const describeInWebKit: jest.Describe =
  missing.length === 0 || process.env['REQUIRE_WEBKIT'] === '1' ? describe : describe.skip

const KEYS: Readonly<Record<Key, string>> = { Tab: '\ue004', Enter: '\ue007' }

/** A session takes a second or two, on a busy machine some more. */
const SESSION_TIMEOUT_MS = 15_000

/** Starts WebKitGTK's driver, and for each visitor a MiniBrowser: one at a time, because the driver has one session. */
export async function startWebKit(): Promise<LiveBrowser> {
  const proxy = await startProxy()
  const startDriver = () => WebDriver.start(executablePath, displayServer, `http://127.0.0.1:${portOf(proxy)}`)
  let driver = await startDriver()
  const newSession = async (attempts = 3): Promise<Session> => {
    try {
      return await startSession(driver)
    } catch (error) {
      // MiniBrowser sometimes ends immediately, and its driver keeps waiting for it. Only a new driver helps.
      // `instanceof Error` will not do: the DOMException is of Node's own realm, and Jest's tests have another Error.
      if (attempts === 1 || property(error, 'name') !== 'TimeoutError') throw error
      await driver.close()
      driver = await startDriver()
      return newSession(attempts - 1)
    }
  }
  return {
    name: 'webkit',
    visitor: async () => visitorOf(await newSession()),
    close: async () => {
      await driver.close()
      await stopServer(proxy)
    },
  }
}

/** Takes the browser to 127.0.0.1, for any host that it looks up: it has no option to resolve names. */
async function startProxy(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = new Set<Socket>()
  server.on('connect', (req, client: Socket) => {
    const upstream = connect(Number(new URL(`http://${req.url}`).port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      client.pipe(upstream).pipe(client)
    })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  server.on('close', () => {
    for (const socket of sockets) socket.destroy()
  })
  return server
}

/** @throws `TimeoutError` of undici if the driver does not answer */
async function startSession(driver: WebDriver): Promise<Session> {
  const alwaysMatch = { acceptInsecureCerts: true, proxy: { proxyType: 'system' } }
  const signal = AbortSignal.timeout(SESSION_TIMEOUT_MS)
  const id = property(await driver.send('POST', '/session', { capabilities: { alwaysMatch } }, signal), 'sessionId')
  const session = new Session(driver, `/session/${id}`)
  await session.send('POST', '/timeouts', { pageLoad: 8000, script: 2000, implicit: 0 })
  return session
}

async function visitorOf(session: Session): Promise<Visitor> {
  const tabs = new Set<unknown>()
  const [first] = await session.windows()
  const add = (handle: unknown): Tab => {
    tabs.add(handle)
    return webkitTab(session, handle)
  }
  return {
    open: async () => {
      // The browser has come with its first window.
      if (tabs.size === 0) return add(first)
      // Not a tab: MiniBrowser shows one at a time, and a hidden page may not open windows.
      return add(property(await session.send('POST', '/window/new', { type: 'window' }), 'handle'))
    },
    opened: async () => add(await untilDefined(async () => (await session.windows()).find((one) => !tabs.has(one)))),
    close: () => session.end(),
  }
}

/** Commands of one browser. Those for a window are sent together, because the driver has a current window. */
class Session {
  readonly #driver: WebDriver
  readonly #path: string
  #last: Promise<unknown> = Promise.resolve()

  constructor(driver: WebDriver, path: string) {
    this.#driver = driver
    this.#path = path
  }

  send(method: 'GET' | 'POST' | 'DELETE', path: string, parameters?: object): Promise<unknown> {
    return this.#next(() => this.#driver.send(method, this.#path + path, parameters))
  }

  sendTo(handle: unknown, method: 'GET' | 'POST' | 'DELETE', path: string, parameters?: object): Promise<unknown> {
    return this.#next(async () => {
      await this.#driver.send('POST', `${this.#path}/window`, { handle })
      return this.#driver.send(method, this.#path + path, parameters)
    })
  }

  /** Waits for no command. */
  async end(): Promise<void> {
    await this.#driver.send('DELETE', this.#path)
  }

  async windows(): Promise<readonly unknown[]> {
    const handles = await this.send('GET', '/window/handles')
    return Array.isArray(handles) ? handles : []
  }

  #next(work: () => Promise<unknown>): Promise<unknown> {
    const result = this.#last.then(work, work)
    this.#last = result.catch(ignore)
    return result
  }
}

function webkitTab(session: Session, handle: unknown): Tab {
  const send = (method: 'GET' | 'POST', path: string, parameters?: object): Promise<unknown> =>
    session.sendTo(handle, method, path, parameters)
  const run = async (expression: string): Promise<unknown> => {
    const script = `Promise.resolve().then(() => (${expression})).then((value) => arguments[0]({ value }), (error) => arguments[0]({ error: String(error) }))`
    const result = await send('POST', '/execute/async', { script, args: [] })
    const error = property(result, 'error')
    if (error !== undefined) throw new Error(`in the page: ${error}`)
    return property(result, 'value')
  }
  const isThere = (selector: string, more = 'true'): Promise<unknown> =>
    run(
      `document.readyState === 'complete' && document.querySelector(${JSON.stringify(selector)}) !== null && ${more}`,
    ).catch(() => false)
  const visible = (selector: string): string =>
    `document.querySelector(${JSON.stringify(selector)}).checkVisibility({ visibilityProperty: true })`
  const point = async (selector: string, presses: number): Promise<void> => {
    await untilDefined(async () => ((await isThere(selector)) === true ? true : undefined), selector)
    const { x, y } = await middleOf(selector)
    const press = [
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ]
    const move = { type: 'pointerMove', x, y, duration: 0 }
    const actions = [move, ...Array.from({ length: presses }, () => press).flat()]
    const mouse = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }
    await send('POST', '/actions', { actions: [mouse] })
  }
  /** Of the element, or of the window where the element has no box. */
  const middleOf = async (selector: string): Promise<{ x: number; y: number }> => {
    const script = `(({ width, height, x, y }) => width > 0 ? [x + width / 2, y + height / 2] : [innerWidth / 2, innerHeight / 2])(
      (document.querySelector(${JSON.stringify(selector)}).scrollIntoView({ block: 'nearest' }), document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect()))`
    const at = await run(script)
    const [x, y] = Array.isArray(at) ? at.map(Math.floor) : []
    return { x: x ?? 0, y: y ?? 0 }
  }
  const click = async (selector: string, times: number): Promise<void> => {
    await untilDefined(async () => ((await isThere(selector, visible(selector))) === true ? true : undefined), selector)
    await point(selector, times)
  }
  return {
    goto: (url) => send('POST', '/url', { url }).then(ignore, ignore),
    click: (selector) => click(selector, 1),
    hover: (selector) => point(selector, 0),
    press: (selector) => point(selector, 1),
    doubleClick: (selector) => click(selector, 2),
    type: async (...keys) => {
      const actions = keys.flatMap((key) => ['keyDown', 'keyUp'].map((type) => ({ type, value: KEYS[key] })))
      await send('POST', '/actions', { actions: [{ type: 'key', id: 'keys', actions }] })
    },
    toFront: async () => {
      // There is no window manager, and so no window that has the focus.
      await run("dispatchEvent(new Event('focus'))")
    },
    reload: () => send('POST', '/refresh').then(ignore, ignore),
    back: () => send('POST', '/back').then(ignore, ignore),
    run,
    url: () => send('GET', '/url').then(String, () => ''),
    complaints: () => [],
    text: async () => {
      const parsed = `new Promise((done) => document.readyState === 'loading' ? addEventListener('DOMContentLoaded', done) : done())`
      return String(await run(`${parsed}.then(() => document.body.innerText)`))
    },
  }
}

/** A navigation that a script interrupts is an error in WebDriver, but not here. */
const ignore = (): void => {}
