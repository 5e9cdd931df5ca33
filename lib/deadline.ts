/**
 * One deadline over several requests. Its signal aborts with a `TimeoutError` after `milliseconds`, or with the reason
 * of the caller's own `signal` when that aborts first. Clear it when the work is done.
 */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #outer: AbortSignal | undefined

  constructor(milliseconds: number, outer?: AbortSignal) {
    deadlines.add(this.signal)
    this.#outer = outer
    if (outer?.aborted) this.#followOuter()
    else outer?.addEventListener('abort', this.#followOuter, { once: true })
    this.#timer = setTimeout(this.#expire, milliseconds)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#followOuter)
  }

  readonly #expire = (): void => {
    this.#controller.abort(timeoutError())
  }

  readonly #followOuter = (): void => {
    this.#controller.abort(this.#outer?.reason)
  }
}

const deadlines = new WeakSet<AbortSignal>()

/** Whether the signal is that of a {@link Deadline}, so that what it bounds needs no other. */
export function isDeadline(signal: AbortSignal | undefined): signal is AbortSignal {
  return signal !== undefined && deadlines.has(signal)
}

/** Whether the signal aborted because a deadline passed, and not because somebody wished it. */
export function hasExpired(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
}

/** @throws DOMException `TimeoutError` when the promise has not settled after `milliseconds` */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(timeoutError()), milliseconds)
  })
  try {
    return await Promise.race([promise, expired])
  } finally {
    clearTimeout(timer)
  }
}

function timeoutError(): DOMException {
  return new DOMException('The deadline has passed.', 'TimeoutError')
}
