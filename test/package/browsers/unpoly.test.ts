import type { Express } from 'express'
import type { HTTPResponse } from '../../../lib/login/pages/page'
import { routerOf } from '../../../lib/login/request/routers'
import { liveSuite } from '../../security/browsers/live-suite'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import type { Tab } from '../../support/browsers/live-browser'
import { until } from '../../support/browsers/live-world'
import { describeRouter } from '../../support/browsers/routers'

const link = (attributes: string): string => `<a id="go" href="/auth/social" ${attributes}>Sign in</a>`

describeRouter({
  name: 'Unpoly',
  head: '<script src="/npm/unpoly/unpoly.min.js"></script><link rel="stylesheet" href="/npm/unpoly/unpoly.min.css">',
  isReady: `document.readyState === 'complete' && typeof up === 'object'`,
  links: [
    { link: 'up-follow', html: link('up-follow') },
    { link: 'up-preload', html: link('up-follow up-preload'), prefetches: true },
    { link: 'up-target', html: `<main>${link('up-target="main"')}</main>` },
    {
      link: 'up-submit',
      html: '<form up-submit method="post" action="/auth/social"><button id="go">Sign in</button></form>',
    },
  ],
})

// As of a proxy that adds the header to every request, or of a cache that stores what must not be stored.
describeInEachBrowser('the answer to Unpoly', (start) => {
  const suite = liveSuite(start)
  const unpoly = routerOf({ header: (name: string) => (name === 'x-up-version' ? '3' : undefined) })
  const answer = unpoly?.answer('/auth/social', 'GET')

  /** What a browser does with it as a page. @returns the paths that it visits */
  async function open({ status, headers, body }: HTTPResponse): Promise<{ visits: string[]; tab: Tab; app: string }> {
    const visits: string[] = []
    const before = (app: Express): void => {
      app.use((req, res, next) => {
        if (!['/auth/social', '/after'].includes(req.path)) return next()
        visits.push(req.path)
        if (req.path === '/after') res.send('after')
        else res.status(status).set(headers).send(body)
      })
    }
    const { app } = suite.world({ kind: 'session', before })
    const tab = await (await suite.visitor()).open()
    return { visits, tab, app }
  }

  test('as a page would lead to itself for ever', async () => {
    if (!answer) throw new Error('no answer')
    const { 'Content-Security-Policy': _, ...naive } = answer.headers
    const { visits, tab, app } = await open({ ...answer, headers: naive })
    const going = tab.goto(`${app}/auth/social`)
    await until(() => visits.length > 5)
    await tab.goto(`${app}/after`)
    await going
  })

  test('as a page is in a sandbox, and leads nowhere', async () => {
    if (!answer) throw new Error('no answer')
    const { visits, tab, app } = await open(answer)
    for (const path of ['/auth/social', '/after', '/after']) await tab.goto(app + path)
    expect(visits).toStrictEqual(['/auth/social', '/after', '/after'])
  })
})
