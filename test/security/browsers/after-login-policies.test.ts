import type { Express } from 'express'
import helmet from 'helmet'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import { until } from '../../support/browsers/live-world'
import { startLogin } from './live-rows'
import { liveSuite, verdictsOf } from './live-suite'

/**
 * As in after-login.test.ts, in applications whose pages hide or shorten the Referer, by which a start is recognised that follows the
 * form of a tab: helmet does so by default.
 */
describeInEachBrowser('a login whose destination leads to a start, under a referrer policy', (start) => {
  const suite = liveSuite(start)
  const redirects = (app: Express): void => void app.get('/me', (_req, res) => res.redirect('/auth/social'))

  test.each<[title: string, before: (app: Express) => void]>([
    [
      'of helmet',
      (app) => {
        app.use(helmet())
        redirects(app)
      },
    ],
    [
      'that tells the origin alone',
      (app) => {
        app.use('/me', (_req, res, next) => {
          res.set('Referrer-Policy', 'strict-origin')
          next()
        })
        redirects(app)
      },
    ],
  ])('%s, does not start a second one: the confirm page asks', async (_title, before) => {
    const world = suite.world({ kind: 'session', strategy: { tabBinding: true }, before })
    await startLogin(world, await suite.visitor())
    await until(() => verdictsOf(world).length >= 5)
    expect(verdictsOf(world).slice(0, 5)).toStrictEqual(['tab page', 'started', 'tab page', 'accepted', 'confirm page'])
  })
})
