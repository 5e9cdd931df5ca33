import { SocialLoginError } from '../errors'
import { forgedHint, LOGIN_USED, LOGIN_USED_ELSEWHERE } from '../explain/requests'
import { createLoginInfo, type ExchangedLogin, type LoginAction, type LoginContext, requireSignIn } from './context'
import { exchange } from './exchange'
import { tabCallbackPage } from './pages/tab'
import { type CallbackRefusal, checkCallback, isForged, isOwnCallback } from './pending-login/check'
import { type PendingLogin, withStartPath } from './pending-login/pending-login'
import { callStore, loadRecord } from './pending-login/store'
import type { CallbackRequest } from './request/request'
import { tabCookies } from './request/tab-cookie'

/**
 * Finishes a login in this order: check what the callback shows by itself; read the browser's record and check the
 * callback against it; ask a bound tab for its secret; mark the record as used; acquire a slot; mark the record as
 * consumed; exchange the key; let the application decide. Until the record is consumed nothing is lost: the genuine
 * callback can still finish the login, unless it has expired or a different user is signed in. After that, any failure
 * ends the login.
 *
 * *Used* counts in this process, from the call of `usedLogins.run` on, and is taken back if the login fails before
 * `onConsumed`. *Consumed* counts in all processes, as soon as the store has marked the record.
 *
 * | Record | Callback | What follows |
 * |---|---|---|
 * | not read | forged by what it shows (`isForged`) | `callback_forged` |
 * | none | any other | `login_not_started` |
 * | unused | refused by `checkCallback` | the refusal |
 * | unused | without the secret of its bound tab | a page that asks the tab for it |
 * | unused | any other | the login |
 * | used | not refused, and with the key of a login that still runs (a double click) | `joinLogin`: the same result |
 * | used | any other (a reload); or used by another process meanwhile | `login_not_started` |
 *
 * Who is signed in does not matter to the last: what stands behind the route runs for a login, never for a repetition.
 * If too many callbacks wait for one login, further ones are answered like a reload. Between two processes the store
 * decides, if it can (see `PendingLoginStore.consume`).
 *
 * A link with an attacker's own key fails in a browser that has no login in progress. While one is in progress, `isForged`
 * refuses a link on a page whose `Referer` is foreign, and one that was typed or opened from a mail program. What passes,
 * such as a link on a page that sends no Referer, stands in SECURITY.md (W1 and X); `tabBinding` stops it in any tab but
 * that of the start.
 * @throws SocialLoginError of any phase but `start`, or what the application threw
 */
export async function callback<User>(
  context: LoginContext<User>,
  request: CallbackRequest,
): Promise<LoginAction<User>> {
  const { settings, adapter, trace } = context
  if (isForged(request)) throw new SocialLoginError('callback_forged', 'callback', { hint: forgedHint(request) })
  // Also for a login that fails: `failureRedirect` may lead to a start.
  if (request.tabSecret !== undefined) adapter.addCookies(tabCookies(settings))
  requireSignIn(adapter, 'callback')
  const record = await loadRecord('callback', settings.timeout, adapter.store)
  if (!record) throw notStarted(adapter.store.explain?.(settings.appOrigin))
  trace.setLogin(record)
  try {
    return await finish(context, request, record)
  } catch (error) {
    throw withStartPath(error, record)
  }
}

