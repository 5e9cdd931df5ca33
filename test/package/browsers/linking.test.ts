import { join } from 'node:path'
import express from 'express'
import { MemoryStore } from 'express-session'
import helmet from 'helmet'
import passport from 'passport'
import { FakeProvider } from '../../../lib/testing'
import { keepSessions, newPassport } from '../../support/app'
import { page } from '../../support/attacks/pages'
import { describeVisits } from '../../support/browsers/each-browser'
import type { Tab } from '../../support/browsers/live-browser'
import { until } from '../../support/browsers/live-world'
import { Sites } from '../../support/browsers/sites'
import { linkRoutes } from '../docs/linking'

const PAGES = join(__dirname, '../../../../test/package/docs/pages')
const ADD = 'form button'

type Question = 'naive' | 'of the guide'

/**
 * docs/guides/linking.md. While a link waits for its callback, a hostile page in another tab navigates to the
 * callback at the first click of a double click, so that the second one falls on the page that asks.
 */
describeVisits('a double click on a hostile page while a link is pending', (visitor) => {
  let sites: Sites
  let links: unknown[]

  beforeAll(async () => {
    sites = await Sites.start()
  })
  beforeEach(() => {
    links = []
  })
  afterAll(() => sites.stop())

  /** The application of the guide, behind helmet's defaults, and a hostile page with a key of the attacker's. */
  function serve(question: Question, tabBinding = false): void {
    const provider = new FakeProvider({ origin: sites.origin('provider.test') })
    sites.serve('provider.test', provider.requestListener)
    const redirectURL = `${sites.origin('app.test')}/account/link/callback`
    const { appID, appSecret } = provider.registerApplication({ name: 'Mine', redirectURL })
    const settings = { baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret, callbackURL: redirectURL }
    newPassport([], passport)
    const contentSecurityPolicy = { directives: { formAction: ["'self'", provider.origin] } }
    const app = express().use(helmet({ contentSecurityPolicy }), keepSessions(new MemoryStore()), passport.session())
    app.get('/become-ada', (req, res, next) =>
      req.logIn({ id: 'ada' }, (error) => (error ? next(error) : res.redirect('/account'))),
    )
    app.get(
      '/account',
      (_req, res) =>
        void res.send(page('<form method="post" action="/account/link"><button id="link">Add</button></form>')),
    )
    app.get('/account/link/confirm', ({ session }, res, next) => {
      if (question !== 'naive') return next()
      const input = `<input type="hidden" name="id" value="${session.question?.id}">`
      res.send(page(`<form method="post">${input}<button>Add it</button></form>`))
    })
    const options = { ...settings, tabBinding, dispatcher: sites.dispatcher }
    app.use(
      express.static(PAGES),
      linkRoutes(
        passport,
        options,
        () => 'ada',
        async (_userID, { id }) => links.push(id) > 0,
      ),
    )
    sites.serve('app.test', app)
    const key = provider.issueAuthKey({ appID, userID: '2' })
    const forged = `location = '${redirectURL}?auth_key=${key}'`
    const hostile = `<meta name="referrer" content="no-referrer"><button id="go" onclick="${forged}">Play</button>`
    sites.serve('evil.test', (_req, res) => res.setHeader('Content-Type', 'text/html').end(page(hostile)))
  }

  /** @returns the tab, with the question of the attacker's account under the pointer */
  async function firstClick(): Promise<Tab> {
    const own = await visitor().open()
    await own.goto(`${sites.origin('app.test')}/become-ada`)
    await own.click('#link')
    await until(async () => (await own.url()).startsWith(sites.origin('provider.test')))
    const tab = await visitor().open()
    await tab.goto(`${sites.origin('evil.test')}/`)
    await tab.click('#go')
    await until(async () => (await tab.run(`document.querySelector('${ADD}') !== null`)) === true)
    return tab
  }

  async function isAdded(tab: Tab): Promise<void> {
    await until(async () => (await tab.url()) === `${sites.origin('app.test')}/account?notice=linked`)
    expect(links).toStrictEqual(['2'])
  }

  test('adds the attacker’s account by a page without protection', async () => {
    serve('naive')
    const tab = await firstClick()
    await tab.press(ADD)
    await isAdded(tab)
  })

  test('a link with tabBinding comes back to the question, too', async () => {
    serve('of the guide', true)
    const tab = await visitor().open()
    await tab.goto(`${sites.origin('app.test')}/become-ada`)
    await tab.click('#link')
    await until(async () => (await tab.url()).startsWith(sites.origin('provider.test')))
    await tab.click('button[name="user_id"][value="2"]')
    await tab.click('button[value="approve"]')
    await until(async () => (await tab.url()).endsWith('/account/link/confirm'))
    await until(async () => (await tab.run('document.forms[0].inert')) === false)
    await tab.click(ADD)
    await isAdded(tab)
  })

  test('adds nothing by the guide’s page, and the person can still answer', async () => {
    serve('of the guide')
    const tab = await firstClick()
    for (const _press of [1, 2, 3]) {
      // Begins the wait anew: a busy machine may deliver a press later than a double click would.
      await tab.run("dispatchEvent(new Event('focus'))")
      await tab.press(ADD)
    }
    expect(await tab.run('document.forms[0].inert && document.forms[0].style.opacity')).toBe('0.5')
    expect(links).toStrictEqual([])
    await until(async () => (await tab.run('document.forms[0].inert')) === false)
    expect(await tab.run('document.forms[0].style.opacity')).toBe('')
    await tab.click(ADD)
    await isAdded(tab)
  })
})
