import { hkdfSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { CookieStore, type PendingLogin, type PendingLoginStore } from 'passport-social-login'

// As many as a CookieStore takes.
const MAX_KEYS = 10

/**
 * Keeps the login in progress in a sealed cookie: a start writes nothing to the database, so that nobody can fill it
 * with logins that they never finish, and a login does not wait for it. The keys come from the session secrets.
 */
export class LoginCookie implements PendingLoginStore {
  readonly #store: CookieStore
  readonly #isHTTPS: boolean

  constructor(secrets: readonly string[], isHTTPS: boolean) {
    const keys = secrets.slice(0, MAX_KEYS).map(deriveKey)
    this.#store = new CookieStore({ keys, name: 'example-login', allowInsecureHTTP: !isHTTPS })
    this.#isHTTPS = isHTTPS
  }

  async save(req: IncomingMessage, record: PendingLogin): Promise<void> {
    // As express-session does with the session: browsers would not take the cookie, and others could read it.
    if (this.#isHTTPS && Reflect.get(req, 'secure') !== true) return
    await this.#store.save(req, record)
  }

  load(req: IncomingMessage): Promise<PendingLogin | undefined> {
    return this.#store.load(req)
  }

  consume(req: IncomingMessage): Promise<void> {
    return this.#store.consume(req)
  }

  remove(req: IncomingMessage): Promise<void> {
    return this.#store.remove(req)
  }
}

function deriveKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'passport-social-login example: login in progress', 32))
}
