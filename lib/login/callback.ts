import { SocialLoginError } from '../errors'
import { callStore } from './browser-store'
import type { LoginAction, LoginContext, Verdict } from './context'
import { type ExchangedLogin, exchange } from './exchange'
import { type LoginInfo, loginInfo } from './info'
import { checkCallback, FINAL_REFUSALS, type PendingLogin, type Refusal, readPendingLogin } from './pending-login'
import type { CallbackRequest } from './request'
import { tabCallbackPage } from './tab-binding'

/**
 * Finishes a login, in this order: the browser's record is read and checked against the callback; a duplicate callback
 * waits for the result of the first; a tab that is bound is asked for its secret; a slot is acquired; the record is
 * consumed; the key is exchanged; the application decides. Until the record is consumed nothing is lost: the genuine
 * callback can still finish the login (unless it has expired, or a different user is signed in). After that, any
 * failure ends the login.
 *
 * @throws SocialLoginError of any phase but `start`, or what the application threw
 */
export async function callback<User>(
  context: LoginContext<User>,
  request: CallbackRequest,
): Promise<LoginAction<User>> {
  const { settings, provider, rules, strategyDigest, usedLogins } = context
  // Validated, because the store may be the application's.
  const record = readPendingLogin(await callStore('callback', settings.timeout, () => context.request.store.load()))
  if (!record) return handleReplay(context)
  context.trace.follow(record)

  const { fetchSite, referer, tabSecret } = request
  const user = context.request.currentUserKey()
  const refusal = checkCallback(record, { strategyDigest, user, fetchSite, referer, tabSecret })
  const isUsed = record.consumed || usedLogins.has(record.id)
  // A reload after the login is refused as well, because its user is another one than that of the start.
  if (isUsed) return refusal ? handleReplay(context) : joinLogin(context, request, record)
  // No await from here to `usedLogins.share`, so that only one of two callbacks gets there.
  if (refusal) return rejectCallback(context, refusal)
  if (rules.tabBinding && tabSecret === undefined) return askTab(context, request)
  if (!provider.slots.tryAcquire()) throw new SocialLoginError('overloaded', 'exchange', { retryAfter: 1 })
  const info = loginInfo(record, request)
  // Before `consume`, which forgets it at once if the store throws.
  usedLogins.add(record.id)
  const consumed = consume(context, record)
  const result = exchange(context, consumed, request.authKey).then((exchanged) => verify(context, exchanged, info))
  usedLogins.share(record.id, request.authKey, { consumed, result })
  return { type: 'decided', verdict: await result, info }
}

/** There is no unused record (reload, back button, or no login at all): a signed-in user may continue. */
function handleReplay({ request }: LoginContext): LoginAction<never> {
  if (request.currentUserKey() !== undefined && request.mayContinueOnReplay) return { type: 'continue' }
  throw new SocialLoginError('login_not_started', 'callback')
}

/** A duplicate callback waits for the result of the first, if that is still running. */
async function joinLogin<User>(
  context: LoginContext<User>,
  request: CallbackRequest,
  record: PendingLogin,
): Promise<LoginAction<User>> {
  const { settings, rules, usedLogins } = context
  const { store } = context.request
  const isTabKnown = !rules.tabBinding || request.tabSecret !== undefined
  const shared = isTabKnown ? usedLogins.join(record.id, request.authKey) : undefined
  // The first has ended. Nothing is saved: this request's copy of the session is older than the one with the signed-in
  // user.
  if (shared === undefined) return handleReplay(context)
  // A store that tells which call was the first must not take the following one for it.
  await shared.consumed
  // If this request's copy of the session is saved last, it must not bring the record back unconsumed.
  if (!record.consumed) await callStore('callback', settings.timeout, () => store.consume(record))
  return { type: 'decided', verdict: await shared.result, info: loginInfo(record, request) }
}

async function rejectCallback({ settings, request: { store } }: LoginContext, refusal: Refusal): Promise<never> {
  if (FINAL_REFUSALS.has(refusal)) await callStore('callback', settings.timeout, () => store.remove())
  throw new SocialLoginError(refusal, 'callback')
}

/** Requests the secret that the tab stored at the start. */
function askTab({ rules }: LoginContext, { authKey }: CallbackRequest): LoginAction<never> {
  const response = tabCallbackPage(authKey, rules.providerOrigin)
  return { type: 'respond', response, otherwise: new SocialLoginError('tab_mismatch', 'callback') }
}

/** @throws SocialLoginError `session_unavailable`, or `login_not_started` if another process has consumed it meanwhile */
async function consume(
  { settings, usedLogins, request: { store } }: LoginContext,
  record: PendingLogin,
): Promise<void> {
  let isFirst: boolean | void
  try {
    // Marked as consumed, and not removed later: by then the session may have been renewed or ended, and saving this copy of it
    // would undo that.
    isFirst = await callStore('callback', settings.timeout, () => store.consume(record))
  } catch (error) {
    // The key is unspent: a reload can finish this login when the store works again.
    usedLogins.forget(record.id)
    throw error
  }
  if (isFirst === false) throw new SocialLoginError('login_not_started', 'callback')
}

function verify<User>(
  { trace, request }: LoginContext<User>,
  exchanged: ExchangedLogin,
  info: LoginInfo,
): Promise<Verdict<User>> {
  return trace.run('verify', () => request.verify(exchanged, info), codeOfVerdict)
}

function codeOfVerdict({ user }: Verdict): 'verify_refused' | undefined {
  return user ? undefined : 'verify_refused'
}
