import { createHash } from 'node:crypto'
import type { Request } from 'express'
import { idOf } from './sign-in'

// As many callbacks as an address may have under way: a repeated one takes no slot of it.
const MAX_REPEATS = 10

interface UnderWay<T> {
  /** What the first callback came to, or else the last of those that repeat it; undefined where none can tell. */
  outcome: Promise<T | undefined>
  /** The requests that are being handled. */
  requests: number
  repeats: number
}

/** @param first the outcome of the callback that this one repeats, if any @param tell takes the outcome of this one */
type Work<T> = (first: T | undefined, tell: (outcome: T) => void) => Promise<void>

/**
 * The callbacks that this process is handling at the moment. A person who reloads one meanwhile, because the database or the
 * provider takes long, sees only the answer to the second request, which the strategy would refuse: to it, the login has
 * ended. So the second request waits for the outcome of the first.
 *
 * It must be the same request: of the same user, with the same key and cookies, and before the first has been answered.
 * Each stores a session, so only ten do: with one key, a person could otherwise fill the database while it is slow. Further
 * ones come to the strategy, which lets eight share the login while it runs, and refuses them afterwards.
 */
export class CallbacksUnderWay<T> {
  readonly #callbacks = new Map<string, UnderWay<T>>()

  /** Handles a callback. */
  async handle(req: Request, work: Work<T>): Promise<void> {
    // Before the work, which replaces the user of the request.
    const id = digest(req)
    const callback = this.#callbacks.get(id)
    if (!callback) return this.#handleFirst(id, work)
    if (callback.repeats === MAX_REPEATS) return work(undefined, () => {})
    callback.repeats += 1
    const tell = (outcome: T): void => {
      callback.outcome = Promise.resolve(outcome)
    }
    await this.#during(id, callback, async () => work(await callback.outcome, tell))
  }

  async #handleFirst(id: string, work: Work<T>): Promise<void> {
    let end: (outcome: T | undefined) => void = () => {}
    const outcome = new Promise<T | undefined>((resolve) => {
      end = resolve
    })
    const callback = { outcome, requests: 0, repeats: 0 }
    this.#callbacks.set(id, callback)
    await this.#during(id, callback, () => work(undefined, end).finally(() => end(undefined)))
  }

  /** The last request to end may be one that stores the login although the first has given up. */
  async #during(id: string, callback: UnderWay<T>, work: () => Promise<void>): Promise<void> {
    callback.requests += 1
    try {
      await work()
    } finally {
      callback.requests -= 1
      if (callback.requests === 0) this.#callbacks.delete(id)
    }
  }
}

/** Hashed, because the address holds a key, and the cookies are secrets. */
function digest({ originalUrl, headers: { cookie }, user }: Request): string {
  const parts = [originalUrl, cookie ?? '', user ? idOf(user) : '']
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
