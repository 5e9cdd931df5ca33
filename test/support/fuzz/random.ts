/** Deterministic random choices from a seed. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, but excluding, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0 up to, but excluding, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0]
  }

  /** Calls one of several functions that make a value. */
  choose<T>(...ways: readonly [() => T, ...Array<() => T>]): T {
    return this.pick(ways)()
  }

  /** A seed for one part of the work, so that the part can be repeated on its own. */
  static partSeed(seed: number, part: number): number {
    return Math.floor(new Random(Math.imul(seed, 31) ^ Math.imul(part + 1, 0x9e3779b1)).next() * 2 ** 32)
  }
}