async function finish<User>(
  context: LoginContext<User>,
  request: CallbackRequest,
  record: PendingLogin,
): Promise<LoginAction<User>> {
  const { settings, adapter, usedLogins, trace } = context
  const { authKey } = request
  const refusal = checkCallback(record, request, { settings, user: adapter.currentUserKey() })
  if (isOwnCallback(refusal)) context.onOwnCallback(record)
  if (usedLogins.isUsed(record)) {
    // A refused callback with a used record is most often a reload: the login itself has changed who is signed in.
    if (refusal) throw notStarted(LOGIN_USED)
    return joinLogin(context, request, record)
  }
  if (refusal) throw new SocialLoginError(refusal, 'callback', { hint: hintOf(refusal, context, request) })
  if (mustAskTab(context, request)) return requestTabSecret(context, request)

  // Nothing is awaited between `usedLogins.isUsed` and `usedLogins.run`, so that only one of two callbacks gets here.
  const loginInfo = createLoginInfo(record, request)
  const verdict = await usedLogins.run(record.id, authKey, async (onConsumed) => {
    const login = await exchangeInSlot(context, record, authKey, onConsumed)
    return trace.run(
      'verify',
      () => adapter.verify(login, loginInfo),
      ({ user }) => (user ? {} : { code: 'verify_refused' }),
    )
  })
  return { type: 'verdict', verdict, loginInfo }
}

function hintOf(refusal: CallbackRefusal, { adapter }: LoginContext, request: CallbackRequest): string | undefined {
  if (refusal === 'callback_forged') return forgedHint(request)
  return refusal === 'user_changed' ? adapter.currentUserHint?.() : undefined
}

/**
 * Consumes the record and exchanges the key while it holds one of the provider's slots (`maxConcurrentLogins`). Verify
 * and duplicates that wait for another callback hold none. If the store fails, the key is unspent, and a reload can
 * finish the login when the store works again, unless the store has marked the record without saying so in time.
 * @throws SocialLoginError `overloaded` or `session_unavailable`: the record counts as unused then
 * @throws SocialLoginError `login_not_started` if another process has consumed the record meanwhile
 */
async function exchangeInSlot(
  context: LoginContext,
  record: PendingLogin,
  authKey: string,
  onConsumed: () => void,
): Promise<ExchangedLogin> {
  const { settings, adapter } = context
  if (!settings.concurrentLogins.tryAcquire()) throw new SocialLoginError('overloaded', 'exchange', { retryAfter: 1 })
  try {
    // The record is marked before the login ends: saving this request's copy of the session later would undo a logout.
    const isFirst = await callStore('callback', settings.timeout, () => adapter.store.consume(record))
    onConsumed()
    // If the store cannot tell (undefined), the provider refuses the second of two exchanges of one key.
    if (isFirst === false) throw notStarted(LOGIN_USED_ELSEWHERE)
    return await exchange(context, authKey)
  } finally {
    settings.concurrentLogins.release()
  }
}

/** A duplicate callback waits for the result of the first, if that is still running. */
async function joinLogin<User>(
  context: LoginContext<User>,
  request: CallbackRequest,
  record: PendingLogin,
): Promise<LoginAction<User>> {
  const { settings, usedLogins, adapter } = context
  const running = mustAskTab(context, request) ? undefined : usedLogins.attach(record.id, request.authKey)
  // Without a login to wait for, nothing is saved: this copy of the session may be older than that of the new user.
  if (running === undefined) throw notStarted(LOGIN_USED)
  const loginInfo = { ...createLoginInfo(record, request), duplicate: true } as const
  // The store must see the first callback's `consume` before ours, or it would count ours as the first.
  await Promise.race([running.consumed, running.result])
  // If this request's copy of the session is saved last, it must not bring the record back unconsumed. The store's
  // answer does not matter, because this callback is not the first.
  if (!record.consumed) await callStore('callback', settings.timeout, () => adapter.store.consume(record))
  return { type: 'verdict', verdict: await running.result, loginInfo }
}

function notStarted(hint: string | undefined): SocialLoginError {
  return new SocialLoginError('login_not_started', 'callback', { hint })
}

/** Whether the tab of a bound login has yet to be asked for its secret. */
function mustAskTab({ settings }: LoginContext, { tabSecret }: CallbackRequest): boolean {
  return settings.tabBinding && tabSecret === undefined
}

function requestTabSecret({ settings }: LoginContext, { authKey }: CallbackRequest): LoginAction<never> {
  const response = tabCallbackPage(authKey, settings.providerOrigin)
  return { type: 'page', page: 'tab', response, fallbackError: new SocialLoginError('tab_mismatch', 'callback') }
}
