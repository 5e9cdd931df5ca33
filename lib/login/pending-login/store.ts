import { isThenable, withTimeout } from '../../client/deadline'
import { type Phase, SocialLoginError } from '../../errors'
import type { PendingLogin, PendingLoginStore } from './pending-login'

// A typical time for a session store to fail over or restart.
const RETRY_AFTER_SECONDS = 5

/** The pending login of one browser. */
export interface BrowserStore {
  save(record: PendingLogin): Promise<void> | void
  load(): Promise<PendingLogin | undefined> | PendingLogin | undefined
  consume(record: PendingLogin): Promise<boolean | void> | boolean | void
  /** Why `load` has found nothing. */
  explain?(): string | undefined
}

/** The record of the browser that sent a request, in a store for all of them. */
export function browserStore<Request>(store: PendingLoginStore<Request>, req: Request): BrowserStore {
  return {
    save: (record) => store.save(req, record),
    load: () => store.load(req),
    consume: (record) => store.consume(req, record),
    explain: () => store.explain?.(req),
  }
}

/** There is no session to keep a pending login in. */
export class NoSession extends Error {
  constructor() {
    super('no session')
  }
}

/** @throws SocialLoginError `session_unavailable`, also after `timeout` milliseconds, or what the store threw of that class */
export async function callStore<T>(phase: Phase, timeout: number, call: () => Promise<T> | T): Promise<T> {
  try {
    const answer = call()
    return isThenable(answer) ? await withTimeout(timeout, answer) : answer
  } catch (error) {
    throw storeError(error, phase)
  }
}

/** A store's own error may quote a connection string. */
function storeError(error: unknown, phase: Phase): SocialLoginError {
  if (error instanceof SocialLoginError) return error
  return new SocialLoginError('session_unavailable', phase, { hint: hintOf(error), retryAfter: RETRY_AFTER_SECONDS })
}

function hintOf(error: unknown): string {
  if (error instanceof NoSession) return 'The request has no session.'
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
  return isTimeout ? 'The store did not answer within the timeout option.' : 'The store reported an error.'
}
