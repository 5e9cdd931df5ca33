import type { IncomingMessage } from 'node:http'
import { isObject } from '../../client/response/json'
import { type Phase, SocialLoginError } from '../../errors'
import { NO_SESSION, STORE_ERROR, STORE_TIMEOUT } from '../../explain/stores'
import { STORE_RETRY_SECONDS } from '../../limits'
import { isThenable, withTimeout } from '../../promises'
import { type PendingLogin, parsePendingLogin } from './pending-login'

/**
 * Keeps at most one login in progress for one browser. If a method throws or rejects, the login ends in the error
 * `session_unavailable`. `checkPendingLoginStore` of passport-social-login/testing tests a store of your own.
 * @example
 * import type { IncomingMessage } from 'node:http'
 *
 * class OwnStore implements PendingLoginStore {
 *   async save(req: IncomingMessage, record: PendingLogin) {
 *     await logins.insert(startBrowserCookie(req), record)
 *   }
 *   async load(req: IncomingMessage) {
 *     return logins.find(browserCookie(req))
 *   }
 *   async consume(req: IncomingMessage, record: PendingLogin) {
 *     return (await logins.markConsumed(browserCookie(req), record.id)).changedRows === 1
 *   }
 * }
 */
export interface PendingLoginStore<Request = IncomingMessage> {
  /** Replaces the browser's record; resolves once the next request will find it. */
  save(req: Request, record: PendingLogin): Promise<void> | void
  /** The browser's record, consumed or not. */
  load(req: Request): Promise<PendingLogin | undefined> | PendingLogin | undefined
  /**
   * Marks this record as consumed; resolves once no later request of this browser can find it unconsumed. Do not delete
   * it: the second callback of a double click finds its login by the record. Compare the `id` of the record, because the
   * browser may have started another login in the meantime.
   *
   * Resolve to whether this call was the first for the record, if the storage can tell this atomically. `false` refuses
   * the callback as `login_not_started`. If it resolves to nothing, two processes that get a callback at once may both
   * use the record. With one key, the provider refuses the second exchange. With two keys, verify is called twice.
   */
  consume(req: Request, record: PendingLogin): Promise<boolean | void> | boolean | void
  /**
   * A sentence for the message of `login_not_started`, after `load` has found nothing: what the request shows about the
   * cause, and what to do. Fixed text, without anything from the request.
   * @param appOrigin the application's own origin, if `callbackURL` tells it
   */
  explain?(req: Request, appOrigin?: string): string | undefined
}

/** The arguments of the methods of our own stores. */
export const WITH_REQUEST = {
  req: { must: 'a request of Node, with headers', fits: (value: unknown) => isObject(Object(value)['headers']) },
}
export const WITH_RECORD = {
  ...WITH_REQUEST,
  record: { must: 'a PendingLogin', fits: (value: unknown) => typeof Object(value)['id'] === 'string' },
}

export interface BrowserStore {
  save(record: PendingLogin): Promise<void> | void
  load(): Promise<PendingLogin | undefined> | PendingLogin | undefined
  consume(record: PendingLogin): Promise<boolean | void> | boolean | void
  explain?(appOrigin?: string): string | undefined
}

export function browserStore<Request>(store: PendingLoginStore<Request>, req: Request): BrowserStore {
  return {
    save: (record) => store.save(req, record),
    load: () => store.load(req),
    consume: (record) => store.consume(req, record),
    explain: (appOrigin) => store.explain?.(req, appOrigin),
  }
}

export class NoSession extends Error {
  constructor() {
    super('no session')
  }
}

/** @throws SocialLoginError `session_unavailable`, also after `timeout` milliseconds, or one that the store threw */
export async function callStore<T>(phase: Phase, timeout: number, call: () => Promise<T> | T): Promise<T> {
  try {
    const answer = call()
    return isThenable(answer) ? await withTimeout(timeout, answer) : answer
  } catch (error) {
    throw storeError(error, phase)
  }
}

/** The record of this browser. It is validated, because a session or a store of the application may hold anything. */
export async function loadRecord(
  phase: Phase,
  timeout: number,
  store: Pick<BrowserStore, 'load'>,
): Promise<PendingLogin | undefined> {
  return parsePendingLogin(await callStore(phase, timeout, () => store.load()))
}

/** A store's own error may quote a connection string, so it is replaced. */
function storeError(error: unknown, phase: Phase): SocialLoginError {
  if (error instanceof SocialLoginError) return error
  return new SocialLoginError('session_unavailable', phase, { hint: hintOf(error), retryAfter: STORE_RETRY_SECONDS })
}

function hintOf(error: unknown): string {
  if (error instanceof NoSession) return NO_SESSION
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
  return isTimeout ? STORE_TIMEOUT : STORE_ERROR
}
