import { startHarness } from './alone.js'

const LOGINS = 10_000
const STARTS = 100_000

/** What strategies keep, after gc, of logins and of starts that nobody comes back from. No session store is in the way. */
export async function measureMemory(provider, { batches }) {
  const results = {}
  for (const name of ['oauth2', 'ours', 'cookie']) {
    const { child, address } = await startHarness(name, provider)
    let heap = await child.ask('heapAfterLogins', 3000)
    const grownBy = async (command, count) => {
      const before = heap
      heap = await child.ask(command, count)
      return heap - before
    }
    const logins = []
    for (let batch = 0; batch < batches; batch++) logins.push(await grownBy('heapAfterLogins', LOGINS))
    await grownBy('heapAfterStarts', 5000)
    results[name] = { grownPer10000Logins: logins, grownBy100000Starts: await grownBy('heapAfterStarts', STARTS) }
    await child.stop()
    await address.close()
  }
  return results
}
