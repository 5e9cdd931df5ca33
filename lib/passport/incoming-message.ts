import type { IncomingMessage } from 'node:http'
import { isObject, tryStringify } from '../client/response/json'
import type { HTTPRequest } from '../login/request/headers'
import { warnOnce } from '../warnings'
import type { AuthenticateOptions } from './options'

/** What frameworks and other middleware put on a request. */
type Incoming = IncomingMessage & {
  readonly session?: unknown
  readonly user?: unknown
  /** Where Passport puts the user, by the option of its `initialize()`. */
  readonly _userProperty?: unknown
  readonly _sessionManager?: unknown
}

/** A `Request` of the Fetch standard has a `Headers` object, so all of its headers would count as absent. */
export function foreignRequest({ headers }: IncomingMessage): TypeError | undefined {
  if (isObject(headers) && typeof headers['get'] !== 'function') return undefined
  return new TypeError(
    'The strategy needs a request of Node (http.IncomingMessage): for a Request of the Fetch standard there is SocialLogin of passport-social-login/web.',
  )
}

/**
 * Warns of an application without `passport.session()`, which puts the session's user on the request, or removes one
 * who no longer exists.
 */
export function warnOfMissingPassportSession(req: Incoming): void {
  if (isPresent(sessionUser(req)) && requestUser(req) === undefined) warnOnce('PASSPORT_SESSION_MISSING')
}

export function httpRequest(
  req: Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { readonly originalUrl?: unknown },
): HTTPRequest {
  // Express and Connect strip the mount path from `url`.
  const { method, url = '/', originalUrl: original, headers } = req
  const header = (name: string): string | undefined => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }
  const target = typeof original === 'string' ? original : url
  // No header of HTTP/1 can have the name `:authority`.
  return { method, target, host: header('host') ?? header(':authority'), header }
}

/**
 * A string unique to the signed-in user; undefined if nobody is signed in. It has the id (`id`, `_id` or `sub`) of what
 * Passport stores of the user in the session, else of the user on the request, because the rest may change during a
 * login (a token is refreshed, a name is edited). If neither has an id, it has all of what Passport stores.
 * @throws TypeError if that cannot be JSON, or is empty as JSON
 */
export function currentUserKey(req: Incoming): string | undefined {
  const [serialized, user] = [sessionUser(req), requestUser(req)]
  if (isPresent(serialized) && (idOf(serialized) !== undefined || idOf(user) === undefined))
    return `session:${keyOf(serialized)}`
  return user ? `user:${keyOf(user)}` : undefined
}

function sessionUser({ session }: Incoming): unknown {
  const passport = isObject(session) ? session['passport'] : undefined
  return isObject(passport) ? passport['user'] : undefined
}

/** Like Passport, this accepts any truthy value, and the id 0. */
function isPresent(serialized: unknown): boolean {
  return Boolean(serialized) || serialized === 0
}

function requestUser(req: Incoming): unknown {
  const { _userProperty: property } = req
  return typeof property === 'string' ? Reflect.get(req, property) : req.user
}

/**
 * Whether Passport could sign a user in. Its `req.logIn` calls `regenerate` and `save` of the session, unless the
 * options keep it from that. (`@fastify/passport` has its own, and sets no `_sessionManager`.)
 */
export function canSignIn(req: Incoming, { session = true, assignProperty }: AuthenticateOptions): boolean {
  if (!session || assignProperty || !req._sessionManager) return true
  const { session: current } = req
  // Without a session Passport itself, or SessionStore, names the missing middleware.
  if (!isObject(current)) return true
  return typeof current['regenerate'] === 'function' && typeof current['save'] === 'function'
}

/** The id with its issuer, because the id of a profile is unique at its provider alone. All of a user without an id. */
function keyOf(user: unknown): string {
  const { provider, iss } = isObject(user) ? user : {}
  const issuers = [provider, iss].filter((issuer) => typeof issuer === 'string')
  return [...issuers.map((issuer) => JSON.stringify(issuer)), asText(idOf(user) ?? user)].join(' ')
}

/** The id of an object, or anything else as it is; undefined for an object without an id. */
function idOf(user: unknown): unknown {
  return isObject(user) ? (user['id'] ?? user['_id'] ?? user['sub']) : (user ?? undefined)
}

function asText(value: unknown): string {
  if (typeof value !== 'object') return `${typeof value} ${String(value)}`
  const text = tryStringify(value)
  // Objects with private fields are all `{}`.
  if (text !== undefined && text !== '{}') return text
  throw new TypeError('The signed-in user cannot be identified: give the user an id, or let serializeUser return JSON')
}
