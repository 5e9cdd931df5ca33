import { describeInEachBrowser } from '../../support/browsers/each-browser'
import { until } from '../../support/browsers/live-world'
import { startLogin } from './live-rows'
import { liveSuite, verdictsOf } from './live-suite'

/**
 * A foreign link chose the `returnTo` of a login: a route that starts another one, such as a link of accounts. With `tabBinding`
 * our own form sends the callback, so that browsers call its redirects same-origin, like a click on a page of the application.
 */
describeInEachBrowser('a login whose destination is a start', (start) => {
  const suite = liveSuite(start)

  test.each([
    ['at once', '/auth/social'],
    ['by way of another page', '/next'],
  ])('does not start a second one %s: the confirm page asks', async (_how, destination) => {
    const world = suite.world({
      kind: 'session',
      strategy: { tabBinding: true },
      before: (app) => {
        app.get('/me', (_req, res) => res.redirect(destination))
        app.get('/next', (_req, res) => res.redirect('/auth/social'))
      },
    })
    const tab = await startLogin(world, await suite.visitor())
    await until(() => verdictsOf(world).length >= 5)
    expect(verdictsOf(world)).toStrictEqual(['tab page', 'started', 'tab page', 'accepted', 'confirm page'])
    await until(async () => (await tab.text()).includes('Sign in with'))
    await tab.click('main a')
    await until(() => verdictsOf(world).length >= 7)
    expect(verdictsOf(world).slice(5, 7)).toStrictEqual(['tab page', 'started'])
  })
})
