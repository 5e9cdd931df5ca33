import type { IncomingMessage } from 'node:http'
import { checkArguments } from '../../../arguments'
import { SocialLoginError } from '../../../errors'
import type { PendingLogin } from '../pending-login'
import { type PendingLoginStore, WITH_RECORD, WITH_REQUEST } from '../store'
import { LoginCookies } from './login-cookies'
import type { CookieStoreOptions } from './sealed-cookie'

/**
 * Keeps the login in progress in a cookie of its own, sealed with A256GCM (JWE). No session is needed, nothing is
 * stored on the server, and people can sign in under an application session with `SameSite=Strict`. (A signed-in user
 * then looks signed out at the callback, and gets `user_changed`.)
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
    const headers = headersOf(req, 'start')
    this.#set(headers, await this.#cookies.start(record))
  }

  async load(req: IncomingMessage): Promise<PendingLogin | undefined> {
    checkArguments('CookieStore', WITH_REQUEST, [req])
    return this.#cookies.open(req.headers.cookie ?? '')
  }

  async consume(req: IncomingMessage, record: PendingLogin): Promise<void> {
    checkArguments('CookieStore', WITH_RECORD, [req, record])
    const headers = headersOf(req, 'callback')
    this.#set(headers, this.#cookies.end())
  }

  explain(req: IncomingMessage): string {
    checkArguments('CookieStore', WITH_REQUEST, [req])
    const { cookie = '', host } = req.headers
    const isProxied = 'x-forwarded-proto' in req.headers || 'forwarded' in req.headers
    const isPlain = !this.#isOriginKnown && !isProxied && !('encrypted' in Object(req.socket))
    return this.#cookies.explain(cookie, host, isPlain)
  }

  #set(headers: ResponseHeaders, lines: readonly string[]): void {
    const others = [headers.getHeader('set-cookie') ?? []].flat().map(String)
    headers.setHeader('Set-Cookie', [...others.filter((other) => !this.#cookies.isSetBy(other)), ...lines])
  }
}

interface ResponseHeaders {
  getHeader(name: string): number | string | string[] | undefined
  setHeader(name: string, value: readonly string[]): unknown
}

function headersOf(req: IncomingMessage, phase: 'start' | 'callback'): ResponseHeaders {
  const response: unknown = Reflect.get(req, 'res')
  if (hasHeaders(response)) return response
  throw new SocialLoginError('session_unavailable', phase, {
    hint: 'CookieStore needs req.res: set it to the response before passport.authenticate().',
  })
}

/** koa-passport's `req.res` has no `getHeader`: other cookies of the response would be lost. */
function hasHeaders(value: unknown): value is ResponseHeaders {
  return typeof value === 'object' && value !== null && 'setHeader' in value && 'getHeader' in value
}
