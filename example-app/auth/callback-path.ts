import { mentionsKey } from '../web/request-target'

// What Express would read as a pattern is no character of a callback path here.
const PLAIN_PATH = /^(?:\/[\w.~-]+)+\/?$/
const VISIBLE_ASCII = /^[\x21-\x7e]+$/
/** The routes of the application, but for home and the callback. */
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
  '/guard.js',
  '/icon.svg',
]
const EXAMPLE = 'such as /auth/social-login/callback'

/** What is wrong with a callback URL: how it must be instead. */
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
