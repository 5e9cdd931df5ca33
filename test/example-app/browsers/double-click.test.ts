import type { RequestListener } from 'node:http'
import { describeVisits } from '../../support/browsers/each-browser'
import type { Tab } from '../../support/browsers/live-browser'
import { until } from '../../support/browsers/live-world'
import type { RunningExample } from '../../support/example/example-app'
import { useExamples } from '../../support/example/use-examples'
import { type Listening, listen } from '../../support/listen'

const CONTINUE = 'form[action="/login/confirm"] .primary'

/** "Is this you?" and "Add this login?" of the example, under the second click of a double click on a hostile page. */
describeVisits('a double click over the example', (victim) => {
  const examples = useExamples('all tests')
  let example: RunningExample
  let evilSite: Listening

  // A site of the attacker's.
  const evil: RequestListener = (_req, res) => {
    const script = `window.open('${example.appURL}/login/confirm', 'popup', 'popup,width=600,height=500')`
    res.writeHead(200, { 'content-type': 'text/html' }).end(`<button id="go" onclick="${script}">Win</button>`)
  }

  beforeAll(async () => {
    evilSite = await listen(evil, '127.0.0.1')
    example = await examples.startForBrowsers()
  })

  afterAll(() => evilSite.stop())

  const isAt = (tab: Tab, path: string) => until(async () => (await tab.url()).startsWith(`${example.appURL}${path}`))

  async function approve(tab: Tab, userID: string): Promise<void> {
    await tab.click(`button[name="user_id"][value="${userID}"]`)
    await tab.click('button[value="approve"]')
    await isAt(tab, '/login/confirm')
  }

  /** A login that waits for its answer. @returns the tab of it */
  async function isAsked(): Promise<Tab> {
    const tab = await victim().open()
    await tab.goto(`${example.appURL}/login`)
    await tab.click('main .primary')
    await approve(tab, '1')
    await until(async () => (await tab.run(`document.querySelector('${CONTINUE}') !== null`)) === true)
    return tab
  }

  async function opensUnderThePointer(): Promise<Tab> {
    const opener = await victim().open()
    await opener.goto(`${evilSite.origin}/`)
    const opened = victim().opened()
    await opener.click('#go')
    const popup = await opened
    await until(async () => (await popup.run(`document.querySelector('${CONTINUE}') !== null`)) === true)
    return popup
  }

  /** The question, at an address whose fragment a hostile page has chosen. */
  async function isLedHere(fragment = '#main'): Promise<Tab> {
    const tab = await victim().open()
    await tab.goto(`${evilSite.origin}/`)
    const callback = `${example.appURL}/auth/social-login/callback?auth_key=x${fragment}`
    await tab.run(`void (location = '${callback}')`).catch(() => undefined)
    await isAt(tab, '/login/confirm')
    await until(async () => (await tab.run(`document.querySelector('${CONTINUE}') !== null`)) === true)
    return tab
  }

  /** Keys that were meant for the hostile page. @returns whether they pressed a button of the question */
  async function areKeysAnAnswer(tab: Tab): Promise<boolean> {
    const note = `event.preventDefault(); window.wasPressed ??= event.target.closest('.buttons') !== null`
    await tab.run(`void addEventListener('click', window.note = (event) => { ${note} }, true)`)
    await tab.type('Tab', 'Enter')
    return (await tab.run(`removeEventListener('click', note, true), window.wasPressed === true`)) === true
  }

  test('without the guard, two keys on a page whose content has the focus say "Continue"', async () => {
    await isAsked()
    const tab = await isLedHere()
    await tab.run(`void (document.querySelector('.guarded').className = '')`)
    await tab.run(`Object.assign(document.querySelector('main'), { tabIndex: -1 }).focus()`)
    expect(await areKeysAnAnswer(tab)).toBe(true)
  })

  test('with it, they answer nothing, and no fragment brings them nearer', async () => {
    await isAsked()
    const tab = await isLedHere()
    expect(await areKeysAnAnswer(tab)).toBe(false)
    expect(await tab.run(`location.hash + document.querySelectorAll(':target').length`)).toBe('#main0')
    await isAt(tab, '/login/confirm')
    // Even a focus that is on the button is lost while the guard waits.
    const focus = `button.focus(), dispatchEvent(new Event('focus')), button.focus()`
    const visibility = `((button) => (${focus}, [button.previousElementSibling, button].map((each) => getComputedStyle(each).visibility).join()))(document.querySelector('${CONTINUE}'))`
    // Its picture shows where it will be.
    expect(await tab.run(visibility)).toBe('visible,hidden')
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

  /** Two clicks, unless a busy machine has used up the first moments of the page. */
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

  test('with it, neither "Continue" nor "Add this login" is pressed until the user presses it', async () => {
    const first = await isAsked()
    const signIn = await opensUnderThePointer()
    await pressEarly(signIn)
    expect(await signIn.text()).toContain('Is this you?')
    await first.click(CONTINUE)
    await isAt(first, '/profile')

    await first.goto(`${example.appURL}/account`)
    await first.click('form[action="/account/link"] button')
    await first.click('form[action="/sign-out"] button')
    await approve(first, '2')
    const link = await opensUnderThePointer()
    await pressEarly(link)
    expect(await link.text()).toContain('Add this login?')
    await link.click(CONTINUE)
    await isAt(link, '/account?notice=linked')
  })
})
