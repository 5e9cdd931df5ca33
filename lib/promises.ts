/** Whether the value is a promise, of any class. Those of some RPC libraries are functions. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  const hasMembers = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return hasMembers && typeof Reflect.get(value, 'then') === 'function'
}

/**
 * Refuses a promise where a value is needed. If it is rejected, no one would handle that, which ends the process.
 * @throws TypeError with this message
 */
export function refusePromise(value: unknown, message: string): void {
  if (!isThenable(value)) return
  Promise.resolve(value).catch(() => {})
  throw new TypeError(message)
}

/** @throws what `reason` returns if the promise has not settled after `milliseconds`; by default a `TimeoutError` */
export function withTimeout<T>(
  milliseconds: number,
  promise: PromiseLike<T>,
  reason: () => Error = timeoutError,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(reason()), milliseconds)
  })
  // `Promise.race` unwraps a promise of another class that is fulfilled with one that is still pending.
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

export function timeoutError(): DOMException {
  return new DOMException('The deadline has passed.', 'TimeoutError')
}
