import type { Deadline } from './deadline'

export class Semaphore {
  readonly #slots: number
  #acquired = 0
  #closed = false
  readonly #queue = new Set<() => void>()
  readonly #whenIdle: (() => void)[] = []

  constructor(slots: number) {
    this.#slots = slots
  }

  get isIdle(): boolean {
    return this.#acquired === 0
  }

  /** Acquires a slot if one is free, and the semaphore is not closed. */
  tryAcquire(): boolean {
    if (this.#closed || this.#acquired >= this.#slots) return false
    this.#acquired++
    return true
  }

  /** Passes the slot to the longest waiter, or frees it. */
  release(): void {
    const [next] = this.#queue
    if (next) return next()
    this.#acquired--
    if (this.#acquired === 0) for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  /** @throws the deadline's reason if that ends before a slot is free */
  async acquire(deadline: Deadline): Promise<void> {
    if (!this.tryAcquire()) await this.#waitForSlot(deadline)
  }

  /** @throws what the work throws, or the deadline's reason if that ends before a slot is free */
  async run<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
    await this.acquire(deadline)
    try {
      return await work()
    } finally {
      this.release()
    }
  }

  /** Grants no further slots, except to present waiters. Resolves when all are released. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#acquired > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }

  #waitForSlot(deadline: Deadline): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('The connections to the provider are closed'))
    return new Promise((resolve, reject) => {
      const stop = deadline.onEnd((reason) => {
        this.#queue.delete(take)
        reject(reason)
      })
      const take = (): void => {
        stop()
        this.#queue.delete(take)
        resolve()
      }
      this.#queue.add(take)
    })
  }
}
