/** Records by their id, in the order in which they came. */
export class Registry<T extends object> extends Map<string, T> {
  /** @param kind what a record is, for messages */
  constructor(private readonly kind: string) {
    super()
  }

  /** @throws RangeError when there is no such record. */
  existing(id: string): T {
    const record = this.get(id)
    if (record === undefined) throw new RangeError(`there is no ${this.kind}`)
    return record
  }

  /** Adds or replaces a record. */
  protected store(id: string, record: T): T {
    this.set(id, Object.freeze(record))
    return record
  }
}
