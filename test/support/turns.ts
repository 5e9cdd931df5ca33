/** Lets the event loop turn, sockets included, until `state` has stayed the same for some turns. */
export async function settled(state: () => number, turns = 4): Promise<void> {
  let last = state()
  for (let quiet = 0; quiet < turns; quiet += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    const now = state()
    if (now !== last) quiet = -1
    last = now
  }
}

// The real ones, even if a test has its own clock.
const { setTimeout: wait } = globalThis
const now = process.hrtime.bigint

/** What comes at all comes within this time, however busy the machine is. */
const LIMIT_NS = 30_000_000_000n

/** Lets the event loop turn, sockets included, until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  const end = now() + LIMIT_NS
  for (let turn = 0; !condition(); turn += 1) {
    if (now() > end) throw new Error('what was waited for did not come')
    // What does not come immediately is waited for without using the CPU that it may need.
    await new Promise((resolve) => (turn < 1000 ? setImmediate(resolve) : wait(resolve, 2)))
  }
}

/**
 * Stops the timers of this process, so that a deadline passes when the test advances them, and not while the machine is
 * busy. Sockets go on, and so do delays of the fake provider.
 */
export function stopTimers(): void {
  jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'setImmediate', 'queueMicrotask', 'hrtime'] })
}
