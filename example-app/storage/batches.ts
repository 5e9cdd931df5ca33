import { setTimeout as sleep } from 'node:timers/promises'

// Few enough that one statement takes some milliseconds: those on a file stop this process meanwhile.
const BATCH_SIZE = 500
const PAUSE_MS = 5

/** Deletes so many rows at a time until there are none left. Between two batches, others have their turn. */
export async function inBatches(deleteSome: (limit: number) => Promise<number>): Promise<void> {
  while ((await deleteSome(BATCH_SIZE)) === BATCH_SIZE) await sleep(PAUSE_MS)
}
