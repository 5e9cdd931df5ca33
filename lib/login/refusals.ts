import { SocialLoginError } from '../errors'

// Fewer may be old tabs of a few people.
const MAX_REFUSALS = 20

/**
 * Warns the operator once if nobody gets in: the provider has refused the keys of twenty pending logins, and exchanged
 * none. A single refusal is told to its user only, who can do nothing about a wrong secret.
 *
 * Each pending login has at most one exchange, and a callback that is refused before it is not counted. One success ends
 * the watch, as does the warning: nobody can fill a log with it.
 */
export class Refusals {
  readonly #name: string
  #count = 0
  #ended = false

  constructor(name: string) {
    this.#name = name
  }

  /** Watches one exchange. */
  watch(exchange: Promise<unknown>): void {
    if (!this.#ended) exchange.then(this.#onSuccess, this.#onFailure)
  }

  readonly #onSuccess = (): void => {
    this.#ended = true
  }

  readonly #onFailure = (error: unknown): void => {
    if (error instanceof SocialLoginError && error.code === 'auth_key_rejected') this.#refused()
  }

  #refused(): void {
    if (this.#ended) return
    this.#count += 1
    if (this.#count < MAX_REFUSALS) return
    this.#ended = true
    process.emitWarning(
      `The provider has refused the first ${MAX_REFUSALS} logins of "${this.#name}", and exchanged no key since the start. If nobody gets in, check clientID and clientSecret, and ask: npx passport-social-login doctor BASE_URL --login`,
      { type: 'SocialLoginWarning', code: 'ALL_LOGINS_REFUSED' },
    )
  }
}
