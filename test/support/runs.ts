import type { Parameters as Settings } from 'fast-check'

/** Whether the long versions run: `npm run test:long`. */
export const isSoak = process.env['SOAK'] === '1'

/** Settings of a property: `short` runs, or `long` with `SOAK=1`. The seed can be set; failures print theirs. */
export function runs(short: number, long: number): Settings<unknown> & { numRuns: number; seed: number } {
  const given = process.env['SEED']
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)
  return { numRuns: isSoak ? long : short, seed }
}
