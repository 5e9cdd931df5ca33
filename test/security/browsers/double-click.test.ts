import { ours, SOCIAL } from '../../support/attacks/target-app'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import type { Tab } from '../../support/browsers/live-browser'
import { liveScenes, verdictsOf } from '../../support/browsers/live-suite'
import { until, type World } from '../../support/browsers/live-world'

const START = `/auth/${SOCIAL}`
const AS_ATTACKER = 'social:2'
const CONTINUE = 'main a'

/** The confirm page as people write it. */
const NAIVE_PAGE = `<main><h1>Sign in?</h1><a href="${START}">Continue</a></main>`

/** One whose link fills the window, and is not hidden by what hides the elements around it. */
const VISIBLE_PAGE = `${NAIVE_PAGE}<style>main a { position: fixed; inset: 0; visibility: visible !important; display: block !important }</style>`

/**
 * A hostile page opens the page with the button under the pointer while the person double-clicks: the second click is the
 * person's consent. Then it leads the window that it opened to a callback of its own.
 */
describeInEachBrowser('a double click', (start) => {
  const scenes = liveScenes(start)

  async function opensUnderThePointer(
    world: World,
    url: string,
  ): Promise<{ opener: Tab; popup: Tab; lead(): Promise<unknown> }> {
    const victim = await scenes.visitor()
    const opener = await victim.open()
    const script = `window.popup = window.open('${url}', 'popup', 'popup,width=600,height=500')`
    await opener.goto(
      world.evilPage(`<meta name="referrer" content="no-referrer"><button id="go" onclick="${script}">Win</button>`),
    )
    const opened = victim.opened()
    await opener.click('#go')
    const popup = await opened
    await until(async () => (await popup.run(`document.querySelector('${CONTINUE}') !== null`)) === true)
    const lead = (): Promise<unknown> =>
      opener.run(`window.popup.location = '${world.forged()}'`).catch(() => undefined)
    return { opener, popup, lead }
  }

  /** Restarts the guard's 0.8 seconds again and again: a busy machine may take longer to deliver a press. */
  const keepGuarded = (popup: Tab): Promise<unknown> =>
    popup.run("setInterval(() => dispatchEvent(new Event('focus')), 50); dispatchEvent(new Event('focus'))")

  const naiveWorld = (): World =>
    scenes.world({
      kind: 'session',
      way: 'form',
      before: (app) => app.get('/confirm', (_req, res) => res.send(NAIVE_PAGE)),
    })

  test('the second click of a double click, and a callback of the attacker behind it, sign in over a naive page', async () => {
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
    const world = scenes.world({ kind, way: 'form' })
    const { popup } = await opensUnderThePointer(world, world.target.startURL())
    for (const pause of [0, 150, 150]) {
      await new Promise((resolve) => setTimeout(resolve, pause))
      // A click that a busy machine delivers later is not the second one of a double click.
      if (Number(await popup.run('performance.now()')) < 600) await popup.press(CONTINUE)
    }
    expect(verdictsOf(world)).toEqual(['confirm page'])
  })

  test('nor by one that closes the window above a page that has been there for long', async () => {
    const world = scenes.world({ kind: 'session', way: 'form' })
    const { opener, popup } = await opensUnderThePointer(world, world.target.startURL())
    await opener.toFront()
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await popup.toFront()
    await popup.press(CONTINUE)
    expect(verdictsOf(world)).toEqual(['confirm page'])
    await popup.click(CONTINUE)
    await world.visited(({ verdict }) => verdict === 'started')
  })

  test('the page that opened ours has lost its window, and leads it nowhere', async () => {
    const world = scenes.world({ kind: 'session', way: 'form' })
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
  ])('a page of the application’s own %s is guarded from clicks and keys in the same way', async (_how, html) => {
    const confirmPage = (): string => html
    const world = scenes.world({ kind: 'session', way: 'form', strategy: { confirmPage } })
    const { popup } = await opensUnderThePointer(world, world.target.startURL())
    await keepGuarded(popup)
    await popup.press(CONTINUE)
    await popup.type('Tab', 'Enter')
    expect(verdictsOf(world)).toEqual(['confirm page'])
    // The keys may have led the focus out of the page; a click that brings it back is the first of a guarded 0.8 s.
    await popup.reload()
    await popup.click(CONTINUE)
    await world.visited(({ verdict }) => verdict === 'started')
  })

  test('the keys of a game do not press it', async () => {
    const world = scenes.world({ kind: 'session', way: 'form' })
    const { popup } = await opensUnderThePointer(world, world.target.startURL())
    await keepGuarded(popup)
    for (let round = 0; round < 3; round += 1) await popup.type('Tab', 'Enter')
    expect(verdictsOf(world)).toEqual(['confirm page'])
  })

  test('clicks that go on keep it from being pressed until they pause', async () => {
    const world = scenes.world({ kind: 'session', way: 'form' })
    const { popup } = await opensUnderThePointer(world, world.target.startURL())
    const isVisible = `getComputedStyle(document.querySelector('${CONTINUE}')).visibility === 'visible'`
    // By a timer of the page: a busy machine would deliver clicks of ours with pauses.
    await popup.run("clicking = setInterval(() => dispatchEvent(new Event('pointerdown')), 50)")
    await until(async () => Number(await popup.run('performance.now()')) > 2000)
    expect(await popup.run(isVisible)).toBe(false)
    await popup.run('clearInterval(clicking)')
    await until(async () => (await popup.run(isVisible)) === true)
  })

  test('those of a person do, who needs no pointer', async () => {
    const world = scenes.world({ kind: 'session', way: 'form' })
    const { popup } = await opensUnderThePointer(world, world.target.startURL())
    const visibility = `getComputedStyle(document.querySelector('${CONTINUE}')).visibility`
    await until(async () => (await popup.run(visibility)) === 'visible')
    await popup.type('Tab', 'Enter')
    await world.visited(({ verdict }) => verdict === 'started')
  })
})
