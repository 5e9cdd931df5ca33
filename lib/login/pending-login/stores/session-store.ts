import type { IncomingMessage, ServerResponse } from 'node:http'
import { types } from 'node:util'
import { checkArguments } from '../../../arguments'
import { isObject } from '../../../client/response/json'
import { warnOnce } from '../../../warnings'
import { type PendingLogin, parsePendingLogin } from '../pending-login'
import { NoSession, type PendingLoginStore, WITH_RECORD, WITH_REQUEST } from '../store'
import { otherHostHint } from './cookie-hints'

const SESSION_KEY = 'passport-social-login'

const NO_COOKIE =
  'The browser sent no cookie at all: it blocks them, or the callback was opened in another browser than the start (the app of the provider, the browser inside of an app, an app on the home screen), or the session cookie is SameSite=Strict, or Secure on plain http, or of another host, or expired (its maxAge is in milliseconds).'
const NO_SESSION_COOKIE = 'The browser sent cookies, but none of a session that has a login in it.'
const UNKNOWN_SESSION =
  'A session cookie came, but its session is not known here: the application was restarted with its sessions in memory, each of several processes has a store of its own, the secret was changed, or a cookie of the same name came instead, an old one, or that of another application on this host, whatever its port (then give the cookie a name of its own).'
const SESSION_WITHOUT_LOGIN =
  'The session came, but there is no login in it: it is over (a reload, a second click), none was started, somebody has signed out since, or a slower request has saved an older copy of the session.'

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

  explain(req: IncomingMessage): string {
    checkArguments('SessionStore', WITH_REQUEST, [req])
    const { headers, sessionID: id }: SessionRequest = req
    const { cookie, host } = headers
    if (!cookie) return NO_COOKIE + otherHostHint(host)
    // express-session makes a new id where it does not find the cookie's session. Its cookie is `s:ID.SIGNATURE`.
    if (typeof id === 'string' && id !== '' && cookie.includes(id)) return SESSION_WITHOUT_LOGIN
    return /=s(?:%3A|:)/i.test(cookie) ? UNKNOWN_SESSION : NO_SESSION_COOKIE
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
