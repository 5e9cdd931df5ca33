import { isLoopback } from '../../client/option-values'
import { parseURL } from '../../client/url'
import { type PendingLogin, remainderOf } from '../pending-login'
import { type CookieStoreOptions, SealedCookie } from './sealed-cookie'

/**
 * The cookies of a login: one for the login in progress, and after it one that tells its reload from another login. Each is a
 * line of `Set-Cookie`, or is read from a `Cookie` header.
 */
export class LoginCookies {
  /** Of all that a browser keeps, each holds the same login. */
  readonly #pending: readonly SealedCookie[]
  readonly #used: SealedCookie

  /**
   * @param callbackURL of plain http on a loopback host, the cookie is set without `Secure` as well: Safari keeps no other there
   * @throws TypeError when a key is too short or the name is not a valid cookie name
   */
  constructor(options: CookieStoreOptions, callbackURL?: string) {
    const plain = isPlainLoopback(callbackURL) && !options.allowInsecureHTTP
    const variants = plain ? [options, { ...options, allowInsecureHTTP: true }] : [options]
    this.#pending = variants.map((variant) => new SealedCookie(variant))
    this.#used = new SealedCookie({ ...options, ...variants.at(-1) }, '-used')
  }

  /** Keeps the record for as long as a login may take. */
  start(record: PendingLogin): Promise<string[]> {
    return Promise.all(this.#pending.map((cookie) => cookie.seal(record)))
  }

  /** The login in progress, or what is left of the one before. */
  async open(header: string): Promise<PendingLogin | undefined> {
    for (const cookie of [...this.#pending, this.#used]) {
      const record = await cookie.open(header)
      if (record) return record
    }
    return undefined
  }

  /** Ends the login in progress. */
  async consume(record: PendingLogin): Promise<string[]> {
    return [...this.#pending.map((cookie) => cookie.end()), await this.#used.seal(remainderOf(record))]
  }

  /** Whether a line sets one of these cookies. */
  isSetBy(line: string): boolean {
    return [...this.#pending, this.#used].some((cookie) => cookie.isSetBy(line))
  }
}

function isPlainLoopback(callbackURL: string | undefined): boolean {
  const url = callbackURL === undefined ? undefined : parseURL(callbackURL)
  return url?.protocol === 'http:' && isLoopback(url.hostname)
}
