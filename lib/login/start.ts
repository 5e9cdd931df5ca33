import type { TracedPhase } from '../diagnostics'
import { SocialLoginError } from '../errors'
import { warnOfMissingHeaders } from '../warnings'
import type { LoginAction, LoginContext } from './context'
import { confirmPage, withConfirmation } from './pages/confirm-page'
import type { HTTPResponse } from './pages/page'
import { tabStartPage } from './pages/tab-binding'
import { confirmationAfterTab } from './pending-login/after-tab'
import { createPendingLogin } from './pending-login/pending-login'
import { reasonToDrop, withoutAppOrigin } from './pending-login/return-path'
import { callStore } from './pending-login/store'
import type { StartRequest } from './request/request'

const NO_PAGE_HINT =
  'A page with a button would ask whether this was meant, but the framework gives no response at req.res to send it with.'

/**
 * Starts a login: stores a pending login for this browser and redirects to the provider. An unverified start gets the
 * confirm page instead; under `tabBinding`, a tab without a secret gets the page that makes one.
 * @throws SocialLoginError `session_unavailable`, or `auth_key_missing` when it is a callback after all
 * @throws TypeError when `state` is not JSON, or exceeds `MAX_STATE_BYTES`
 */
export async function start(context: LoginContext, request: StartRequest): Promise<LoginAction<never>> {
  const { settings, adapter, trace } = context
  const { endpoints, providerOrigin, displayName, strategyDigest } = settings
  const { path, method, verified, isCallbackSuffix, fetchSite: startSite, tabSecret } = request
  warnOfMissingHeaders(request.hasSource)
  const mayLackKey = isCallbackSuffix && !verified && method === 'GET'
  if (mayLackKey && (await isCallbackWithoutKey(context))) throw new SocialLoginError('auth_key_missing', 'callback')
  // Anybody may have caused an unverified start, so a person must confirm it. `CONFIRMED_PARAMETER` explains the 1.
  const confirmation = verified ? confirmationNeeded(context, request) : '1'
  if (confirmation !== undefined && settings.unverifiedStart !== 'allow') {
    const page = { path: withConfirmation(path, confirmation), method, providerOrigin, displayName }
    return respond(confirmPage(page, settings.confirmPage), 'confirm')
  }
  if (settings.tabBinding && tabSecret === undefined) return respond(tabStartPage(path, method, providerOrigin), 'tab')

  const user = adapter.currentUserKey()
  // A path with a tab's secret is not kept, because the secret belongs to that tab alone.
  const startPath = method === 'GET' && tabSecret === undefined ? path : undefined
  const { state } = adapter.options
  const returnTo = withoutAppOrigin(adapter.options.returnTo, adapter.http, settings)
  const input = { strategyDigest, user, startSite, isCallbackSuffix, tabSecret, startPath, returnTo, state }
  const record = createPendingLogin(input)
  trace.setLogin(record)
  if (record.returnTo === undefined) trace.setDroppedReturnTo(reasonToDrop(returnTo))
  await callStore('start', settings.timeout, () => adapter.store.save(record))
  endpoints.preconnect()
  return { type: 'redirect', url: endpoints.loginURL }
}

/** The confirmation that a verified start lacks if it follows the callback of a tab at once. */
function confirmationNeeded({ adapter, settings }: LoginContext, { confirmation }: StartRequest): string | undefined {
  const needed = confirmationAfterTab(adapter.http.header('cookie'), settings)
  return needed === confirmation ? undefined : needed
}

// Whether this is a callback without a key behind a proxy that strips a prefix: its path is the end of the callback's,
// and the browser's login began at a path that is not. Taken for a start, it would send the browser back to the
// provider in a loop; so even a used or expired login counts.
async function isCallbackWithoutKey({ settings, adapter }: LoginContext): Promise<boolean> {
  const record = await callStore('start', settings.timeout, () => adapter.store.load())
  return record?.strategyDigest === settings.strategyDigest && record.startIsCallbackSuffix !== true
}

function respond(response: HTTPResponse, page: TracedPhase['page']): LoginAction<never> {
  return {
    type: 'respond',
    response,
    page,
    fallbackError: new SocialLoginError('start_forbidden', 'start', { hint: NO_PAGE_HINT }),
  }
}
