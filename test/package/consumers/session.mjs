// A session in a signed cookie, for applications whose framework brings none.
import { createHmac } from 'node:crypto'

const sign = (text) => createHmac('sha256', 'session-secret').update(text).digest('base64url')

/** A value of `Set-Cookie` that signs a user in. */
export function sessionOf(user) {
  const value = Buffer.from(user).toString('base64url')
  return `sid=${value}.${sign(value)}; Path=/; HttpOnly; SameSite=Lax`
}

/** The user who is signed in, by the request's header `Cookie`. */
export function userIn(request) {
  const [, value = '', signature] = /(?:^|; )sid=([\w-]+)\.([\w-]+)/.exec(request.headers.get('cookie') ?? '') ?? []
  return signature === sign(value) ? Buffer.from(value, 'base64url').toString() : undefined
}
