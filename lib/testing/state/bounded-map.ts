/** The limits of a {@link BoundedMap}. */
export interface Bounds<V> {
  /** Maximum number of entries. */
  readonly limit: number
  /** Whether a value has expired. Default: never. */
  readonly isExpired?: (value: V) => boolean
  /** Called for every removed entry, but not for a value that is replaced. */
  readonly onDrop?: (key: string, value: V) => void
}

// Entries added between two sweeps, besides as many as the last sweep left: this amortises their cost.
const sweepSlack = 256

/**
 * A map of limited size. Expired entries are removed from time to time; beyond the limit, the oldest tenth at once: V8
 * skips the holes at a map's beginning at each search for the first entry, so that removing one at a time would cost
 * more.
 */
export class BoundedMap<V> {
  private readonly _values = new Map<string, V>()
  private _addedSinceSweep = 0
  private _sizeAfterSweep = 0

  constructor(private readonly _bounds: Bounds<V>) {}

  get size(): number {
    return this._values.size
  }

  get(key: string): V | undefined {
    return this._values.get(key)
  }

  /** Adds or replaces an entry, which becomes the newest. */
  set(key: string, value: V): void {
    this._values.delete(key)
    this._values.set(key, value)
    this._addedSinceSweep += 1
    const isFull = this._values.size > this._bounds.limit
    if (isFull || this._addedSinceSweep > this._sizeAfterSweep + sweepSlack) this._sweep()
    if (this._values.size > this._bounds.limit) this._dropOldest()
  }

  delete(key: string): boolean {
    const value = this._values.get(key)
    if (value === undefined) return false
    this._values.delete(key)
    this._bounds.onDrop?.(key, value)
    return true
  }

  entries(): IterableIterator<[string, V]> {
    return this._values.entries()
  }

  private _sweep(): void {
    this._addedSinceSweep = 0
    for (const [key, value] of this._values) {
      if (this._bounds.isExpired?.(value) !== true) continue
      this.delete(key)
    }
    this._sizeAfterSweep = this._values.size
  }

  private _dropOldest(): void {
    const rest = Math.floor(this._bounds.limit * 0.9)
    for (const key of this._values.keys()) {
      if (this._values.size <= rest) return
      this.delete(key)
    }
  }
}
