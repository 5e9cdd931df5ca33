import { timeoutError } from '../promises'

type EndListener = (reason: unknown) => void

/**
 * One deadline over several requests. It ends with a `TimeoutError` after `milliseconds`, or with the reason of the
 * caller's own signal when that aborts first. Clear it when the work is done.
 */
export class Deadline {
  readonly #endsAt: number
  readonly #timer: NodeJS.Timeout
  readonly #outer: AbortSignal | undefined
  readonly #listeners = new Set<EndListener>()
  #ended: { readonly reason: unknown } | undefined

  constructor(milliseconds: number, outer?: AbortSignal) {
    this.#endsAt = performance.now() + milliseconds
    this.#timer = setTimeout(() => this.#end(timeoutError()), milliseconds)
    this.#outer = outer
    if (outer?.aborted) this.#follow()
    else outer?.addEventListener('abort', this.#follow, { once: true })
  }

  /** Why it has ended; undefined before. */
  get ended(): { readonly reason: unknown } | undefined {
    return this.#ended
  }

  /** A new signal, for what takes one. A login takes none, because an AbortController costs a callback 2 to 3 %. */
  get signal(): AbortSignal {
    if (this.#ended) return AbortSignal.abort(this.#ended.reason)
    const controller = new AbortController()
    this.onEnd((reason) => controller.abort(reason))
    return controller.signal
  }

  /** Milliseconds until the time is up; the caller's own signal may end the deadline sooner. */
  get remaining(): number {
    return this.#ended ? 0 : Math.max(0, this.#endsAt - performance.now())
  }

  /** Whether it has ended because the time was up, and not because the caller aborted. */
  get expired(): boolean {
    const reason = this.#ended?.reason
    return reason instanceof DOMException && reason.name === 'TimeoutError'
  }

  /**
   * The listener is called when the deadline ends, or soon if it already has.
   * @returns a function after which it is not called any more
   */
  onEnd(listener: EndListener): () => void {
    const ended = this.#ended
    if (ended) queueMicrotask(() => this.#listeners.has(listener) && listener(ended.reason))
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
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

  readonly #follow = (): void => this.#end(this.#outer?.reason)

  #end(reason: unknown): void {
    if (this.#ended) return
    this.#ended = { reason }
    // One may stop another. `onEnd` itself calls one that is added now.
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) listener(reason)
  }
}
