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
  /** How the call is retried: at once on a new connection, or after so many milliseconds; undefined if it is not. */
  retry: 'on a new connection' | number | undefined

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
    const isSent = !this.#isWaiting
    this.onSent()
    this.retry = this.#isRetry ? undefined : this.#retryFor(error, isSent)
    if (this.retry === undefined) this.#state.slots.release()
  }

  #retryFor(error: unknown, isSent: boolean): PooledRequest['retry'] {
    if (error === undefined || this.#call.deadline.ended) return undefined
    if (this.#state.connector.closedBeforeResponse(error, isSent)) return 'on a new connection'
    return this.#call.retryAfter(error)
  }
}
