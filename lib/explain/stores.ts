import { RETENTION_MS } from '../limits'

// Why a browser's login was not found. Each sentence says what came, and then all causes, the likeliest first.

const OVER = 'it is over (a reload, a second click)'
const OTHER_BROWSER =
  'the callback was opened in another browser than the start (the app of the provider, the browser inside of an app, an app on the home screen)'
const OTHER_HOST =
  ' Start and return on one host: cookies of localhost are not sent to 127.0.0.1, nor those of 127.0.0.1 to localhost.'

const NO_SESSION_COOKIE_AT_ALL = `The browser sent no cookie at all: it blocks them, or ${OTHER_BROWSER}, or the session cookie is SameSite=Strict, or Secure on plain http, or of another host, or expired (its maxAge is in milliseconds).`
const NO_SESSION_COOKIE = 'The browser sent cookies, but none of a session that has a login in it.'
const UNKNOWN_SESSION =
  'A session cookie came, but its session is not known here: the application was restarted with its sessions in memory, each of several processes has its own store, the session has expired (maxAge is in milliseconds, and expires a Date), its store answers from an older copy, the secret was changed, or a cookie of the same name came instead, an old one, or that of another application on this host, whatever its port (then give the cookie its own name).'
const SESSION_WITHOUT_LOGIN = `The session came, but there is no login in it: ${OVER}, none was started, someone has signed out since, or a slower request has saved an older copy of the session.`

/** What a request shows of the session in which a login should be. */
export interface SessionFacts {
  readonly cookie: string
  readonly sessionID: unknown
  /** Whether the request came to this machine, which has two names that do not share cookies. */
  readonly isLoopback: boolean
}

export function missingInSession({ cookie, sessionID: id, isLoopback }: SessionFacts): string {
  if (cookie === '') return NO_SESSION_COOKIE_AT_ALL + (isLoopback ? OTHER_HOST : '')
  // express-session makes a new id where it does not find the cookie's session. Its cookie is `s:ID.SIGNATURE`.
  if (typeof id === 'string' && id !== '' && cookie.includes(id)) return SESSION_WITHOUT_LOGIN
  return /=s(?:%3A|:)/i.test(cookie) ? UNKNOWN_SESSION : NO_SESSION_COOKIE
}

const NO_COOKIE = `The browser sent no cookie at all, so not that of the login either: the login is over (a reload, a second click), the browser blocks cookies, the login was started on another host, or ${OTHER_BROWSER}.`
const OTHER_COOKIES = `The browser sent cookies, but not that of the login: ${OVER}, none was started in the last ${RETENTION_MS / 60_000} minutes, or the browser or something in front of the application has dropped it.`
const UNREADABLE =
  'The cookie of the login came, but cannot be opened: its keys have been changed, or it came twice, so that one was planted.'
const DROPPED =
  ' It is Secure: by plain http, even on localhost, Safari and some test agents keep no such cookie. With the whole callbackURL, such as http://localhost:3000/auth/callback, it is set without Secure there.'

/** What a request shows of the cookie in which a login should be. */
export interface CookieFacts {
  readonly cookie: string
  /** Whether the cookie of the login came. */
  readonly hasCookie: boolean
  /** Whether browsers may have dropped it, because it is Secure and the request came by plain http. */
  readonly isDropped: boolean
  readonly isLoopback: boolean
}

export function missingCookie({ cookie, hasCookie, isDropped, isLoopback }: CookieFacts): string {
  if (hasCookie) return UNREADABLE
  const cause = cookie === '' ? NO_COOKIE : OTHER_COOKIES
  return cause + (isDropped ? DROPPED : isLoopback ? OTHER_HOST : '')
}

export const NO_SESSION = 'The request has no session.'
export const STORE_TIMEOUT = 'The store did not answer within the timeout option.'
export const STORE_ERROR = 'The store reported an error.'
export const NO_RESPONSE_FOR_COOKIE =
  'CookieStore needs req.res: set it to the response before passport.authenticate().'
