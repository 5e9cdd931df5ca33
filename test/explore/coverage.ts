import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { pathToFileURL } from 'node:url'

/** The files of which every line must be reached. */
const FILES = ['start', 'callback'].map((name) => require.resolve(`../../lib/login/${name}`))

/** For each file, which characters were never run. */
export type Unreached = readonly (readonly boolean[])[]

/** Begins to note what is run. Call it before the code is used. Returns a function that tells what was not. */
export async function watchCoverage(): Promise<() => Promise<Unreached>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    return FILES.map((file) => {
      const functions = result.find(({ url }) => url === pathToFileURL(file).href)?.functions ?? []
      const unreached = Array.from(readFileSync(file, 'utf8'), () => functions.length === 0)
      // The inner ranges come after the outer ones.
      for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges))
        unreached.fill(count === 0, startOffset, endOffset)
      return unreached
    })
  }
}

/** The lines that none of several runs has reached, as they are compiled. */
export function linesOf(runs: readonly Unreached[]): string[] {
  return FILES.flatMap((file, index) => {
    let offset = 0
    return readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, number) => {
        const from = offset
        offset += line.length + 1
        const isUnreached = [...line].some(
          (character, column) => /\w/.test(character) && runs.every((run) => run[index]?.[from + column]),
        )
        return isUnreached ? [`${file}:${number + 1}: ${line.trim()}`] : []
      })
  })
}
