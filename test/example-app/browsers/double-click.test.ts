import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type Application, FakeProvider } from '../../../lib/testing'
import { port, stopServer } from '../../support/app'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import type { LiveBrowser, Tab, Visitor } from '../../support/browsers/live-browser'
import { until } from '../../support/browsers/live-world'
import { type RunningExample, startExample, temporaryFolder } from '../../support/example/example-app'
import { providerEnvironment, registerExample } from '../../support/example/visitor'
import { freePort } from '../../support/free-port'

const CONTINUE = 'form[action="/login/confirm"] .primary'

/** "Is this you?" and "Add this login?" of the example, under the second click of a double click on a hostile page. */
describeInEachBrowser('a double click over the example', (start) => {
  jest.setTimeout(30_000)
  const folder = temporaryFolder()
  let servers: Server[]
  let provider: FakeProvider
  let application: Application
  let example: RunningExample
  let browser: LiveBrowser
  let victim: Visitor
  let person = '1'

  const serve = async (listener: RequestListener): Promise<Server> => {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server
  }

  // A provider that approves at once, and a site of the attacker's.
  const listener: RequestListener = (req, res) => {
    if (!req.url?.startsWith('/api/oauth')) return provider.requestListener(req, res)
    const key = provider.issueAuthKey({ appID: application.appID, userID: person })
    return res.writeHead(302, { location: `${application.redirectURL}?auth_key=${key}` }).end()
  }
  const evil: RequestListener = (_req, res) => {
    const script = `window.open('${example.appURL}/login/confirm', 'popup', 'popup,width=600,height=500')`
    res.writeHead(200, { 'content-type': 'text/html' }).end(`<button id="go" onclick="${script}">Win</button>`)
  }

  // Cookies know no ports: to the browser this is the host of the example, as a sister subdomain is on https.
  const planting: RequestListener = (req, res) => {
    const paths = new URL(req.url ?? '/', 'http://localhost').searchParams.getAll('path')
    const cookies = paths.flatMap((path) => [1, 2, 3, 4, 5].map((n) => `planted${n}=${'x'.repeat(3900)}; Path=${path}`))
    res.writeHead(200, { 'content-type': 'text/html', 'set-cookie': cookies }).end('planted')
  }

  beforeAll(async () => {
    servers = [await serve(listener), await serve(evil), await serve(planting)]
    const [providerPort = 0] = servers.map(port)
    provider = new FakeProvider({ origin: `http://127.0.0.1:${providerPort}` })
    const appPort = await freePort()
    application = registerExample(provider, appPort)
    const environment = { DATA_DIR: folder.path, PORT: String(appPort), ...providerEnvironment(provider, application) }
    example = await startExample(environment)
    browser = await start()
  }, 30_000)

  beforeEach(async () => {
    victim = await browser.visitor()
  })

  afterEach(() => victim.close())

  afterAll(async () => {
    await browser.close()
    await example.stop('SIGKILL')
    for (const server of servers) await stopServer(server)
    folder.remove()
  })

  const isAt = (tab: Tab, path: string) => until(async () => (await tab.url()).startsWith(`${example.appURL}${path}`))

  /** A login that waits for its answer. @returns the tab of it */
  async function isAsked(): Promise<Tab> {
    const tab = await victim.open()
    await tab.goto(`${example.appURL}/login`)
    await tab.click('main .primary')
    await isAt(tab, '/login/confirm')
    await until(async () => (await tab.run(`document.querySelector('${CONTINUE}') !== null`)) === true)
    return tab
  }

  async function opensUnderThePointer(): Promise<Tab> {
    const [, site = 0] = servers.map(port)
    const opener = await victim.open()
    await opener.goto(`http://127.0.0.1:${site}/`)
    const opened = victim.opened()
    await opener.click('#go')
    const popup = await opened
    await until(async () => (await popup.run(`document.querySelector('${CONTINUE}') !== null`)) === true)
    return popup
  }

  /** The question, at an address whose fragment a hostile page has chosen. */
  async function isLedHere(fragment = '#main'): Promise<Tab> {
    const [, site = 0] = servers.map(port)
    const tab = await victim.open()
    await tab.goto(`http://127.0.0.1:${site}/`)
    const callback = `${example.appURL}/auth/social-login/callback?auth_key=x${fragment}`
    await tab.run(`void (location = '${callback}')`).catch(() => undefined)
    await isAt(tab, '/login/confirm')
    await until(async () => (await tab.run(`document.querySelector('${CONTINUE}') !== null`)) === true)
    return tab
  }

  /** Keys that were meant for the hostile page. @returns whether they pressed a button of the question */
  async function areKeysAnAnswer(tab: Tab): Promise<boolean> {
    const note = `event.preventDefault(); window.wasPressed ??= event.target.closest('.buttons') !== null`
    await tab.run(`window.note = (event) => { ${note} }; addEventListener('click', note, true)`)
    await tab.type('Tab', 'Enter')
    return (await tab.run(`removeEventListener('click', note, true); window.wasPressed === true`)) === true
  }

  test('without the guard, two keys on a page whose content has the focus say "Continue"', async () => {
    await isAsked()
    const tab = await isLedHere()
    await tab.run(`void (document.querySelector('.guarded').className = '')`)
    await tab.run(`const main = document.querySelector('main'); main.tabIndex = -1; main.focus()`)
    expect(await areKeysAnAnswer(tab)).toBe(true)
  })

  test('with it, they answer nothing, and no fragment brings them nearer', async () => {
    await isAsked()
    const tab = await isLedHere()
    expect(await areKeysAnAnswer(tab)).toBe(false)
    expect(await tab.run(`location.hash + document.querySelectorAll(':target').length`)).toBe('#main0')
    await isAt(tab, '/login/confirm')
    // Even a focus that is on the button is lost while the guard waits.
    const focus = `const button = document.querySelector('${CONTINUE}'); button.focus(); dispatchEvent(new Event('focus'))`
    expect(await tab.run(`{ ${focus}; button.focus(); getComputedStyle(button).visibility }`)).toBe('hidden')
    await tab.click(CONTINUE)
    await isAt(tab, '/profile')
  })

  const CAN_BE_PRESSED = `document.querySelector('${CONTINUE}').checkVisibility({ visibilityProperty: true })`

  test('nor does a fragment that quotes the question: slow keys answer nothing, either', async () => {
    await isAsked()
    const tab = await isLedHere('#:~:text=ID')
    await until(async () => (await tab.run(CAN_BE_PRESSED)) === true)
    expect(await areKeysAnAnswer(tab)).toBe(false)
    await isAt(tab, '/login/confirm')
  })

  test('nor does a fragment bring slow keys to the buttons of the account page', async () => {
    const tab = await isAsked()
    await tab.click(CONTINUE)
    await isAt(tab, '/profile')
    const focus = async (address: string): Promise<unknown> => {
      await tab.goto('about:blank')
      await tab.goto(`${example.appURL}${address}`)
      await until(async () => (await tab.run(`document.documentElement.className`)) === '')
      if (address === '/account?naive') await tab.run(`document.querySelector('main').focus()`)
      await tab.type('Tab')
      return tab.run('document.activeElement.textContent')
    }
    expect(await focus('/account?naive')).toMatch(/^Add another login/)
    expect(await focus('/account#main')).toBe('Skip to content')
  })

  /** Two clicks, unless a busy machine has let the first moments of the page pass. */
  async function pressEarly(popup: Tab): Promise<void> {
    for (const _click of [1, 2]) {
      if (Number(await popup.run('performance.now()')) < 600) await popup.press(CONTINUE)
    }
  }

  test('without the guard, the second click says "Continue"', async () => {
    await isAsked()
    const popup = await opensUnderThePointer()
    await popup.run(`document.querySelector('.guarded').className = ''`)
    await popup.press(CONTINUE)
    await isAt(popup, '/profile')
  })

  test('with it, neither "Continue" nor "Add this login" is pressed, until the person does', async () => {
    const first = await isAsked()
    const signIn = await opensUnderThePointer()
    await pressEarly(signIn)
    expect(await signIn.text()).toContain('Is this you?')
    await first.click(CONTINUE)
    await isAt(first, '/profile')

    person = '2'
    await first.goto(`${example.appURL}/account`)
    await first.click('form[action="/account/link"] button')
    await isAt(first, '/login/confirm')
    const link = await opensUnderThePointer()
    await pressEarly(link)
    expect(await link.text()).toContain('Add this login?')
    await link.click(CONTINUE)
    await isAt(link, '/account?notice=linked')
  })
  /** Keeps everything that the page loads from loading, by cookies too large for Node.js. */
  async function plantAgainstFiles(tab: Tab): Promise<void> {
    await until(async () => (await tab.run('document.readyState')) === 'complete')
    const files = `[...document.querySelectorAll('script[src], link[rel=stylesheet]')].map((file) => file.src || file.href)`
    const urls = String(await tab.run(`${files}.join(' ')`)).split(' ')
    const query = urls.map((url) => `path=${new URL(url).pathname}`).join('&')
    const [, , plantingPort = 0] = servers.map(port)
    const planter = await victim.open()
    await planter.goto(`http://localhost:${plantingPort}/?${query}`)
    expect(await planter.text()).toBe('planted')
  }

  const isStyled = (tab: Tab) => tab.run(`getComputedStyle(document.querySelector('main')).maxWidth !== 'none'`)

  test('a guard that does not arrive guards nothing', async () => {
    await plantAgainstFiles(await isAsked())
    const popup = await opensUnderThePointer()
    expect(await isStyled(popup)).toBe(false)
    await popup.run(`for (const part of document.querySelectorAll('style')) part.remove()`)
    await popup.press(CONTINUE)
    await isAt(popup, '/profile')
  })

  test('ours arrives where a sister subdomain lets no file of the page load', async () => {
    await plantAgainstFiles(await isAsked())
    const popup = await opensUnderThePointer()
    expect(await isStyled(popup)).toBe(false)
    await pressEarly(popup)
    expect(await popup.text()).toContain('Is this you?')
    await until(async () => (await popup.run(CAN_BE_PRESSED)) === true)
    expect(await popup.run(`dispatchEvent(new Event('focus')); ${CAN_BE_PRESSED}`)).toBe(false)
    await popup.click(CONTINUE)
    await isAt(popup, '/profile')
  })
})
