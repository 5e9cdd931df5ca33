import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { pathToFileURL } from 'node:url'

/** The files of which every line must be reached. */
const FILES = ['start', 'callback'].map((name) => require.resolve(`../../lib/login/${name}`))

/** Does some work, and returns the lines of these files that it has not reached, as they are compiled. */
export async function unreachedBy(work: () => Promise<void>): Promise<string[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  return FILES.flatMap((file) => {
    const functions = result.find(({ url }) => url === pathToFileURL(file).href)?.functions ?? []
    const unreached = bodiesIn(file)
    // The inner ranges come after the outer ones; the first is the file, which was run before.
    for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges))
      if (startOffset > 0) unreached.fill(count === 0, startOffset, endOffset)
    return linesOf(file, unreached)
  })
}

/** The characters of the bodies of functions, which are indented: the rest has run before anybody could note it. */
function bodiesIn(file: string): boolean[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line) => Array.from(`${line}\n`, () => line.startsWith('    ')))
}

function linesOf(file: string, unreached: readonly boolean[]): string[] {
  let offset = 0
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, number) => {
      const from = offset
      offset += line.length + 1
      const isUnreached = [...line].some((character, column) => /\w/.test(character) && unreached[from + column])
      return isUnreached ? [`${file}:${number + 1}: ${line.trim()}`] : []
    })
}
