/**
 * One deadline over several requests: a signal that aborts with a `TimeoutError` after `milliseconds`, or with the reason of
 * the caller's own `signal` when that aborts first. Clear it when the work is done.
 */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal | undefined
  readonly #timer: NodeJS.Timeout
  readonly #endsAt: number

  constructor(milliseconds: number, outer?: AbortSignal) {
    this.#outer = outer
    if (outer?.aborted) this.#followOuter()
    else outer?.addEventListener('abort', this.#followOuter, { once: true })
    this.#timer = setTimeout(() => this.#controller.abort(timeoutError()), milliseconds)
    this.#endsAt = performance.now() + milliseconds
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Milliseconds until the time is up; the caller's own signal may abort sooner. */
  get remaining(): number {
    return Math.max(0, this.#endsAt - performance.now())
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#followOuter)
  }

  readonly #followOuter = (): void => {
    this.#controller.abort(this.#outer?.reason)
  }
}

/** Whether the signal aborted because of a timeout. */
export function hasTimedOut({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError'
}

/**
 * Calls the listener when the signal aborts, or soon if it already has. Returns a function that removes the listener.
 */
export function onAbort(signal: AbortSignal, listener: (reason: unknown) => void): () => void {
  const tell = (): void => listener(signal.reason)
  if (signal.aborted) queueMicrotask(tell)
  else signal.addEventListener('abort', tell)
  return () => signal.removeEventListener('abort', tell)
}

/** Resolves after `milliseconds`. @throws the signal's reason when that aborts first */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds === 0) return
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      unwatch()
      resolve()
    }, milliseconds)
    const unwatch = onAbort(signal, (reason) => {
      clearTimeout(timer)
      reject(reason)
    })
  })
}

/** @throws DOMException `TimeoutError` when the promise has not settled after `milliseconds` */
export function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(timeoutError()), milliseconds)
    const settle = <V>(act: (value: V) => void) => {
      return (value: V): void => {
        clearTimeout(timer)
        act(value)
      }
    }
    promise.then(settle(resolve), settle(reject))
  })
}

function timeoutError(): DOMException {
  return new DOMException('The deadline has passed.', 'TimeoutError')
}
