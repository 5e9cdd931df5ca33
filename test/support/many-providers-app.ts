import { type MultiProviderStrategyOptions, type Provider, Strategy } from '../../lib'
import type { RunningApp } from './app'
import { Browser, type BrowserAnswer } from './browser'
import { type Connections, countConnections } from './connections'
import { type Listening, listen } from './listen'
import type { Logins } from './logins'

/** An application with many communities: a login at each starts at `/auth/NAME`. */
export interface ManyProvidersApp extends RunningApp {
  begin(browser: Browser, community: string): Promise<BrowserAnswer>
  /** Returns with a key. */
  end(browser: Browser, community: string, userID?: string): Promise<BrowserAnswer>
  /** A whole login. @returns the answer to its callback, whose body has the user's `id` and `community` */
  logInAt(provider: string, userID?: string): Promise<BrowserAnswer>
}

/** Starts it. @param baseURLOf of the community with a name; all communities have the application id and the secret in common */
export async function startManyProvidersApp(
  logins: Logins,
  baseURLOf: (provider: string) => string,
  options: Partial<MultiProviderStrategyOptions> = {},
): Promise<ManyProvidersApp> {
  const app = await logins.startApp({
    newStrategy: ({ callbackURL, clientID, clientSecret }) => {
      const communityOf = (name: string): Provider => ({ name, baseURL: baseURLOf(name), clientID, clientSecret })
      const common = {
        callbackURL: `${new URL(callbackURL).origin}/auth/:provider/callback`,
        allowPrivateAddresses: true,
      }
      return new Strategy(
        { ...common, provider: ({ params }) => communityOf(String(params['provider'])), ...options },
        async (_accessToken, _refreshToken, { id, provider }) => ({ id, provider: provider }),
      )
    },
    before: (routes, passport) => {
      routes.get('/auth/:provider', passport.authenticate('social-login'))
      routes.get(
        '/auth/:provider/callback',
        passport.authenticate('social-login'),
        (req, res) => void res.json(req.user),
      )
    },
  })
  const begin = (browser: Browser, community: string) => browser.follow(`${app.origin}/auth/${community}`)
  const end = (browser: Browser, community: string, userID?: string) =>
    browser.comeBack(`${app.origin}/auth/${community}/callback?auth_key=${app.newKey(userID)}`)
  const logInAt = async (community: string, userID?: string) => {
    const browser = new Browser()
    await begin(browser, community)
    return end(browser, community, userID)
  }
  return { ...app, begin, end, logInAt }
}

/** Another origin of the test's provider. It is stopped after the test. */
export async function openOrigin(logins: Logins): Promise<Listening & { readonly connections: Connections }> {
  const listening = logins.stopLater(await listen(logins.provider.requestListener))
  return { ...listening, connections: countConnections(listening.server) }
}
