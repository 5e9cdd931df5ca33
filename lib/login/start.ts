import { SocialLoginError } from '../errors'
import { NO_PAGE } from '../explain/requests'
import { warnOfMissingHeaders } from '../warnings'
import { type LoginAction, type LoginContext, requireSignIn } from './context'
import { confirmPage, withConfirmation } from './pages/confirm-page'
import type { HTTPResponse } from './pages/page'
import { tabStartPage } from './pages/tab'
import { createPendingLogin } from './pending-login/pending-login'
import { reasonToDrop, withoutAppOrigin } from './pending-login/return-path'
import { callStore, loadRecord } from './pending-login/store'
import type { StartRequest } from './request/request'

/**
 * Starts a login: stores a pending login for this browser and redirects to the provider. An unverified start gets the
 * confirm page instead; under `tabBinding`, a tab without a secret gets the page that makes one.
 * @throws SocialLoginError `session_unavailable`, or `auth_key_missing` when it is a callback after all
 * @throws TypeError when `state` is not JSON, or exceeds `MAX_STATE_BYTES`
 */
export async function start(context: LoginContext, request: StartRequest): Promise<LoginAction<never>> {
  const { settings, adapter, trace } = context
  const { endpoints, providerOrigin, displayName, strategyDigest } = settings
  const { path, method, confirmation, isAtCallback, fetchSite: startSite, tabSecret } = request
  warnOfMissingHeaders(request.hasSource)
  requireSignIn(adapter, 'start')
  if (request.mayLackKey && (await isCallbackWithoutKey(context)))
    throw new SocialLoginError('auth_key_missing', 'callback')
  if (confirmation !== undefined) {
    const page = { path: withConfirmation(path, confirmation), method, providerOrigin, displayName }
    return showPage('confirm', confirmPage(page, settings.confirmPage))
  }
  if (settings.tabBinding && tabSecret === undefined) return showPage('tab', tabStartPage(path, method, providerOrigin))

  const user = adapter.currentUserKey()
  // A path with a tab's secret is not kept, because the secret belongs to that tab alone.
  const startPath = method === 'GET' && tabSecret === undefined ? path : undefined
  const { state } = adapter.options
  const returnTo = withoutAppOrigin(adapter.options.returnTo, adapter.http, settings)
  const input = { strategyDigest, user, startSite, isAtCallback, tabSecret, startPath, returnTo, state }
  const record = createPendingLogin(input)
  trace.setLogin(record)
  if (record.returnTo === undefined) trace.setDroppedReturnTo(reasonToDrop(returnTo))
  await callStore('start', settings.timeout, () => adapter.store.save(record))
  endpoints.preconnect()
  return { type: 'redirect', url: endpoints.loginURL }
}

// Whether this is a callback without a key behind a proxy that strips a prefix: its path is the end of the callback's,
// and the browser's login began at a path that is not. Taken for a start, it would send the browser back to the
// provider in a loop; so even a used or expired login counts.
async function isCallbackWithoutKey({ settings, adapter }: LoginContext): Promise<boolean> {
  const record = await loadRecord('start', settings.timeout, adapter.store)
  return record?.strategyDigest === settings.strategyDigest && record.startIsAtCallback !== true
}

function showPage(page: 'confirm' | 'tab', response: HTTPResponse): LoginAction<never> {
  const fallbackError = new SocialLoginError('start_forbidden', 'start', { hint: NO_PAGE })
  return { type: 'page', page, response, fallbackError }
}
