const MAX_ENTRIES = 10_000

/** A map that keeps the newest entries, because a test suite or a load test may sign in as often as it likes. */
export class BoundedMap<V> extends Map<string, V> {
  override set(key: string, value: V): this {
    super.set(key, value)
    if (this.size > MAX_ENTRIES) {
      const [oldest = key] = this.keys()
      this.delete(oldest)
    }
    return this
  }

  deleteWhere(isMeant: (value: V) => boolean): void {
    for (const [key, value] of this) {
      if (isMeant(value)) this.delete(key)
    }
  }
}
