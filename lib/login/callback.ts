import { SocialLoginError } from '../errors'
import { callStore } from './browser-store'
import type { LoginAction, LoginContext, Verdict } from './context'
import { type ExchangedLogin, exchange } from './exchange'
import { type LoginInfo, loginInfo } from './info'
import { checkCallback, FINAL_REFUSALS, type PendingLogin, type Refusal } from './pending-login'
import type { CallbackRequest } from './request'
import { tabCallbackPage } from './tab-binding'

/**
 * Finishes a login, in this order: the browser's record is read; a callback that comes again shares the login of the
 * first; the record is checked; a slot is acquired; the record is used up; the key is exchanged; the application decides.
 * What is refused before the record is used up leaves record and key as they were.
 *
 * @throws SocialLoginError of any phase but `start`, or what the application threw
 */
export async function callback(context: LoginContext, request: CallbackRequest): Promise<LoginAction> {
  const { settings, rules, strategyDigest, usedLogins, slots, trace } = context
  const { store, currentUserKey } = context.request
  const record = await callStore('callback', settings.timeout, () => store.load())
  if (!record) return handleReplay(context)
  trace.follow(record)

  const refusal = checkCallback(record, { ...request, strategyDigest, user: currentUserKey() })
  const isUsed = record.consumed || usedLogins.has(record.id)
  if (isUsed) return refusal ? handleReplay(context) : joinLogin(context, request, record)
  // From here to `usedLogins.run` nothing is awaited, so that of two callbacks only one gets there.
  if (refusal) return refuse(context, refusal)
  if (rules.tabBinding && request.tabSecret === undefined) return askTab(context, request)
  if (!slots.tryAcquire()) throw new SocialLoginError('overloaded', 'exchange', { retryAfter: 1 })
  const info = loginInfo(record, request)
  const verdict = await usedLogins.run(record.id, request.authKey, async () => {
    const exchanged = await useUp(context, request, record).finally(() => slots.release())
    return verify(context, exchanged, info)
  })
  return { type: 'verified', verdict, info }
}

/** Reload, back button, double click: whoever is signed in goes on to where the login would have led. */
function handleReplay({ request }: LoginContext): LoginAction {
  if (request.currentUserKey() !== undefined && request.mayContinueOnReplay) return { type: 'continue' }
  throw new SocialLoginError('login_not_started', 'callback')
}

/** A callback whose record is used shares the login that it is a double of, if that still runs. */
async function joinLogin(context: LoginContext, request: CallbackRequest, record: PendingLogin): Promise<LoginAction> {
  const { settings, rules, usedLogins } = context
  const { store } = context.request
  const isAsked = !rules.tabBinding || request.tabSecret !== undefined
  const shared = isAsked ? usedLogins.join(record.id, request.authKey) : undefined
  // Too late to share: this request's session is an old copy, and to save it would undo the login that has ended.
  if (shared === undefined) return handleReplay(context)
  // The copy may still hold the record unused, and may be saved after the one in which it is used.
  if (!record.consumed) await callStore('callback', settings.timeout, () => store.consume(record))
  return { type: 'verified', verdict: await shared, info: loginInfo(record, request) }
}

async function refuse({ settings, request: { store } }: LoginContext, refusal: Refusal): Promise<never> {
  if (FINAL_REFUSALS.has(refusal)) await callStore('callback', settings.timeout, () => store.remove())
  throw new SocialLoginError(refusal, 'callback')
}

/** Asks the tab for the secret that it stored at the start. */
function askTab({ rules }: LoginContext, { authKey }: CallbackRequest): LoginAction {
  const response = tabCallbackPage(rules.callbackPath, authKey, rules.providerOrigin)
  return { type: 'respond', response, otherwise: new SocialLoginError('tab_mismatch', 'callback') }
}

/** Uses up the record, then the key. */
async function useUp(
  { settings, usedLogins, trace, request: { store } }: LoginContext,
  { authKey }: CallbackRequest,
  record: PendingLogin,
): Promise<ExchangedLogin> {
  try {
    // Not removed afterwards: the session may have been renewed or ended by then, and to save this copy would undo that.
    await callStore('callback', settings.timeout, () => store.consume(record))
  } catch (error) {
    // The key is unspent: a reload may finish this login when the store is back.
    usedLogins.release(record.id)
    throw error
  }
  return exchange(settings, authKey, trace)
}

function verify({ trace, request }: LoginContext, exchanged: ExchangedLogin, info: LoginInfo): Promise<Verdict> {
  const work = (): Promise<Verdict> => request.verify(exchanged, info)
  return trace.run('verify', work, ({ user }) => (user ? undefined : 'verify_refused'))
}
