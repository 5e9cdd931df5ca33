import type { IncomingMessage } from 'node:http'
import { isObject, tryStringify } from '../client/json'
import type { HTTPRequest } from '../login/request-headers'
import type { AuthenticateOptions } from './options'

/** The request as the browser sent it. */
export function httpRequest(req: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): HTTPRequest {
  const { method, url = '/', headers } = req
  // Express and Connect strip the mount path from `url`.
  const original: unknown = Reflect.get(req, 'originalUrl')
  const header = (name: string): string | undefined => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }
  const target = typeof original === 'string' ? original : url
  // No header of HTTP/1 can have the name `:authority`.
  return { method, target, host: header('host') ?? header(':authority'), header }
}

/**
 * A string unique to the signed-in user: what Passport stores of the user in the session, else the id (`id`, `_id` or
 * `sub`) of the user on the request, or that whole user. Undefined if there is none.
 *
 * @throws TypeError for a user whose id, or a user without one who, cannot be JSON or is empty as JSON
 */
export function currentUserKey(req: IncomingMessage): string | undefined {
  const session: unknown = Reflect.get(req, 'session')
  const passport = isObject(session) ? session['passport'] : undefined
  const serialized = isObject(passport) ? passport['user'] : undefined
  // Like Passport, this accepts any truthy value, and the id 0.
  if (serialized || serialized === 0) return `session:${asText(serialized)}`
  // Passport's `initialize({ userProperty })` sets it.
  const property: unknown = Reflect.get(req, '_userProperty')
  const user: unknown = Reflect.get(req, typeof property === 'string' ? property : 'user')
  if (!user) return undefined
  return `user:${asText(isObject(user) ? (user['id'] ?? user['_id'] ?? user['sub'] ?? user) : user)}`
}

/**
 * Whether Passport could sign a user in. Its `req.logIn` calls `regenerate` and `save` of the session, unless the
 * options keep it from that. (`@fastify/passport` has its own, and sets no `_sessionManager`.)
 */
export function canSignIn(req: IncomingMessage, { session = true, assignProperty }: AuthenticateOptions): boolean {
  if (!session || assignProperty || !Reflect.get(req, '_sessionManager')) return true
  const current: unknown = Reflect.get(req, 'session')
  // Without a session Passport itself, or SessionStore, names the missing middleware.
  if (!isObject(current)) return true
  return typeof current['regenerate'] === 'function' && typeof current['save'] === 'function'
}

function asText(value: unknown): string {
  if (typeof value !== 'object') return `${typeof value} ${String(value)}`
  const text = tryStringify(value)
  // Objects with private fields are all `{}`.
  if (text !== undefined && text !== '{}') return text
  throw new TypeError('The signed-in user cannot be identified: give the user an id, or let serializeUser return JSON')
}
