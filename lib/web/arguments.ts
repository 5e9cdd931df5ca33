import { isThenable } from '../client/deadline'
import { refuseUnknown } from '../client/option-values'
import type { HTTPRequest } from '../login/request-headers'
import type { UserID } from './options'

/** The request as the browser sent it, except for the origin of its URL, which is that of the server behind any proxy. */
export function httpRequest({ method, url, headers }: Request): HTTPRequest {
  // Host is not needed: the application's origin is that of `callbackURL`.
  return { method, target: url, host: undefined, header: (name) => headers.get(name) ?? undefined }
}

/** @throws TypeError for anything but a Request, for an option that does not exist, and for a missing `user` */
export function checkCall(request: Request, options: object, known: object): void {
  if (typeof request?.url !== 'string' || typeof request.headers?.get !== 'function') {
    throw new TypeError('The first argument must be a Request of the Fetch standard (in Hono: c.req.raw)')
  }
  if (typeof options !== 'object' || options === null || !('user' in options)) {
    throw new TypeError('user is missing: give the id of the signed-in user, or null')
  }
  refuseUnknown('this call', options, known)
}

/**
 * A string unique to the signed-in user; undefined if there is none.
 *
 * @throws TypeError for what cannot be the id of a user
 */
export function userKey(user: UserID): string | undefined {
  if (user === undefined || user === null || user === '' || user === false) return undefined
  if (isThenable(user)) {
    // A rejected promise must not crash the process.
    Promise.resolve(user).catch(() => {})
    throw new TypeError('user must be the id of the signed-in user, not a promise: await it first')
  }
  const isID = typeof user === 'string' || typeof user === 'bigint' || Number.isFinite(user)
  if (!isID) {
    const ids = 'a string, a finite number or a bigint, or null for nobody'
    throw new TypeError(`user must be the id of the signed-in user: ${ids}, not of the type ${typeof user}`)
  }
  return `user:${typeof user} ${user}`
}
