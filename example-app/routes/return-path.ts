import { mentionsKey } from '../security/stray-keys'

const START = '/profile'
const NO_PLACE_TO_RETURN_TO = ['/login', '/logout', '/auth/social-login']

/**
 * Where a login leads to: the path that it was begun with, which the strategy has checked to be one of ours. Not back
 * into signing in or out: "Continue" would begin another login.
 */
export function returnPath(given: string | undefined, callbackPath: string): string {
  if (given === undefined || mentionsKey(given)) return START
  const { pathname } = new URL(given, 'http://localhost')
  const path = `${pathname.replace(/\/{2,}/g, '/').toLowerCase()}/`
  const isRefused = [...NO_PLACE_TO_RETURN_TO, callbackPath].some((root) => path.startsWith(`${root.toLowerCase()}/`))
  return isRefused ? START : given
}
