const MAX_ENTRIES = 10_000

/**
 * A map that keeps the newest entries, because a test suite or a load test may sign in as often as it likes. Beyond the
 * limit the oldest tenth goes at once: one at a time would cost more, as V8 skips the holes of those that are gone.
 */
export class BoundedMap<V> extends Map<string, V> {
  /** Adds or replaces an entry, which becomes the newest. */
  override set(key: string, value: V): this {
    super.delete(key)
    super.set(key, value)
    if (this.size > MAX_ENTRIES) this._deleteOldest(MAX_ENTRIES / 10)
    return this
  }

  deleteWhere(isMeant: (value: V) => boolean): void {
    for (const [key, value] of this) {
      if (isMeant(value)) this.delete(key)
    }
  }

  private _deleteOldest(count: number): void {
    let left = count
    for (const key of this.keys()) {
      if (left === 0) return
      this.delete(key)
      left -= 1
    }
  }
}
