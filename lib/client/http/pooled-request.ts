import type { Semaphore } from '../semaphore'
import type { Connector } from './connector'
import type { RequestObserver } from './dispatch'
import type { TransportCall } from './transport'

/** What the requests of one pool share. */
export interface PoolState {
  readonly connector: Connector
  /**
   * One slot per call in the pool: a request could not leave undici's own queue, which would open connections in vain.
   */
  readonly slots: Semaphore
  /** How many requests have no connection yet. */
  waiting: number
}

/** One request in a pool. Once it is done it releases the slot of its call, unless the call is to be retried. */
export class PooledRequest implements RequestObserver {
  readonly #call: TransportCall
  readonly #state: PoolState
  readonly #isRetry: boolean
  #isWaiting = true
  /** Milliseconds to wait before the call is retried; undefined if it is not. */
  retryAfter: number | undefined

  constructor(call: TransportCall, state: PoolState, isRetry = false) {
    this.#call = call
    this.#state = state
    this.#isRetry = isRetry
    state.waiting += 1
  }

  onSent(): void {
    if (this.#isWaiting) this.#state.waiting -= 1
    this.#isWaiting = false
  }

  onDone(error?: unknown): void {
    this.onSent()
    this.retryAfter = this.#isRetry ? undefined : this.#retryAfter(error)
    if (this.retryAfter === undefined) this.#state.slots.release()
  }

  #retryAfter(error: unknown): number | undefined {
    if (error === undefined || this.#call.deadline.ended) return undefined
    return this.#state.connector.wasUnanswered(error) ? 0 : this.#call.retryAfter(error)
  }
}
