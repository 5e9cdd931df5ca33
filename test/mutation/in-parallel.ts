/** Does the work for each item, in as many lanes as there are; each works on one item at a time. */
export async function inParallel<Item, Lane>(
  items: readonly Item[],
  lanes: readonly Lane[],
  work: (item: Item, lane: Lane) => Promise<void>,
): Promise<void> {
  const queue = [...items]
  await Promise.all(
    lanes.map(async (lane) => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item, lane)
    }),
  )
}
