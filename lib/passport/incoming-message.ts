import type { IncomingMessage } from 'node:http'
import { isObject, tryStringify } from '../client/response/json'
import type { HTTPRequest } from '../login/request/description'
import { refusePromise } from '../promises'
import { warnOnce } from '../warnings'
import type { AuthenticateOptions } from './options'

/** What frameworks and other middleware put on a request. */
type Incoming = IncomingMessage & {
  readonly session?: Readonly<{ passport?: { user?: unknown } | null; regenerate?: unknown; save?: unknown }> | null
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
  if (hasSessionUser(req) && Reflect.get(req, userPropertyOf(req)) === undefined) warnOnce('PASSPORT_SESSION_MISSING')
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

/** Who is signed in, as the option says; undefined without the option. */
type CurrentUser = (() => unknown) | undefined

/**
 * A string unique to the signed-in user; undefined if no one is signed in. It has the id of the user in Passport's session
 * and that of the user on the request, which differ where the application has its own sign-in, or lets someone act as
 * another user. The rest may change during a login (a token is refreshed, a name is edited). If neither has an id, it has
 * all that is not renewed of one of them, the session's first.
 * @throws TypeError if that cannot be JSON, or has no content as JSON
 */
export function currentUserKey(req: Incoming, currentUser?: CurrentUser): string | undefined {
  if (currentUser) return keyOfOption(currentUser())
  const users = usersOf(req)
  const identified = users.filter(({ user }) => hasID(user))
  const counted = identified.length > 0 ? identified : users.slice(0, 1)
  return counted.map(({ place, user }) => `${place}:${keyOf(user)}`).join(' ') || undefined
}

/** The users of a request, by their places. */
function usersOf(req: Incoming): { readonly place: string; readonly user: unknown }[] {
  const property = userPropertyOf(req)
  const places = [
    { place: 'session', user: sessionUser(req) },
    { place: 'user', user: req.user },
    ...(property === 'user' ? [] : [{ place: 'property', user: Reflect.get(req, property) }]),
  ]
  return places.filter(({ user }) => !isNobody(user))
}

function keyOfOption(user: unknown): string | undefined {
  refusePromise(user, 'currentUser must return the signed-in user or the id, not a promise')
  return isNobody(user) ? undefined : `user:${keyOf(user)}`
}

const NO_ID =
  'If every login ends so: the signed-in user has no id that is known (see currentUser), so all members count, and one of them changes with each request.'
const OUTSIDE_SESSION =
  'If every login ends so: something gives each visitor a new user at req.user, such as a guest, or sets req.user on one of the two routes only (that of the start, that of the callback): say by the option currentUser who is signed in.'

/** What may be the cause if the user seems to have changed. */
export function currentUserHint(req: Incoming, currentUser?: CurrentUser): string | undefined {
  const users = currentUser ? [currentUser()].filter((user) => !isNobody(user)) : usersOf(req).map(({ user }) => user)
  if (users.length > 0 && !users.some(hasID)) return NO_ID
  const isOfPassport = hasSessionUser(req) && new Set(users.filter(hasID).map(keyOf)).size === 1
  return currentUser || isOfPassport ? undefined : OUTSIDE_SESSION
}

export function hasSessionUser(req: Incoming): boolean {
  return !isNobody(sessionUser(req))
}

function sessionUser({ session }: Incoming): unknown {
  return session?.passport?.user
}

/** Like Passport, this accepts any truthy value as a user, and the id 0. */
function isNobody(user: unknown): boolean {
  return !user && user !== 0
}

function userPropertyOf({ _userProperty: property }: Incoming): string {
  return typeof property === 'string' ? property : 'user'
}

/** Whether Passport will keep the user in the session. (`@fastify/passport` does so without a `_sessionManager`.) */
export function isKept(req: Incoming, { session = true, assignProperty }: AuthenticateOptions): boolean {
  return session && !assignProperty && req._sessionManager !== undefined
}

/** Whether Passport could sign a user in: to keep one, its `req.logIn` calls `regenerate` and `save` of the session. */
export function canSignIn(req: Incoming, options: AuthenticateOptions): boolean {
  const { session } = req
  // Without a session Passport itself, or SessionStore, names the missing middleware.
  if (!session || !isKept(req, options)) return true
  return typeof session.regenerate === 'function' && typeof session.save === 'function'
}

/** The id with its issuer, because the id of a profile is unique at its provider alone. All of a user without an id. */
function keyOf(user: unknown): string {
  if (!isObject(user)) return asText(user)
  const issuers = [user['provider'], user['iss']].filter((issuer) => typeof issuer === 'string')
  return [...issuers.map((issuer) => JSON.stringify(issuer)), asText(idOf(user) ?? withoutRenewed(user))].join(' ')
}

/** Where users have their id, in this order. */
const ID_NAMES = ['id', '_id', 'sub', 'userId', 'userID', 'user_id', 'uid', 'uuid', 'oid', 'username', 'email']
/** What identifies no one: a token that is renewed has others. */
const RENEWED = ['iat', 'exp', 'nbf', 'jti', 'auth_time']

function idOf(user: Readonly<Record<string, unknown>>): unknown {
  return ID_NAMES.map((name) => user[name]).find(
    (id) => id !== undefined && id !== null && id !== '' && !Number.isNaN(id),
  )
}

/** Whether it is an object with an id, or an id itself. */
function hasID(user: unknown): boolean {
  return isObject(user) ? idOf(user) !== undefined : !isNobody(user)
}

function withoutRenewed(user: object): object {
  return Object.fromEntries(Object.entries(user).filter(([name]) => !RENEWED.includes(name)))
}

function asText(value: unknown): string {
  // Nothing tells one symbol from another of its description.
  if (typeof value !== 'object' && typeof value !== 'symbol') return `${typeof value} ${value}`
  const text = tryStringify(value)
  // Objects with private fields, and maps, are all `{}`.
  if (text !== undefined && hasContent(JSON.parse(text))) return text
  throw new TypeError('The signed-in user cannot be identified: give the user an id, or let serializeUser return JSON')
}

function hasContent(value: unknown): boolean {
  if (typeof value !== 'object') return true
  return value !== null && Object.values(value).some(hasContent)
}
