import { SocialLoginError } from '../errors'
import { callStore } from './browser-store'
import type { LoginAction, LoginContext } from './context'
import { confirmPage } from './pages/confirm-page'
import type { HTTPResponse } from './pages/page'
import { createPendingLogin } from './pending-login'
import type { StartRequest } from './request'
import { tabStartPage } from './tab-binding'

/**
 * Starts a login: stores a pending login for this browser and redirects to the provider. An unverified start, or one
 * whose tab has no secret yet, gets an intermediate page.
 *
 * @throws SocialLoginError `session_unavailable`
 * @throws TypeError when `state` is not JSON of up to 1,024 bytes
 */
export async function start(context: LoginContext, request: StartRequest): Promise<LoginAction> {
  const { settings, rules, strategyDigest, trace } = context
  const { path, method, verified, fetchSite, tabSecret } = request
  const { providerOrigin } = rules
  if (!verified && rules.unverifiedStart === 'confirm') {
    return respond(confirmPage({ path, method, providerOrigin }, settings.confirmPage))
  }
  if (rules.tabBinding && tabSecret === undefined) return respond(tabStartPage(path, method, providerOrigin))

  const { options, store, currentUserKey } = context.request
  const { returnTo, state } = options
  const user = currentUserKey()
  const record = createPendingLogin({ strategyDigest, user, startSite: fetchSite, tabSecret, returnTo, state })
  trace.follow(record)
  await callStore('start', settings.timeout, () => store.save(record))
  settings.client.preconnect()
  return { type: 'redirect', url: settings.client.loginURL() }
}

function respond(response: HTTPResponse): LoginAction {
  return { type: 'respond', response, otherwise: new SocialLoginError('start_forbidden', 'start') }
}
