export type EndListener = (reason: unknown) => void

/**
 * One deadline over several requests. It ends with a `TimeoutError` after `milliseconds`, or with the reason of the
 * caller's own `signal` when that aborts first. Clear it when the work is done. It is no AbortSignal, because
 * `AbortSignal.timeout` with its listeners costs a login 50 to 70 microseconds more.
 */
export class Deadline {
  readonly #timer: NodeJS.Timeout
  readonly #endsAt: number
  readonly #unfollow: (() => void) | undefined
  readonly #listeners = new Set<EndListener>()
  #ended: { readonly reason: unknown } | undefined
  #controller: AbortController | undefined

  constructor(milliseconds: number, outer?: AbortSignal) {
    this.#unfollow = outer && this.#follow(outer)
    this.#timer = setTimeout(() => this.#end(timeoutError()), milliseconds)
    this.#endsAt = performance.now() + milliseconds
  }

  /** The deadline as a signal, for a caller's dispatcher. Created on demand. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal
    const controller = new AbortController()
    this.#controller = controller
    if (this.#ended) controller.abort(this.#ended.reason)
    else this.addListener((reason) => controller.abort(reason))
    return controller.signal
  }

  get ended(): { readonly reason: unknown } | undefined {
    return this.#ended
  }

  /** Milliseconds until the time is up; the caller's own signal may end the deadline sooner. */
  get remaining(): number {
    return this.#ended ? 0 : Math.max(0, this.#endsAt - performance.now())
  }

  /** Whether it has ended because the time was up, and not because the caller aborted. */
  get expired(): boolean {
    return this.#ended?.reason instanceof DOMException && this.#ended.reason.name === 'TimeoutError'
  }

  /** The listener is called when the deadline ends, or soon if it already has. */
  addListener(listener: EndListener): void {
    const ended = this.#ended
    if (ended) queueMicrotask(() => this.#listeners.has(listener) && listener(ended.reason))
    this.#listeners.add(listener)
  }

  removeListener(listener: EndListener): void {
    this.#listeners.delete(listener)
  }

  /** @throws the deadline's reason when that ends before the work, which may go on */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.addListener(reject)
      work.finally(() => this.removeListener(reject)).then(resolve, reject)
    })
  }

  /** Resolves after `milliseconds`. @throws the deadline's reason when that ends first */
  async pause(milliseconds: number): Promise<void> {
    if (milliseconds === 0) return
    await new Promise<void>((resolve, reject) => {
      const end = (reason: unknown): void => {
        clearTimeout(timer)
        reject(reason)
      }
      const timer = setTimeout(() => {
        this.removeListener(end)
        resolve()
      }, milliseconds)
      this.addListener(end)
    })
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#unfollow?.()
  }

  #follow(outer: AbortSignal): () => void {
    const end = (): void => this.#end(outer.reason)
    if (outer.aborted) end()
    else outer.addEventListener('abort', end, { once: true })
    return () => outer.removeEventListener('abort', end)
  }

  #end(reason: unknown): void {
    if (this.#ended) return
    this.#ended = { reason }
    for (const listener of this.#listeners) listener(reason)
  }
}

/** @throws what `reason` returns if the promise has not settled after `milliseconds`; by default a `TimeoutError` */
export function withTimeout<T>(
  milliseconds: number,
  promise: PromiseLike<T>,
  reason: () => Error = timeoutError,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(reason()), milliseconds)
    // `Promise.resolve` unwraps a promise of another class that is fulfilled with one that is still pending.
    Promise.resolve(promise).then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

/** Whether the value is a promise, of any class. Those of some RPC libraries are functions. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  const hasMembers = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return hasMembers && typeof Reflect.get(value, 'then') === 'function'
}

function timeoutError(): DOMException {
  return new DOMException('The deadline has passed.', 'TimeoutError')
}
