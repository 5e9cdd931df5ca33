import { mentionsKey } from '../web/request-target'

// Excludes the characters that Express would treat as a route pattern.
const PLAIN_PATH = /^(?:\/[\w.~-]+)+\/?$/
const VISIBLE_ASCII = /^[\x21-\x7e]+$/

/** The routes at which the logins of a community begin. */
export interface CommunityPaths {
  readonly startPath: string
  /** For a login that is added to the signed-in account. */
  readonly linkPath: string
}

/** Of the first community, and of the second. */
export const COMMUNITY_PATHS: readonly [CommunityPaths, CommunityPaths] = [
  { startPath: '/auth/social-login', linkPath: '/account/link' },
  { startPath: '/auth/social-login-2', linkPath: '/account/link-2' },
]

/** All routes of the application except the home page and the callbacks. */
export const OWN_PATHS = [
  ...COMMUNITY_PATHS.flatMap(({ startPath, linkPath }) => [startPath, linkPath]),
  '/login',
  '/login/confirm',
  '/logout',
  '/profile',
  '/profile/reload',
  '/account',
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
  if (OWN_PATHS.includes(routeOf(pathname))) {
    return `must have another path, ${EXAMPLE}: ${pathname} is a page of the application already.`
  }
  return undefined
}

/** The callback URLs of both communities. Those that are not configured are of one origin, too. */
export function callbackURLs(first: string | undefined, second: string | undefined, port: number): [string, string] {
  const [firstPaths, secondPaths] = COMMUNITY_PATHS
  const one = first ?? `http://localhost:${port}${firstPaths.startPath}/callback`
  return [one, second ?? new URL(`${secondPaths.startPath}/callback`, one).href]
}

/** Whether Express would take one for the other. */
export function isSameRoute(path: string, other: string): boolean {
  return routeOf(path) === routeOf(other)
}

function routeOf(path: string): string {
  return path.toLowerCase().replace(/\/$/, '')
}
