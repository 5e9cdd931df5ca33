import { mentionsKey } from '../web/request-target'

// Excludes the characters that Express would treat as a route pattern.
const PLAIN_PATH = /^(?:\/[\w.~-]+)+\/?$/
const VISIBLE_ASCII = /^[\x21-\x7e]+$/
/** All routes of the application except the home page and the callback. */
export const OWN_PATHS = [
  '/login',
  '/login/confirm',
  '/logout',
  '/auth/social-login',
  '/profile',
  '/profile/reload',
  '/account',
  '/account/link',
  '/account/unlink',
  '/account/sign-out-everywhere',
  '/healthz',
  '/style.css',
  '/back.js',
  '/icon.svg',
]
const EXAMPLE = 'such as /auth/social-login/callback'

/** Says what a callback URL must be like if it cannot be used. */
export function callbackProblem(url: string): string | undefined {
  const { pathname, search, hash } = new URL(url)
  if (!PLAIN_PATH.test(pathname) || hash !== '' || !VISIBLE_ASCII.test(url)) {
    return `must have a path of letters, digits and -._~ and no fragment, ${EXAMPLE}.`
  }
  if (mentionsKey(pathname + search)) return `must not hold an auth_key: the provider adds it to a URL ${EXAMPLE}.`
  if (OWN_PATHS.includes(pathname.toLowerCase().replace(/\/$/, ''))) {
    return `must have another path, ${EXAMPLE}: ${pathname} is a page of the application already.`
  }
  return undefined
}
