import { SocialLoginError } from '../errors'
import { callStore } from './browser-store'
import type { LoginAction, LoginContext } from './context'
import { type ExchangedLogin, exchange } from './exchange'
import { createLoginInfo } from './info'
import { checkCallback, FINAL_REFUSALS, type PendingLogin, parsePendingLogin, type Refusal } from './pending-login'
import type { CallbackRequest } from './request'
import { tabCallbackPage } from './tab-binding'

/**
 * Finishes a login, in this order: the browser's record is read and checked against the callback; a duplicate callback
 * waits for the result of the first; a tab that is bound is asked for its secret; a slot is acquired; the record is
 * consumed; the key is exchanged; the application decides. Until the record is consumed nothing is lost: the genuine
 * callback can still finish the login (unless it has expired, or a different user is signed in). After that, any
 * failure ends the login.
 *
 * A record is marked twice: `usedLogins` remembers it in this process, and `consume` marks it in the store, for all processes.
 *
 * @throws SocialLoginError of any phase but `start`, or what the application threw
 */
export async function callback<User>(
  context: LoginContext<User>,
  request: CallbackRequest,
): Promise<LoginAction<User>> {
  const { settings, adapter, policy, strategyDigest, usedLogins, trace } = context
  // The record is validated, because the store may be the application's.
  const record = parsePendingLogin(await callStore('callback', settings.timeout, () => adapter.store.load()))
  if (!record) return continueIfSignedIn(context)
  trace.setLogin(record)

  const { authKey, fetchSite, referer, tabSecret } = request
  const user = adapter.currentUserKey()
  const refusal = checkCallback(record, { strategyDigest, user, fetchSite, referer, tabSecret })
  if (record.consumed || usedLogins.has(record.id)) {
    // A reload after the login has a refusal, too: the user whom it signed in is not the one of the start.
    return refusal ? continueIfSignedIn(context) : joinLogin(context, request, record)
  }
  if (refusal) return rejectCallback(context, refusal)
  if (policy.tabBinding && tabSecret === undefined) return requestTabSecret(context, request)

  // Nothing is awaited between `usedLogins.has` and `usedLogins.run`, so that only one of two callbacks gets here. If the login
  // fails before `markConsumed` is called, `run` makes the record usable again in this process.
  // The adapter gives `loginInfo` to the application; Passport's is `req.authInfo`.
  const loginInfo = createLoginInfo(record, request)
  const verdict = await usedLogins.run(record.id, authKey, async (markConsumed) => {
    const login = await exchangeInSlot(context, record, authKey, markConsumed)
    return trace.run(
      'verify',
      () => adapter.verify(login, loginInfo),
      ({ user }) => (user ? undefined : 'verify_refused'),
    )
  })
  return { type: 'verdict', verdict, loginInfo }
}

/**
 * Consumes the record and exchanges the key while it holds one of the provider's slots, of which the option
 * `maxConcurrentLogins` is the number. Starts, duplicates that wait for another callback, and verify hold none.
 *
 * @throws SocialLoginError `overloaded` if no slot is free; the record is then unused
 */
async function exchangeInSlot(
  context: LoginContext,
  record: PendingLogin,
  authKey: string,
  markConsumed: () => void,
): Promise<ExchangedLogin> {
  const { loginSlots } = context.provider
  if (!loginSlots.tryAcquire()) throw new SocialLoginError('overloaded', 'exchange', { retryAfter: 1 })
  try {
    await consume(context, record, markConsumed)
    return await exchange(context, authKey)
  } finally {
    loginSlots.release()
  }
}

/**
 * Marks the record as consumed. It is not removed after the login instead: by then the session may have been renewed or
 * ended, and saving this request's copy of it would undo that.
 *
 * If the store fails, the key is unspent, and a reload can finish the login when the store works again. A store that
 * recorded the use and failed to say so in time fails the login closed: the reload finds the record consumed.
 *
 * @throws SocialLoginError `session_unavailable`, or `login_not_started` if another process has consumed it meanwhile
 */
async function consume(
  { settings, adapter }: LoginContext,
  record: PendingLogin,
  markConsumed: () => void,
): Promise<void> {
  const isFirst = await callStore('callback', settings.timeout, () => adapter.store.consume(record))
  markConsumed()
  if (isFirst === false) throw new SocialLoginError('login_not_started', 'callback')
}

/** No login can be finished here (reload, back button, or none was started): a signed-in user may continue to the destination. */
function continueIfSignedIn({ adapter }: LoginContext): LoginAction<never> {
  if (adapter.currentUserKey() !== undefined && adapter.allowRepeatedCallback) return { type: 'continue' }
  throw new SocialLoginError('login_not_started', 'callback')
}

/** A duplicate callback waits for the result of the first, if that is still running. */
async function joinLogin<User>(
  context: LoginContext<User>,
  request: CallbackRequest,
  record: PendingLogin,
): Promise<LoginAction<User>> {
  const { settings, policy, usedLogins, adapter } = context
  const isTabKnown = !policy.tabBinding || request.tabSecret !== undefined
  const running = isTabKnown ? usedLogins.attach(record.id, request.authKey) : undefined
  // If the login has ended, nothing is saved: this request's copy of the session is older than that of the new user.
  if (running === undefined) return continueIfSignedIn(context)
  // The store must see the first callback's `consume` before ours, or it would count ours as the first.
  await Promise.race([running.consumed, running.result])
  // If this request's copy of the session is saved last, it must not bring the record back unconsumed.
  if (!record.consumed) await callStore('callback', settings.timeout, () => adapter.store.consume(record))
  return { type: 'verdict', verdict: await running.result, loginInfo: createLoginInfo(record, request) }
}

async function rejectCallback({ settings, adapter }: LoginContext, refusal: Refusal): Promise<never> {
  if (FINAL_REFUSALS.has(refusal)) await callStore('callback', settings.timeout, () => adapter.store.remove())
  throw new SocialLoginError(refusal, 'callback')
}

/** Answers with the page that reads the secret which the tab stored at the start, and sends the callback again with it. */
function requestTabSecret({ policy }: LoginContext, { authKey }: CallbackRequest): LoginAction<never> {
  const response = tabCallbackPage(authKey, policy.providerOrigin)
  return { type: 'respond', response, fallbackError: new SocialLoginError('tab_mismatch', 'callback') }
}
