/** Any fixed moment: records hold milliseconds since 1970. */
const EPOCH = Date.UTC(2026, 0, 1)

interface Timer {
  readonly at: number
  readonly owner: Owner
  readonly act: () => void
}

/** Whose clock is read and whose timers are set: a process of the application, with the request that it works on. */
export interface Owner {
  /** Milliseconds by which the wall clock of the process is ahead. */
  skew: number
}

const nobody: Owner = { skew: 0 }

/** The time of one world: it stands still until an event lets it pass. */
export class Clock {
  /** Milliseconds since the world began. */
  now = 0
  owner: Owner = nobody
  readonly #timers = new Map<object, Timer>()

  /** The wall clock of a process. */
  wall(owner: Owner = this.owner): number {
    return EPOCH + this.now + owner.skew
  }

  set(act: () => void, milliseconds: number): object {
    const handle = {}
    this.#timers.set(handle, { at: this.now + milliseconds, owner: this.owner, act })
    return handle
  }

  clear(handle: unknown): void {
    if (typeof handle === 'object' && handle !== null) this.#timers.delete(handle)
  }

  /** Lets time pass, and runs one timer after the other. */
  async pass(milliseconds: number, settle: () => Promise<void>): Promise<void> {
    const end = this.now + milliseconds
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)
      const [first] = due
      if (!first) break
      const [handle, { at, owner, act }] = first
      this.#timers.delete(handle)
      this.now = Math.max(this.now, at)
      this.owner = owner
      act()
      await settle()
    }
    this.now = end
  }
}

let current = new Clock()

/** Makes it the clock that the code under test reads. */
export function useClock(clock: Clock): void {
  current = clock
}

const real = {
  now: Date.now,
  performanceNow: performance.now,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
}

/** Milliseconds that this process has had a processor, by which the exploration limits itself: on a busy machine, it takes longer. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Replaces the clock and the timers of this process. Returns a function that brings the real ones back. */
export function replaceClock(): () => void {
  Date.now = () => current.wall()
  Object.defineProperty(performance, 'now', { configurable: true, value: () => current.now })
  Object.assign(globalThis, {
    setTimeout: (act: () => void, milliseconds: number) => current.set(act, milliseconds),
    clearTimeout: (handle: unknown) => current.clear(handle),
  })
  return () => {
    Date.now = real.now
    Object.defineProperty(performance, 'now', { configurable: true, value: real.performanceNow })
    Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout })
  }
}
