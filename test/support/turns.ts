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

/** Lets the event loop turn, sockets included, until the condition holds. */
export async function until(condition: () => boolean, turns = 20_000): Promise<void> {
  for (let turn = 0; !condition(); turn += 1) {
    if (turn === turns) throw new Error('what was waited for did not come')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

// The real one, also where a test has a clock of its own.
const { setTimeout: wait } = globalThis

/** Lets the event loop turn until the condition holds, which takes other processes or the network some time. */
export async function eventually(condition: () => boolean, milliseconds = 5000): Promise<void> {
  const end = process.hrtime.bigint() + BigInt(milliseconds) * 1_000_000n
  for (let turn = 0; !condition(); turn += 1) {
    if (process.hrtime.bigint() > end) throw new Error('what was waited for did not come')
    // What does not come at once is waited for without the CPU that it may need.
    await new Promise((resolve) => (turn < 100 ? setImmediate(resolve) : wait(resolve, 2)))
  }
}
