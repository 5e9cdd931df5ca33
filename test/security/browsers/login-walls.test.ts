import { join } from 'node:path'
import express, { type RequestHandler } from 'express'
import { describeInEachBrowser } from '../../support/browsers/each-browser'
import { isStart, until } from '../../support/browsers/live-world'
import { liveSuite } from './live-suite'

const PACKAGES = join(__dirname, '../../../../node_modules')

/** A page with a part for members only, which its router requests as soon as the page is there. */
const pages = [
  ['htmx', 'htmx.org/dist/htmx.min.js', '<div hx-get="/members" hx-trigger="load"></div>'],
  ['Turbo', '@hotwired/turbo/dist/turbo.es2017-umd.js', '<turbo-frame id="x" src="/members"></turbo-frame>'],
  ['Unpoly', 'unpoly/unpoly.min.js', '<div id="x" up-defer up-href="/members"></div>'],
] as const

// Nothing tells such a request from a click, and what the router does with the answer to it is a navigation of the
// application's own page. A redirect of that page itself, which a foreign page has caused, gets the confirm page.
describeInEachBrowser('a foreign page that opens a page with a part behind a login wall', (start) => {
  const suite = liveSuite(start)

  async function startsBy(script: string, body: string, wall: RequestHandler): Promise<string[]> {
    const isAsked = { members: false }
    const world = suite.world({
      kind: 'session',
      before: (app) => {
        app.use('/npm', express.static(PACKAGES))
        app.get('/members', (_req, _res, next) => {
          isAsked.members = true
          next()
        })
        app.get('/members', wall)
        app.get('/home', (_req, res) => {
          res
            .type('html')
            .send(`<!doctype html><head><script src="/npm/${script}"></script></head><body>${body}</body>`)
        })
      },
    })
    const tab = await (await suite.visitor()).open()
    await tab.goto(world.evilPage(`<script>location = '${world.app}/home'</script>`))
    await until(() => isAsked.members)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    return world.target.visits.filter(isStart).map(({ verdict }) => verdict)
  }

  test.each(pages)('begins a login if the wall redirects what %s requests', async (_router, script, body) => {
    expect(await startsBy(script, body, (_req, res) => res.redirect('/auth/social'))).toContain('started')
  })

  test.each(pages)('begins none if the wall answers %s with 401', async (_router, script, body) => {
    expect(await startsBy(script, body, (_req, res) => void res.status(401).end())).toStrictEqual([])
  })
})
