import { createHash } from 'node:crypto'
import type { Request } from 'express'
import { idOf } from './sign-in'

// As many callbacks as an address may have under way: a repeated one takes no slot of it.
const MAX_REPEATS = 10

interface BeingStored<T> {
  readonly login: T
  repeats: number
}

/**
 * The verified logins that this process is storing at the moment. A person who reloads the callback meanwhile, because the
 * database takes long, sees only the answer to the second request, which the strategy refuses: to it, the login has ended.
 * So the second request stores the same login.
 *
 * It must be the same request: of the same user, with the same key and cookies, and before the first has been answered.
 * Each stores a session, so only ten do: with one key, a person could otherwise fill the database while it is slow.
 */
export class LoginsBeingStored<T> {
  readonly #logins = new Map<string, BeingStored<T>>()

  /** The login that the request repeats. Undefined if there is none, or if it has been repeated too often. */
  repeat(req: Request): T | undefined {
    const stored = this.#logins.get(digest(req))
    if (!stored || stored.repeats >= MAX_REPEATS) return undefined
    stored.repeats += 1
    return stored.login
  }

  async during(req: Request, login: T, work: () => Promise<void>): Promise<void> {
    // Before the work, which replaces the user of the request.
    const id = digest(req)
    this.#logins.set(id, { login, repeats: 0 })
    try {
      await work()
    } finally {
      this.#logins.delete(id)
    }
  }
}

/** Hashed, because the address holds a key, and the cookies are secrets. */
function digest({ originalUrl, headers: { cookie }, user }: Request): string {
  const parts = [originalUrl, cookie ?? '', user ? idOf(user) : '']
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
