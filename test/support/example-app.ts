import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MAIN = join(__dirname, '../../example-app/main.js')

const running = new Set<ChildProcess>()

// A test that fails does not come to its `stop`, and jest waits for every child.
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** The example application as a process of its own. */
export interface RunningExample {
  readonly appURL: string
  /** Undefined with a real provider. */
  readonly providerURL: string | undefined
  /** Everything that it wrote to standard output and standard error so far. */
  output(): string
  /** Ends it with a signal; resolves with the exit code, or the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

/** Starts it with this environment and nothing of ours; resolves when it says that it serves. */
export async function startExample(environment: Readonly<Record<string, string>>): Promise<RunningExample> {
  const child = spawn(process.execPath, ['--enable-source-maps', MAIN], {
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', PROVIDER_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const chunks: string[] = []
  const output = (): string => chunks.join('')
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)))
  const ended = endOf(child)
  const address = (name: string): string | undefined => new RegExp(`^${name}: (\\S+)$`, 'm').exec(output())?.[1]
  const isUp = (): boolean =>
    address('Example application') !== undefined &&
    (environment['SOCIAL_BASE_URL'] !== undefined || address('Fake provider') !== undefined)
  await Promise.race([until(isUp, child), ended.then((code) => fail(`It ended with ${code}:\n${output()}`))])
  return {
    appURL: address('Example application') ?? '',
    providerURL: address('Fake provider'),
    output,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** Runs it until it ends by itself, as it does with an environment that is not right. */
export async function runExample(
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [MAIN], { env: { ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)))
  const code = await endOf(child)
  return { code: typeof code === 'number' ? code : -1, output: chunks.join('') }
}

/** A folder for one test. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'example-app-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

function endOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? -1))
  })
}

async function until(isTrue: () => boolean, child: ChildProcess): Promise<void> {
  while (!isTrue() && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 20))
}

function fail(message: string): never {
  throw new Error(message)
}
