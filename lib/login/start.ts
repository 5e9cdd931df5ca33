import { SocialLoginError } from '../errors'
import { callStore } from './browser-store'
import type { LoginAction, LoginContext } from './context'
import { confirmPage } from './pages/confirm-page'
import type { HTTPResponse } from './pages/page'
import { createPendingLogin, readPendingLogin } from './pending-login'
import type { StartRequest } from './request'
import { tabStartPage } from './tab-binding'

/**
 * Starts a login: stores a pending login for this browser and redirects to the provider. An unverified start, or one
 * whose tab has no secret yet, gets an intermediate page.
 *
 * @throws SocialLoginError `session_unavailable`, or `auth_key_missing` when it is a callback after all
 * @throws TypeError when `state` is not JSON of up to 1,024 bytes
 */
export async function start(context: LoginContext, request: StartRequest): Promise<LoginAction<never>> {
  const { settings, provider, rules, strategyDigest, trace } = context
  const { path, method, verified, resemblesCallback, fetchSite, tabSecret } = request
  const { providerOrigin } = rules
  // Known only here, because it depends on the browser's record.
  const mayBeStripped = resemblesCallback && !verified && method === 'GET'
  if (mayBeStripped && (await isStrippedCallback(context))) throw new SocialLoginError('auth_key_missing', 'callback')
  if (!verified && rules.unverifiedStart === 'confirm') {
    return respond(confirmPage({ path, method, providerOrigin }, settings.confirmPage))
  }
  if (rules.tabBinding && tabSecret === undefined) return respond(tabStartPage(path, method, providerOrigin))

  const { returnTo, state } = context.request.options
  const user = context.request.currentUserKey()
  const startSite = fetchSite
  const record = createPendingLogin({ strategyDigest, user, startSite, resemblesCallback, tabSecret, returnTo, state })
  trace.follow(record)
  await callStore('start', settings.timeout, () => context.request.store.save(record))
  provider.endpoints.preconnect()
  return { type: 'redirect', url: provider.endpoints.loginURL }
}

/**
 * Whether this is a callback without a key behind a proxy that strips a prefix: its path is the end of the callback's, and
 * the browser's login began at a path that is not. As a start, it would send the browser back to the provider, in a loop.
 */
async function isStrippedCallback({ settings, strategyDigest, request: { store } }: LoginContext): Promise<boolean> {
  const record = readPendingLogin(await callStore('start', settings.timeout, () => store.load()))
  return record?.strategyDigest === strategyDigest && record.startResemblesCallback !== true
}

function respond(response: HTTPResponse): LoginAction<never> {
  return { type: 'respond', response, otherwise: new SocialLoginError('start_forbidden', 'start') }
}
