import { parseCookie, stringifySetCookie } from 'cookie'
import type { ProviderRequest } from '../http/request'
import type { FakeUser } from '../types'
import type { State } from './state'

/** The user as whom the browser is signed in. Its cookie holds the id, because no one here has a password. */
export function signedInUser({ headers, origin }: ProviderRequest, { users }: State): FakeUser | undefined {
  return users.get(parseCookie(headers.cookie ?? '')[cookieName(origin)] ?? '')
}

/** The `Set-Cookie` header that signs a browser in, or out without an id. */
export function sessionCookie(origin: string, userID = ''): string {
  const options = { path: '/', httpOnly: true, sameSite: 'lax' } as const
  return stringifySetCookie(cookieName(origin), userID, userID === '' ? { ...options, maxAge: 0 } : options)
}

/** The name has the provider's port, because a browser sends its cookies to all ports of a host. */
function cookieName(origin: string): string {
  return `fake_provider_session_${new URL(origin).port}`
}
