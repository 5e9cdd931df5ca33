import { join } from 'node:path'
import express, { type Express } from 'express'
import { MemoryStore } from 'express-session'
import helmet from 'helmet'
import passport from 'passport'
import { OUTCOMES, Strategy, type StrategyOptions } from '../../../lib'
import { FakeProvider } from '../../../lib/testing'
import { keepSessions, newPassport } from '../../support/app'
import { page } from '../../support/attacks/pages'
import { describeVisits } from '../../support/browsers/each-browser'
import type { Tab } from '../../support/browsers/live-browser'
import { until } from '../../support/browsers/live-world'
import { Sites } from '../../support/browsers/sites'
import { returnTo, singlePage } from '../docs/guides'

const PAGES = join(__dirname, '../../../../test/package/docs/pages')
const [ADA, ALAN] = ['1', '2'] as const

/** The guide "Single-page applications and popups", and "Another account at the provider". */
describeVisits('a single-page application', (visitor) => {
  let sites: Sites
  let app: string
  let provider: FakeProvider

  beforeAll(async () => {
    sites = await Sites.start()
  })
  afterAll(() => sites.stop())

  interface Guide {
    /** The script of the button: navigates, or opens a popup. */
    readonly signIn?: 'sign-in.mjs' | 'popup.mjs'
    readonly strategy?: Partial<StrategyOptions<false>>
    readonly mode?: 'specification' | 'as-deployed'
    readonly before?: (server: Express) => void
    readonly withHelmet?: boolean
  }

  /** The application of the guides, by default behind helmet's defaults, as a reader builds it. */
  function serve(guide: Guide = {}): void {
    const { signIn = 'sign-in.mjs', strategy, mode = 'specification', before, withHelmet = true } = guide
    app = sites.origin('app.test')
    provider = new FakeProvider({ origin: sites.origin('provider.test'), mode })
    sites.serve('provider.test', provider.requestListener)
    const callbackURL = `${app}/auth/social-login/callback`
    const application = provider.registerApplication({ name: 'Mine', redirectURL: callbackURL })
    const { appID: clientID, appSecret: clientSecret } = application
    const { baseURL } = provider
    const settings = { baseURL, clientID, clientSecret, callbackURL, dispatcher: sites.dispatcher, ...strategy }
    newPassport([new Strategy(settings, (_access, _refresh, { id, displayName: name }) => ({ id, name }))], passport)
    const server = express()
    if (withHelmet) server.use(helmet())
    server.use(keepSessions(new MemoryStore(), { cookie: { sameSite: 'lax' } }), passport.session())
    before?.(server)
    singlePage(server)
    returnTo(server)
    server.use(express.static(PAGES))
    server.get('/{*route}', (_req, res) => {
      const buttons = '<button id="sign-in" hidden>Sign in</button><button id="sign-out" hidden>Sign out</button>'
      res.send(page(`<p id="who"></p>${buttons}<script type="module" src="/${signIn}"></script>`))
    })
    sites.serve('app.test', server)
  }

  async function approve(tab: Tab, userID: string): Promise<void> {
    await tab.click(`button[name="user_id"][value="${userID}"]`)
    await tab.click('button[value="approve"]')
  }
  const shows = (tab: Tab, text: string): Promise<void> => until(async () => (await tab.text()).includes(text))

  async function openAt(route: string): Promise<Tab> {
    const tab = await visitor().open()
    await tab.goto(`${app}${route}`)
    await shows(tab, 'Not signed in')
    return tab
  }
  async function openPopup(tab: Tab): Promise<Tab> {
    await tab.run("new BroadcastChannel('login').onmessage = () => { document.title = 'told' }, 0")
    const opened = visitor().opened()
    await tab.click('#sign-in')
    return opened
  }

  /** After its last page has loaded: a page that is being left does not answer either. */
  const closed = (popup: Tab): Promise<void> =>
    until(() =>
      popup.run('1').then(
        () => false,
        () => true,
      ),
    )

  test('navigates to the start, comes back to its route, and shows the user until the session ends', async () => {
    serve()
    const tab = await openAt('/notes?page=2#third')
    await tab.click('#sign-in')
    await approve(tab, ADA)
    await shows(tab, 'Signed in as Ada Lovelace')
    expect(await tab.url()).toBe(`${app}/notes?page=2#third`)
    await tab.click('#sign-out')
    await shows(tab, 'Not signed in')
    expect(await tab.run("fetch('/api/me').then(({ status }) => status)")).toBe(401)
  })

  test('a login that fails ends at a page that leads back', async () => {
    serve()
    const tab = await openAt('/notes')
    provider.failNext('authorize', { status: 400, body: '{"error":"expired"}' })
    await tab.click('#sign-in')
    await approve(tab, ADA)
    await shows(tab, 'The login is over')
    await tab.click('a[href="/"]')
    await shows(tab, 'Not signed in')
  })

  test('shows a login of another tab when the person returns', async () => {
    serve()
    const tab = await openAt('/notes')
    const other = await openAt('/')
    await other.click('#sign-in')
    await approve(other, ADA)
    await shows(other, 'Signed in as Ada Lovelace')
    expect(await tab.text()).toContain('Not signed in')
    await tab.toFront()
    await shows(tab, 'Signed in as Ada Lovelace')
  })

  describe('that starts by fetch', () => {
    const fetchStart = (tab: Tab, url: string): Promise<unknown> =>
      tab.run(`fetch('${url}').then(async (r) => r.status + ' ' + await r.text(), (error) => error.name)`)

    test('learns nothing from a naive redirect, and from ours what to do instead', async () => {
      serve({ before: (server) => server.get('/naive', (_req, res) => res.redirect(`${provider.oauthBase}/oauth`)) })
      const tab = await openAt('/')
      expect(await fetchStart(tab, '/naive')).toBe('TypeError')
      const { message } = OUTCOMES.navigation_required
      const [, status, told = ''] = /^(\d+) (.*)$/s.exec(String(await fetchStart(tab, '/auth/social-login'))) ?? []
      expect(status).toBe('403')
      expect(JSON.parse(told)).toMatchObject({
        code: 'navigation_required',
        message: expect.stringContaining(message),
      })
    })
  })

  describe('with its API on another host', () => {
    const allow = (server: Express): void => {
      server.use((req, res, next) => {
        res.set('Access-Control-Allow-Origin', req.get('origin') ?? '').set('Access-Control-Allow-Credentials', 'true')
        next()
      })
    }
    const apart = async (host: 'sub.app.test' | 'evil.test'): Promise<Tab> => {
      const origin = sites.origin(host)
      serve({ strategy: { allowedStartOrigins: [origin] }, before: allow })
      sites.serve(host, (_req, res) => {
        res.setHeader('Content-Type', 'text/html').end(page(`<a href="${app}/auth/social-login">Sign in</a>`))
      })
      const tab = await visitor().open()
      await tab.goto(origin)
      await tab.click('a')
      await approve(tab, ADA)
      await shows(tab, 'Signed in as Ada Lovelace')
      await tab.goto(origin)
      return tab
    }
    const me = (tab: Tab): Promise<unknown> =>
      tab.run(`fetch('${app}/api/me', { credentials: 'include' }).then(({ status }) => status)`)

    test('of the same site, signs in and reads its API', async () => {
      expect(await me(await apart('sub.app.test'))).toBe(200)
    })

    test('of another site, signs in, but its requests carry no session', async () => {
      expect(await me(await apart('evil.test'))).toBe(401)
    })
  })

  describe('with the login in a popup', () => {
    test('learns of it by the channel, although the popup has lost its opener, and the popup closes', async () => {
      serve({ signIn: 'popup.mjs' })
      const tab = await openAt('/notes')
      await tab.run('keep = window.open, window.open = (...how) => popup = keep.call(window, ...how), 0')
      const popup = await openPopup(tab)
      await until(async () => (await popup.url()).startsWith(provider.origin))
      // Why the guide uses neither: both are lost by Cross-Origin-Opener-Policy, which helmet sets.
      expect([await popup.run('window.opener === null'), await tab.run('popup.closed')]).toStrictEqual([true, true])
      await approve(popup, ADA)
      await shows(tab, 'Signed in as Ada Lovelace')
      expect(await tab.url()).toBe(`${app}/notes`)
      await closed(popup)
    })

    describe('and without helmet', () => {
      /** A page to which a link at the provider may lead: it takes its opener, if it has one, to a look-alike. */
      async function lure(popup: Tab): Promise<void> {
        const evil = sites.origin('evil.test')
        sites.serve('evil.test', (_req, res) => {
          const script = `<script>if (opener) opener.location = '${evil}/look-alike'</script>`
          res.setHeader('Content-Type', 'text/html').end(page(`<p>Lured</p>${script}`))
        })
        await until(async () => (await popup.url()).startsWith(provider.origin))
        await popup.run(`void (location.href = '${evil}/')`)
        await shows(popup, 'Lured')
      }

      test('a naive popup has an opener at the provider', async () => {
        serve({ signIn: 'popup.mjs', withHelmet: false })
        const tab = await openAt('/notes')
        const opened = visitor().opened()
        // In a click, as browsers demand.
        const open = "window.open('/auth/social-login', 'login', 'popup')"
        await tab.run(`void (document.querySelector('#who').onclick = () => void ${open})`)
        await tab.click('#who')
        const popup = await opened
        await lure(popup)
        expect(await popup.run('opener !== null')).toBe(true)
      })

      test('that of the guide has none: no page takes the waiting one elsewhere, and the login ends as well', async () => {
        serve({ signIn: 'popup.mjs', withHelmet: false })
        const tab = await openAt('/notes')
        const popup = await openPopup(tab)
        await lure(popup)
        expect(await popup.run('opener === null')).toBe(true)
        await popup.back()
        await approve(popup, ADA)
        await shows(tab, 'Signed in as Ada Lovelace')
        expect(await tab.url()).toBe(`${app}/notes`)
        await closed(popup)
      })
    })

    test('shows the button still when the login in the popup failed', async () => {
      serve({ signIn: 'popup.mjs' })
      const tab = await openAt('/notes')
      provider.failNext('authorize', { status: 400, body: '{"error":"expired"}' })
      const popup = await openPopup(tab)
      await approve(popup, ADA)
      await until(async () => (await tab.run('document.title')) === 'told')
      await closed(popup)
      expect(await tab.text()).toContain('Not signed in')
    })

    test('signs in with the whole page where popups are blocked', async () => {
      serve({ signIn: 'popup.mjs' })
      const tab = await openAt('/notes')
      await tab.run('window.open = () => null, 0')
      await tab.click('#sign-in')
      await approve(tab, ADA)
      await shows(tab, 'Signed in as Ada Lovelace')
      expect(await tab.url()).toBe(`${app}/notes`)
    })
  })

  test('another account needs a sign-out at the provider: a sign-out here is followed by the same one, silently', async () => {
    serve({ mode: 'as-deployed' })
    const tab = await openAt('/')
    await tab.click('#sign-in')
    await approve(tab, ADA)
    await shows(tab, 'Signed in as Ada Lovelace')
    await tab.click('#sign-out')
    await shows(tab, 'Not signed in')
    await tab.click('#sign-in')
    await shows(tab, 'Signed in as Ada Lovelace')
    await tab.click('#sign-out')
    await shows(tab, 'Not signed in')
    const atProvider = await visitor().open()
    await atProvider.goto(provider.origin)
    await atProvider.click('form[action="/sign-out"] button')
    await shows(atProvider, 'You are not signed in')
    await tab.click('#sign-in')
    await approve(tab, ALAN)
    await shows(tab, 'Signed in as Alan Turing')
  })
})
