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
