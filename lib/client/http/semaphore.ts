import type { Deadline } from './deadline'

/** So many places, and a queue before them in which nobody stands longer than his deadline lasts. */
export class Places {
  readonly #count: number
  #taken = 0
  readonly #queue = new Set<() => void>()
  readonly #whenEmpty: (() => void)[] = []

  constructor(count: number) {
    this.#count = count
  }

  /** Resolves when there is a place. @throws the deadline's reason when that ends first */
  async take(deadline: Deadline): Promise<void> {
    if (this.#taken === this.#count) await this.#wait(deadline)
    else this.#taken++
  }

  /** Gives a place to whoever waits longest, or back. */
  give(): void {
    const [next] = this.#queue
    if (next) return next()
    this.#taken--
    if (this.#taken === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve()
  }

  /** Resolves when nobody has a place or waits for one. */
  async empty(): Promise<void> {
    if (this.#taken > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve))
  }

  #wait(deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        unwatch()
        this.#queue.delete(enter)
        resolve()
      }
      const unwatch = deadline.onEnd((reason) => {
        this.#queue.delete(enter)
        reject(reason)
      })
      this.#queue.add(enter)
    })
  }
}
