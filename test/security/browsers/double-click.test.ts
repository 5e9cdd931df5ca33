import { ours, SOCIAL } from '../../support/attacks/target-app'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import type { Tab } from '../../support/browsers/live-browser'
import { until, type World } from '../../support/browsers/live-world'
import { liveSuite, verdictsOf } from './live-suite'

const START = `/auth/${SOCIAL}`
const AS_ATTACKER = 'social:2'
const CONTINUE = 'main a'

/** A typical custom confirm page. */
const NAIVE_PAGE = `<main><h1>Sign in?</h1><a href="${START}">Continue</a></main>`

/** A page whose link fills the window and is visible even if its ancestors are hidden. */
const VISIBLE_PAGE = `${NAIVE_PAGE}<style>main a { position: fixed; inset: 0; visibility: visible !important; display: block !important }</style>`

// A busy machine may deliver a click after the guard's 0.8 seconds. A guard that is missing fails each time.
jest.retryTimes(2, { logErrorsBeforeRetry: true })

/**
 * A hostile page opens the page with the button under the pointer during a double click, so that the second click gives
 * consent. Then it navigates the opened window to its own callback.
 */
describeInEachBrowser('a double click', (start) => {
  const suite = liveSuite(start)

  async function opensUnderThePointer(
    world: World,
    url: string,
    button = CONTINUE,
  ): Promise<{ opener: Tab; popup: Tab; lead(): Promise<unknown> }> {
    const victim = await suite.visitor()
    const opener = await victim.open()
    const script = `window.popup = window.open('${url}', 'popup', 'popup,width=600,height=500')`
    await opener.goto(
      world.evilPage(`<meta name="referrer" content="no-referrer"><button id="go" onclick="${script}">Win</button>`),
    )
    const opened = victim.opened()
    await opener.click('#go')
    const popup = await opened
    await until(async () => (await popup.run(`document.querySelector('${button}') !== null`)) === true)
    const lead = (): Promise<unknown> =>
      opener.run(`window.popup.location = '${world.forged()}'`).catch(() => undefined)
    return { opener, popup, lead }
  }

  /** Restarts the guard's 0.8 seconds again and again: a busy machine may take longer to deliver a press. */
  const keepGuarded = (popup: Tab): Promise<unknown> =>
    popup.run("setInterval(() => dispatchEvent(new Event('focus')), 50), dispatchEvent(new Event('focus'))")

  const naiveWorld = (): World =>
    suite.world({
      kind: 'session',
      way: 'form',
      before: (app) => app.get('/confirm', (_req, res) => res.send(NAIVE_PAGE)),
    })

  test('the second click of a double click, followed by the attacker’s callback, signs in on a naive page', async () => {
    const world = naiveWorld()
    const { popup, lead } = await opensUnderThePointer(world, `${world.app}/confirm`)
    await popup.press(CONTINUE)
    await world.visited(({ verdict }) => verdict === 'started')
    await until(async () => (await popup.url()).startsWith(world.providerOrigin))
    await lead()
    await world.visited(({ verdict }) => verdict === 'accepted')
    await until(async () => (await popup.url()) === `${world.app}/me`)
    expect(await popup.text()).toContain(AS_ATTACKER)
  })

  test.each(ours)('our page is not pressed by it, at once or 150 and 300 ms later (%s)', async (kind) => {
    const world = suite.world({ kind, way: 'form' })
    const { popup } = await opensUnderThePointer(world, world.target.startURL())
    for (const pause of [0, 150, 150]) {
      await new Promise((resolve) => setTimeout(resolve, pause))
      // A click that a busy machine delivers later is no longer part of a double click.
      if (Number(await popup.run('performance.now()')) < 600) await popup.press(CONTINUE)
    }
    expect(verdictsOf(world)).toStrictEqual(['confirm page'])
  })

  test.each(['GET', 'POST'] as const)(
    'nor at any time, where the application’s own policy blocks the guard (%s)',
    async (method) => {
      const world = suite.world({
        kind: 'web',
        way: 'form',
        before: (app) =>
          app.use(START, (req, res, next) => {
            req.method = method
            res.set('Content-Security-Policy', "script-src 'self'; style-src 'self'")
            next()
          }),
      })
      const button = 'main :is(a, button)'
      const { popup } = await opensUnderThePointer(world, world.target.startURL(), button)
      expect(await popup.run(`document.querySelector('${button}').checkVisibility()`)).toBe(false)
      await popup.press(button)
      await new Promise((resolve) => setTimeout(resolve, 1000))
      expect(await popup.run(`document.querySelector('${button}').checkVisibility()`)).toBe(false)
      expect(verdictsOf(world)).toStrictEqual(['confirm page'])
    },
  )

  test('nor at once, where that policy blocks the script of the guard and allows its style', async () => {
    const world = suite.world({
      kind: 'web',
      way: 'form',
      before: (app) =>
        app.use(START, (_req, res, next) => {
          res.set('Content-Security-Policy', "script-src 'self'; style-src 'self' 'unsafe-inline'")
          next()
        }),
    })
    const { popup } = await opensUnderThePointer(world, world.target.startURL())
    if (Number(await popup.run('performance.now()')) < 600) await popup.press(CONTINUE)
    expect(verdictsOf(world)).toStrictEqual(['confirm page'])
    await popup.click(CONTINUE)
    await world.visited(({ verdict }) => verdict === 'started')
  })

  test('nor by one that closes a window above a page opened long before', async () => {
    const world = suite.world({ kind: 'session', way: 'form' })
    const { opener, popup } = await opensUnderThePointer(world, world.target.startURL())
    await opener.toFront()
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await popup.toFront()
    await popup.press(CONTINUE)
    expect(verdictsOf(world)).toStrictEqual(['confirm page'])
    await popup.click(CONTINUE)
    await world.visited(({ verdict }) => verdict === 'started')
  })

  test('the page that opened ours has lost its window, and cannot navigate it', async () => {
    const world = suite.world({ kind: 'session', way: 'form' })
    const { opener, popup, lead } = await opensUnderThePointer(world, world.target.startURL())
    await until(async () => (await opener.run('window.popup.closed')) === true)
    await popup.click(CONTINUE)
    await world.visited(({ verdict }) => verdict === 'started')
    await lead()
    await popup.click('#go')
    await world.visited(({ verdict }) => verdict === 'accepted')
    await until(async () => (await popup.url()) === `${world.app}/me`)
    expect(await popup.text()).toContain('social:1')
  })

  test.each([
    ['as people write it', NAIVE_PAGE],
    ['that makes its link visible itself', VISIBLE_PAGE],
    ['whose body has no box', `<style>body { display: contents !important }</style>${VISIBLE_PAGE}`],
  ])('an application’s own page %s is guarded from clicks and keys in the same way', async (_how, html) => {
    const confirmPage = (): string => html
    const world = suite.world({ kind: 'session', way: 'form', strategy: { confirmPage } })
    const { popup } = await opensUnderThePointer(world, world.target.startURL())
    await keepGuarded(popup)
    await popup.press(CONTINUE)
    await popup.type('Tab', 'Enter')
    expect(verdictsOf(world)).toStrictEqual(['confirm page'])
    // The keys may have moved the focus out of the page; a click that returns it restarts the 0.8 s guard.
    await popup.reload()
    await popup.click(CONTINUE)
    await world.visited(({ verdict }) => verdict === 'started')
  })

  test('the keys of a game do not press it', async () => {
    const world = suite.world({ kind: 'session', way: 'form' })
    const { popup } = await opensUnderThePointer(world, world.target.startURL())
    await keepGuarded(popup)
    for (let round = 0; round < 3; round += 1) await popup.type('Tab', 'Enter')
    expect(verdictsOf(world)).toStrictEqual(['confirm page'])
  })

  test('continued clicks keep it guarded until they pause', async () => {
    const world = suite.world({ kind: 'session', way: 'form' })
    const { popup } = await opensUnderThePointer(world, world.target.startURL())
    const isVisible = `getComputedStyle(document.querySelector('${CONTINUE}')).visibility === 'visible'`
    // By a timer of the page: a busy machine would deliver real clicks with pauses.
    await popup.run("clicking = setInterval(() => dispatchEvent(new Event('pointerdown')), 50)")
    await until(async () => Number(await popup.run('performance.now()')) > 2000)
    expect(await popup.run(isVisible)).toBe(false)
    await popup.run('clearInterval(clicking)')
    await until(async () => (await popup.run(isVisible)) === true)
  })

  test('the keys of a person without a pointer do', async () => {
    const world = suite.world({ kind: 'session', way: 'form' })
    const { popup } = await opensUnderThePointer(world, world.target.startURL())
    const visibility = `getComputedStyle(document.querySelector('${CONTINUE}')).visibility`
    await until(async () => (await popup.run(visibility)) === 'visible')
    await popup.type('Tab', 'Enter')
    await world.visited(({ verdict }) => verdict === 'started')
  })
})
