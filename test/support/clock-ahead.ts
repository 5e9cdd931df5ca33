// Loaded into a process (`node --require`) whose clock is to be fifteen days ahead.
const AHEAD_MS = 15 * 24 * 60 * 60 * 1000
const now = Date.now

class DateAhead extends Date {
  constructor(...given: [] | [value: number | string | Date]) {
    super(given.length === 0 ? now() + AHEAD_MS : given[0])
  }

  static override now(): number {
    return now() + AHEAD_MS
  }
}

Object.assign(globalThis, { Date: DateAhead })
