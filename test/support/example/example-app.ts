import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MAIN = join(__dirname, '../../../example-app/main.js')

const running = new Set<ChildProcess>()

// A failing test does not reach its `stop`, and jest waits for every child process.
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

type Environment = Readonly<Record<string, string>>

/** For tests of the example: the application in its own process, whether or not it serves. */
export interface LaunchedExample {
  readonly pid: number
  /** Everything that it wrote to standard output and standard error so far. */
  output(): string
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
  /** Sends it a signal; resolves with the exit code, or the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

/** The application that serves. */
export interface RunningExample extends LaunchedExample {
  readonly appURL: string
}

/** Starts the process with only this environment. @param wrapper a command that runs it, with its arguments */
export function launchExample(environment: Environment, wrapper: readonly string[] = []): LaunchedExample {
  const [program = process.execPath, ...args] = [...wrapper, process.execPath, '--enable-source-maps', MAIN]
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', PROVIDER_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)))
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? -1))
  })
  return {
    pid: child.pid ?? 0,
    ended,
    output: () => chunks.join(''),
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** Starts it; resolves when it reports that it listens. */
export async function startExample(environment: Environment): Promise<RunningExample> {
  const launched = launchExample(environment)
  const { ended, output } = launched
  const address = (name: string): string | undefined => new RegExp(`^${name}: (\\S+)$`, 'm').exec(output())?.[1]
  const isUp = (): boolean =>
    address('Example application') !== undefined &&
    (environment['SOCIAL_BASE_URL'] !== undefined || address('Fake provider') !== undefined)
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  while (!isUp()) {
    if (hasEnded) throw new Error(`It ended with ${await ended}:\n${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { ...launched, appURL: address('Example application') ?? '' }
}

/** Runs it until it exits by itself, as it does with a wrong environment. */
export async function runExample(
  environment: Environment,
  wrapper?: readonly string[],
): Promise<{ code: number | NodeJS.Signals; output: string }> {
  const { ended, output } = launchExample(environment, wrapper)
  return { code: await ended, output: output() }
}

/** A folder for one test. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'example-app-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
