import { timeoutError } from '../promises'

/**
 * One deadline over several requests. Its signal aborts with a `TimeoutError` after `milliseconds`, or with the reason of
 * the caller's own signal when that aborts first. Clear it when the work is done.
 */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #endsAt: number
  readonly #timer: NodeJS.Timeout
  readonly #outer: AbortSignal | undefined

  constructor(milliseconds: number, outer?: AbortSignal) {
    this.#endsAt = performance.now() + milliseconds
    this.#timer = setTimeout(() => this.#controller.abort(timeoutError()), milliseconds)
    this.#outer = outer
    if (outer?.aborted) this.#follow()
    else outer?.addEventListener('abort', this.#follow, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Milliseconds until the time is up; the caller's own signal may end the deadline sooner. */
  get remaining(): number {
    return this.signal.aborted ? 0 : Math.max(0, this.#endsAt - performance.now())
  }

  /** Whether it has ended because the time was up, and not because the caller aborted. */
  get expired(): boolean {
    const { reason } = this.signal
    return reason instanceof DOMException && reason.name === 'TimeoutError'
  }

  /**
   * The listener is called when the deadline ends, or soon if it already has.
   * @returns a function after which it is not called any more
   */
  onEnd(listener: (reason: unknown) => void): () => void {
    const { signal } = this
    const tell = (): void => listener(signal.reason)
    if (signal.aborted) queueMicrotask(tell)
    else signal.addEventListener('abort', tell)
    return () => signal.removeEventListener('abort', tell)
  }

  /** @throws the deadline's reason when that ends before the work, which may go on */
  race<T>(work: Promise<T>): Promise<T> {
    let stop: (() => void) | undefined
    const end = new Promise<never>((_resolve, reject) => {
      stop = this.onEnd(reject)
    })
    return Promise.race([work, end]).finally(stop)
  }

  /** Resolves after `milliseconds`. @throws the deadline's reason when that ends first */
  async pause(milliseconds: number): Promise<void> {
    if (milliseconds === 0) return
    let timer: NodeJS.Timeout | undefined
    const pause = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds)
    })
    await this.race(pause).finally(() => clearTimeout(timer))
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#follow)
  }

  readonly #follow = (): void => this.#controller.abort(this.#outer?.reason)
}
