import type { IncomingMessage, ServerResponse } from 'node:http'
import { types } from 'node:util'
import { isObject } from '../../../client/response/json'
import { missingInSession } from '../../../explain/stores'
import { checkArguments } from '../../../values'
import { warnOnce } from '../../../warnings'
import { isLoopbackOrigin } from '../../request/paths'
import { type PendingLogin, parsePendingLogin } from '../pending-login'
import { NoSession, type PendingLoginStore, WITH_RECORD, WITH_REQUEST } from '../store'

const SESSION_KEY = 'passport-social-login'

/** What express-session puts on a request, or another session middleware; and Express. */
type SessionRequest = IncomingMessage & {
  readonly session?: unknown
  readonly sessionID?: unknown
  readonly res?: unknown
}

/**
 * Keeps the login in progress in `req.session`, which any session middleware provides. If the session has a `save`
 * method (express-session, koa-session), its store has saved when the promises here resolve.
 * @example
 * new Strategy({ ...options, store: new SessionStore() }, verify) // the default
 */
export class SessionStore implements PendingLoginStore {
  save(req: IncomingMessage, record: PendingLogin): Promise<void> | void {
    checkArguments('SessionStore', WITH_RECORD, [req, record])
    const session = requireSession(req)
    warnOfLostCookie(req, session)
    return put(session, record)
  }

  load(req: IncomingMessage): PendingLogin | undefined {
    checkArguments('SessionStore', WITH_REQUEST, [req])
    return parsePendingLogin(requireSession(req)[SESSION_KEY])
  }

  explain(req: IncomingMessage, appOrigin?: string): string {
    checkArguments('SessionStore', WITH_REQUEST, [req])
    const { headers, sessionID }: SessionRequest = req
    return missingInSession({
      cookie: headers.cookie ?? '',
      sessionID,
      isLoopback: isLoopbackOrigin(appOrigin ?? `http://${headers.host}`),
    })
  }

  // The record is marked, not removed: the second callback of a double click uses it to find the running login.
  consume(req: IncomingMessage, record: PendingLogin): Promise<void> | void {
    checkArguments('SessionStore', WITH_RECORD, [req, record])
    return put(requireSession(req), Object.assign({}, record, { consumed: true as const }))
  }
}

/** Warns of a cookie of express-session that the browser will not send with the callback, or never gets. */
function warnOfLostCookie(req: SessionRequest, { cookie }: Record<string, unknown>): void {
  if (!isObject(cookie)) return
  if (cookie['sameSite'] === true || cookie['sameSite'] === 'strict') warnOnce('SESSION_COOKIE_STRICT')
  const { sessionID: id, res: response } = req
  if (cookie['secure'] !== true || typeof id !== 'string' || req.headers.cookie?.includes(id)) return
  if (!isResponse(response)) return
  // express-session sets the cookie, or not, when the headers are sent.
  response.once('finish', () => {
    const isSet = [response.getHeader('set-cookie')].flat().some((line) => String(line).includes(id))
    if (!isSet) warnOnce('SESSION_COOKIE_NOT_SET')
  })
}

/** Over HTTP/2, Node's response is of another class. */
function isResponse(value: unknown): value is Pick<ServerResponse, 'once' | 'getHeader'> {
  return ['once', 'getHeader'].every((method) => typeof Reflect.get(Object(value), method) === 'function')
}

/** @throws NoSession where no session middleware has run, or it has failed to read the session */
function requireSession({ session }: SessionRequest): Record<string, unknown> {
  if (!isObject(session)) throw new NoSession()
  return session
}

function put(session: Record<string, unknown>, record: PendingLogin): Promise<void> | undefined {
  session[SESSION_KEY] = record
  const { save } = session
  // The sessions of cookie-session and @fastify/secure-session have no `save`: they are part of the response.
  if (typeof save !== 'function') return undefined
  return new Promise((resolve, reject) => {
    const saving: unknown = save.call(session, (error: unknown) => (error ? reject(error) : resolve()))
    // express-session calls back, and returns the session; other sessions return a promise.
    if (types.isPromise(saving)) saving.then(() => resolve(), reject)
  })
}
