import { cookiesOf } from '../login/request/cookies'
import { isLoopbackHost } from '../login/request/paths'
import { warnOnce } from '../warnings'
import { hasSessionUser, isKept } from './incoming-message'
import type { AuthenticateOptions } from './options'
import type { Request } from './verify-types'

/**
 * Warns where the response to a login will leave no one signed in: Passport keeps the user in a session, whose cookie the
 * browser does not get. This is seen when the response has been sent, whatever keeps the session.
 * @param appOrigin the application's own origin, as far as it is known
 */
export function warnOfLostSession(req: Request, options: AuthenticateOptions, appOrigin: string | undefined): void {
  const { res } = req
  // The headers of Fastify's response are not on that of Node.
  if (!isKept(req, options) || typeof req.pipe !== 'function' || typeof res?.getHeader !== 'function') return
  res.on?.('finish', () => {
    // A custom callback may sign no one in, and send a token instead.
    if (!hasSessionUser(req)) return
    // Passport has renewed the session: express-session tells its new id.
    const id: unknown = Reflect.get(req, 'sessionID')
    const isOwn = typeof id === 'string' ? (line: string) => line.includes(id) : isOfApplication
    const own = cookiesOf(res).filter(isOwn)
    const isSentAlready = typeof id === 'string' && req.headers.cookie?.includes(id)
    if (own.length === 0 && !isSentAlready) warnOnce('SESSION_COOKIE_NOT_SET')
    else if (isReachedByHTTPS(req, appOrigin) && own.length > 0 && !own.some((line) => /;\s*secure/i.test(line)))
      warnOnce('SESSION_COOKIE_INSECURE')
  })
}

function isOfApplication(line: string): boolean {
  return !/^(__Host-)?social-login/.test(line) && !/;\s*max-age=0\b/i.test(line)
}

/** Whether browsers reach the application by https: a test of this machine may give the URL of production. */
function isReachedByHTTPS({ headers }: Request, appOrigin: string | undefined): boolean {
  return appOrigin?.startsWith('https:') === true && (!isLoopbackHost(headers.host) || 'x-forwarded-proto' in headers)
}
