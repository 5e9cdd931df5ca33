/** Runs `work` for 0 … count - 1, with `lanes` at a time. */
export async function inParallel(count: number, lanes: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
