import { isLoopback } from '../../../client/option-values'
import { parseURL } from '../../../client/url'
import { RETENTION_MS } from '../../../limits'
import type { PendingLogin } from '../pending-login'
import { otherHostHint } from './cookie-hints'
import { type CookieStoreOptions, SealedCookie } from './sealed-cookie'

const NO_COOKIE =
  'The browser sent no cookie at all, so not that of the login either: the login is over (a reload, a second click), the browser blocks cookies, the login was started on another host, or the callback was opened in another browser than the start (the app of the provider, the browser inside of an app, an app on the home screen).'
const OTHER_COOKIES = `The browser sent cookies, but not that of the login: it is over (a reload, a second click), none was started in the last ${RETENTION_MS / 60_000} minutes, or the browser or something in front of the application has dropped it.`
const UNREADABLE =
  'The cookie of the login came, but cannot be opened: its keys have been changed, or it came twice, so that one was planted.'
const DROPPED =
  ' It is Secure: by plain http, even on localhost, Safari and some test agents keep no such cookie. With the whole callbackURL, such as http://localhost:3000/auth/callback, it is set without Secure there.'

/** The cookie of the login in progress. */
export class LoginCookies {
  /** Each holds the same login, because browsers differ in which they keep. */
  readonly #pending: readonly SealedCookie[]

  /** @param callbackURL if plain http on this machine, a cookie without `Secure` is also set: Safari keeps no other */
  constructor(options: CookieStoreOptions, callbackURL?: string) {
    const isPlain = isPlainLoopback(callbackURL) && !options.allowInsecureHTTP
    const last = isPlain ? { ...options, allowInsecureHTTP: true } : options
    this.#pending = (isPlain ? [options, last] : [last]).map((variant) => new SealedCookie(variant))
  }

  start(record: PendingLogin): Promise<string[]> {
    return Promise.all(this.#pending.map((cookie) => cookie.seal(record)))
  }

  async open(header: string): Promise<PendingLogin | undefined> {
    // The first cookie that is there decides: if it cannot be opened, it was planted, and so may be the others.
    return this.#pending.find((cookie) => cookie.isIn(header))?.open(header)
  }

  /** A second callback that the browser has sent before still has the cookie, and finds its login by it. */
  end(): string[] {
    return this.#pending.map((cookie) => cookie.end())
  }

  /** @param isPlain whether the request came by plain http, as far as is known */
  explain(header: string, host: string | undefined, isPlain: boolean): string {
    if (this.#pending.some((cookie) => cookie.isIn(header))) return UNREADABLE
    const cause = header === '' ? NO_COOKIE : OTHER_COOKIES
    const isDropped = isPlain && this.#pending.every((cookie) => cookie.isSecure)
    return cause + (isDropped ? DROPPED : otherHostHint(host))
  }

  isSetBy(line: string): boolean {
    return this.#pending.some((cookie) => cookie.isSetBy(line))
  }
}

function isPlainLoopback(callbackURL: string | undefined): boolean {
  const url = callbackURL === undefined ? undefined : parseURL(callbackURL)
  return url?.protocol === 'http:' && isLoopback(url.hostname)
}
