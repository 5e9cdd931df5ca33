import { type MultiSiteStrategyOptions, type Site, Strategy } from '../../lib'
import type { RunningApp } from './app'
import { Browser, type BrowserAnswer } from './browser'
import { type Connections, countConnections } from './connections'
import { type Listening, listen } from './listen'
import type { Logins } from './logins'

/** An application with many sites: a login at each begins at `/auth/NAME`. */
export interface SitesApp extends RunningApp {
  begin(browser: Browser, site: string): Promise<BrowserAnswer>
  /** Comes back with a key. */
  end(browser: Browser, site: string, userID?: string): Promise<BrowserAnswer>
  /** A whole login. @returns the answer to its callback, whose body has the user's `id` and `site` */
  logInAt(site: string, userID?: string): Promise<BrowserAnswer>
}

/** Starts it. @param baseURLOf of the site with a name; all sites have the application id and the secret in common */
export async function startSitesApp(
  logins: Logins,
  baseURLOf: (site: string) => string,
  options: Partial<MultiSiteStrategyOptions> = {},
): Promise<SitesApp> {
  const app = await logins.startApp({
    newStrategy: ({ callbackURL, clientID, clientSecret }) => {
      const siteOf = (name: string): Site => ({ name, baseURL: baseURLOf(name), clientID, clientSecret })
      const common = { callbackURL: `${new URL(callbackURL).origin}/auth/:site/callback`, allowPrivateAddresses: true }
      return new Strategy(
        { ...common, site: ({ params }) => siteOf(String(params['site'])), ...options },
        async (_accessToken, _refreshToken, { id, provider }) => ({ id, site: provider }),
      )
    },
    before: (routes, passport) => {
      routes.get('/auth/:site', passport.authenticate('social-login'))
      routes.get('/auth/:site/callback', passport.authenticate('social-login'), (req, res) => void res.json(req.user))
    },
  })
  const begin = (browser: Browser, site: string) => browser.follow(`${app.origin}/auth/${site}`)
  const end = (browser: Browser, site: string, userID?: string) =>
    browser.comeBack(`${app.origin}/auth/${site}/callback?auth_key=${app.newKey(userID)}`)
  const logInAt = async (site: string, userID?: string) => {
    const browser = new Browser()
    await begin(browser, site)
    return end(browser, site, userID)
  }
  return { ...app, begin, end, logInAt }
}

/** Another origin of the test's provider. It is stopped after the test. */
export async function openOrigin(logins: Logins): Promise<Listening & { readonly connections: Connections }> {
  const listening = logins.stopLater(await listen(logins.provider.requestListener))
  return { ...listening, connections: countConnections(listening.server) }
}
