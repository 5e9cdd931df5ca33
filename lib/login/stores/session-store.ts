import type { IncomingMessage } from 'node:http'
import { types } from 'node:util'
import { isObject } from '../../client/json'
import { NoSession } from '../browser-store'
import { type PendingLogin, type PendingLoginStore, parsePendingLogin, remainderOf } from '../pending-login'

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
    keepWhenRenewed(req, remainderOf(record))
    return this.save(req, { ...record, consumed: true })
  }
}

/**
 * Passport renews the session when it signs the user in. What tells a reload from another login is put into the new session
 * before Passport saves that: later would be one more write, and could undo a logout.
 */
function keepWhenRenewed(req: IncomingMessage, record: PendingLogin): void {
  const session = requireSession(req)
  const { regenerate } = session
  if (typeof regenerate !== 'function') return
  const keep = (): void => {
    const renewed: unknown = Reflect.get(req, 'session')
    if (isSession(renewed)) renewed[SESSION_KEY] = record
  }
  const value = (...args: unknown[]): unknown => {
    const given = args.map((arg) => {
      if (typeof arg !== 'function') return arg
      return (...results: unknown[]): unknown => {
        keep()
        return Reflect.apply(arg, undefined, results)
      }
    })
    const renewing: unknown = Reflect.apply(regenerate, session, given)
    return types.isPromise(renewing) ? renewing.then(keep) : renewing
  }
  // Not enumerable, because some stores copy the members of a session.
  Reflect.defineProperty(session, 'regenerate', { value, configurable: true, writable: true })
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
