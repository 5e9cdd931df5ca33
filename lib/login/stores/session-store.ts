import type { IncomingMessage } from 'node:http'
import { types } from 'node:util'
import { isObject } from '../../client/json'
import { NoSession } from '../browser-store'
import { type PendingLogin, type PendingLoginStore, parsePendingLogin } from '../pending-login'

const SESSION_KEY = 'passport-social-login'

/**
 * Keeps the login in progress in `req.session`, which any session middleware provides. If the session has a `save`
 * method (express-session, koa-session), its store has saved when the promises here resolve.
 *
 * @example
 * new Strategy({ ...options, store: new SessionStore() }, verify) // the default
 */
export class SessionStore implements PendingLoginStore {
  save(req: IncomingMessage, record: PendingLogin): Promise<void> | void {
    const session = requireSession(req)
    session[SESSION_KEY] = record
    return persist(session)
  }

  load(req: IncomingMessage): PendingLogin | undefined {
    return parsePendingLogin(requireSession(req)[SESSION_KEY])
  }

  // The record is marked, not removed: the second callback of a double click uses it to find the running login.
  consume(req: IncomingMessage, record: PendingLogin): Promise<void> | void {
    return this.save(req, { ...record, consumed: true })
  }
}

/** @throws NoSession where no session middleware has run, or it has failed to read the session */
function requireSession(req: IncomingMessage): Record<string, unknown> {
  const session: unknown = Reflect.get(req, 'session')
  if (!isSession(session)) throw new NoSession()
  return session
}

function isSession(value: unknown): value is Record<string, unknown> {
  return isObject(value)
}

function persist(session: Record<string, unknown>): Promise<void> | undefined {
  const { save } = session
  // The sessions of cookie-session and @fastify/secure-session have no `save`: they are part of the response.
  if (typeof save !== 'function') return undefined
  return new Promise((resolve, reject) => {
    const saving: unknown = save.call(session, (error: unknown) => (error ? reject(error) : resolve()))
    // Others return a promise; express-session calls back and returns the session.
    if (types.isPromise(saving)) saving.then(() => resolve(), reject)
  })
}
