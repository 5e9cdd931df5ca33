import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readConfig } from 'jest-config'
import TestRunner from 'jest-runner'
import Runtime from 'jest-runtime'
import { TestWatcher } from 'jest-watcher'

// A process that runs one file of tests after the other, without starting Jest again for each. Between two of them its
// parent changes a file of `dist/lib`.

/** A file of tests to run, and whether to tell which code it runs. */
export interface Task {
  readonly test: string
  readonly hasCoverage: boolean
}

/** Which code of a file was run: of the ranges that hold a place, the smallest decides. */
export interface Coverage {
  readonly file: string
  readonly ranges: readonly (readonly [start: number, end: number, isRun: boolean])[]
}

export type Message =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly title: string }
  | { readonly type: 'done'; readonly coverage: readonly Coverage[] }

/** Of V8. */
interface RecordedCoverage {
  readonly url: string
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[]
  }[]
}

const send = (message: Message): void => void process.send?.(message)

type RunFile = (path: string) => Promise<readonly Coverage[]>

async function createRunFile(hasCoverage: boolean): Promise<RunFile> {
  const argv = { $0: '', _: [], silent: true, testTimeout: 8000, coverage: hasCoverage, coverageReporters: [] }
  const { globalConfig, projectConfig } = await readConfig(argv, process.cwd())
  const options = { console, maxWorkers: 1, watch: false, watchman: false }
  const context = await Runtime.createContext(projectConfig, options)
  const runner = new TestRunner(globalConfig, {})
  const programs = hasCoverage ? recordPrograms() : undefined
  let coverage: readonly Coverage[] = []
  runner.on('test-case-result', ([, { status, fullName }]) => {
    if (status === 'failed') send({ type: 'failed', title: fullName })
  })
  runner.on('test-file-failure', () => send({ type: 'failed', title: 'it cannot be run' }))
  runner.on('test-file-success', ([, { testExecError, v8Coverage = [] }]) => {
    if (testExecError) send({ type: 'failed', title: 'it cannot be run' })
    coverage = v8Coverage.map(({ result }) => coverageOf(result, result.url))
  })
  const watcher = new TestWatcher({ isWatchMode: false })
  return async (path) => {
    await runner.runTests([{ context, path }], watcher, { serial: true })
    return programs === undefined ? [] : [...coverage, ...takeCoverage(programs)]
  }
}

/** Has the programs that tests start write their coverage: Node tells their processes. @returns where */
function recordPrograms(): string {
  // In the copy of the package, which is removed.
  const folder = mkdtempSync(join(process.cwd(), 'coverage-'))
  process.env['NODE_V8_COVERAGE'] = folder
  return folder
}

/** The coverage that programs have written since the last time. */
function takeCoverage(folder: string): Coverage[] {
  return readdirSync(folder).flatMap((name) => {
    const { result }: { result: RecordedCoverage[] } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    rmSync(join(folder, name))
    const files = result.filter(({ url }) => url.startsWith('file:'))
    return files.map((file) => coverageOf(file, fileURLToPath(file.url)))
  })
}

function coverageOf({ functions }: RecordedCoverage, path: string): Coverage {
  const ranges = functions.flatMap(({ ranges }) => ranges)
  return {
    file: relative(process.cwd(), path),
    ranges: ranges.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count > 0] as const),
  }
}

let runFile: Promise<RunFile> | undefined

process.on('message', async ({ test, hasCoverage }: Task) => {
  runFile ??= createRunFile(hasCoverage)
  const run = await runFile
  send({ type: 'done', coverage: await run(join(process.cwd(), test)) })
})
process.on('disconnect', () => process.exit())
send({ type: 'ready' })
