import type { IncomingMessage } from 'node:http'
import { isObject } from '../client/json'
import type { HTTPRequest } from '../login/request-headers'

/** The request as the browser sent it. */
export function httpRequest(req: IncomingMessage): HTTPRequest {
  // Express and Connect take the path of a mounted application off `url`.
  const original: unknown = Reflect.get(req, 'originalUrl')
  return {
    method: req.method,
    target: typeof original === 'string' ? original : (req.url ?? '/'),
    headers: req.headers,
  }
}

/**
 * Who is signed in, as a text that differs between users: what Passport keeps of the user in the session, else the id
 * of `req.user` (`id`, `_id` or `sub`), which applications without sessions set. Undefined for nobody.
 */
export function currentUserKey(req: IncomingMessage): string | undefined {
  const session: unknown = Reflect.get(req, 'session')
  const passport = isObject(session) ? session['passport'] : undefined
  const serialized = isObject(passport) ? passport['user'] : undefined
  // As Passport reads it: any truthy value, or the id 0.
  if (serialized || serialized === 0) return `session:${asText(serialized)}`
  const user: unknown = Reflect.get(req, 'user')
  if (!user) return undefined
  return `user:${asText(isObject(user) ? (user['id'] ?? user['_id'] ?? user['sub']) : user)}`
}

function asText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : `${typeof value} ${String(value)}`
}
