import type { IncomingMessage } from 'node:http'
import { parseURL } from '../../../client/url'
import { isLoopback } from '../../../client/url-options'
import { SocialLoginError } from '../../../errors'
import { missingCookie, NO_RESPONSE_FOR_COOKIE } from '../../../explain/stores'
import { checkArguments } from '../../../values'
import { appendCookies, type CookieResponse } from '../../request/cookies'
import { isLoopbackOrigin } from '../../request/paths'
import { type PendingLogin, parsePendingLogin } from '../pending-login'
import { type PendingLoginStore, WITH_RECORD, WITH_REQUEST } from '../store'
import { type CookieStoreOptions, SealedCookie } from './sealed-cookie'

/**
 * Keeps the login in progress in its own cookie, sealed with AES-256-GCM. No session is needed, nothing is stored on
 * the server, and people can sign in under an application session with `SameSite=Strict`. (A signed-in user then looks
 * signed out at the callback, and gets `user_changed`.)
 *
 * A cookie cannot be invalidated. Within one process, a record is used once. A copy that reaches another process before
 * the login expires can be used there, too, with another key.
 *
 * The store needs the response. Express sets `req.res`; elsewhere set it before `passport.authenticate()`.
 * @example
 * const { LOGIN_COOKIE_KEY = '' } = process.env
 * new Strategy({ ...options, store: new CookieStore({ keys: [LOGIN_COOKIE_KEY] }) }, verify)
 */
export class CookieStore implements PendingLoginStore {
  readonly #options: CookieStoreOptions
  #cookies: LoginCookies
  /** Whether the scheme of the callback is known. */
  #isOriginKnown = false

  /** @throws TypeError when a key is too short or the name is not a valid cookie name */
  constructor(options: CookieStoreOptions) {
    this.#options = options
    this.#cookies = new LoginCookies(options)
  }

  /** @internal The same store for a strategy with this callback, which tells whether browsers keep `Secure` cookies. */
  forCallback(callbackURL: string | undefined): CookieStore {
    const store = new CookieStore(this.#options)
    store.#cookies = new LoginCookies(this.#options, callbackURL)
    store.#isOriginKnown = callbackURL?.startsWith('http') === true
    return store
  }

  async save(req: IncomingMessage, record: PendingLogin): Promise<void> {
    checkArguments('CookieStore', WITH_RECORD, [req, record])
    appendCookies(responseOf(req, 'start'), this.#cookies.start(record))
  }

  async load(req: IncomingMessage): Promise<PendingLogin | undefined> {
    checkArguments('CookieStore', WITH_REQUEST, [req])
    return this.#cookies.open(req.headers.cookie ?? '')
  }

  async consume(req: IncomingMessage, record: PendingLogin): Promise<void> {
    checkArguments('CookieStore', WITH_RECORD, [req, record])
    appendCookies(responseOf(req, 'callback'), this.#cookies.end())
  }

  explain(req: IncomingMessage, appOrigin?: string): string {
    checkArguments('CookieStore', WITH_REQUEST, [req])
    const { cookie = '', host } = req.headers
    const isProxied = 'x-forwarded-proto' in req.headers || 'forwarded' in req.headers
    const isPlain = !this.#isOriginKnown && !isProxied && !('encrypted' in Object(req.socket))
    return this.#cookies.explain(cookie, appOrigin ?? `http://${host}`, isPlain)
  }
}

/** The cookies of the login in progress: each holds the same login, because browsers differ in which they keep. */
export class LoginCookies {
  readonly #cookies: readonly SealedCookie[]

  /** @param callbackURL if plain http on this machine, a cookie without `Secure` is also set: Safari keeps no other */
  constructor(options: CookieStoreOptions, callbackURL?: string) {
    const isPlain = isPlainLoopback(callbackURL) && !options.allowInsecureHTTP
    const variants = isPlain ? [options, { ...options, allowInsecureHTTP: true }] : [options]
    this.#cookies = variants.map((variant) => new SealedCookie(variant))
  }

  /** Values of `Set-Cookie`. */
  start(record: PendingLogin): string[] {
    return this.#cookies.map((cookie) => cookie.seal(record))
  }

  open(header: string): PendingLogin | undefined {
    // The first cookie that is there decides: if it cannot be opened, it was planted, and so may be the others.
    return parsePendingLogin(this.#cookies.find((cookie) => cookie.isIn(header))?.open(header))
  }

  /** Values of `Set-Cookie`. A second callback that the browser has sent before still has the cookie, and its login. */
  end(): string[] {
    return this.#cookies.map((cookie) => cookie.end())
  }

  /**
   * @param origin the application's
   * @param isPlain whether the request came by plain http, as far as is known
   */
  explain(header: string, origin: string, isPlain: boolean): string {
    return missingCookie({
      cookie: header,
      hasCookie: this.#cookies.some((cookie) => cookie.isIn(header)),
      isDropped: isPlain && this.#cookies.every((cookie) => cookie.isSecure),
      isLoopback: isLoopbackOrigin(origin),
    })
  }
}

function isPlainLoopback(callbackURL: string | undefined): boolean {
  const url = callbackURL === undefined ? undefined : parseURL(callbackURL)
  return url?.protocol === 'http:' && isLoopback(url.hostname)
}

/** koa-passport's `req.res` has no `getHeader`: other cookies of the response would be lost. */
function responseOf(req: IncomingMessage, phase: 'start' | 'callback'): CookieResponse {
  const response: unknown = Reflect.get(req, 'res')
  if (isCookieResponse(response)) return response
  throw new SocialLoginError('session_unavailable', phase, { hint: NO_RESPONSE_FOR_COOKIE })
}

function isCookieResponse(value: unknown): value is CookieResponse {
  return typeof value === 'object' && value !== null && 'setHeader' in value && 'getHeader' in value
}
