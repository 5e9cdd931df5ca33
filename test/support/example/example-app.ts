import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MAIN = join(__dirname, '../../../example-app/main.js')

/** Runs a command in a pseudo-terminal. */
export const SCRIPT = '/usr/bin/script'

const running = new Set<ChildProcess>()

// A failing test does not reach its `stop`, and jest waits for every child process.
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
  /** Sends it a signal; resolves with the exit code, or the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

/** The process, whether or not it serves. */
export interface LaunchedExample extends Pick<RunningExample, 'output' | 'stop'> {
  readonly pid: number
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
}

/** Options of the shell that starts it. */
export interface LaunchOptions {
  /** A program that starts the example, instead of its main file. */
  readonly program?: string
  /** A command that sets a limit, such as `ulimit -f 8`. */
  readonly limit?: string
  /** A command that runs it, such as `nice`. */
  readonly wrapper?: string
}

/** A wrapper that drops root's capability to read and write everywhere. */
export const AS_ANYBODY: LaunchOptions =
  process.getuid?.() === 0 ? { wrapper: 'setpriv --bounding-set=-all --inh-caps=-all' } : {}

/** Starts the process with only this environment. */
export function launchExample(
  environment: Readonly<Record<string, string>>,
  { limit = ':', wrapper = '', program = MAIN }: LaunchOptions = {},
): LaunchedExample {
  const script = `${limit} && exec ${wrapper} "$0" --enable-source-maps "$1"`
  const child = spawn('/bin/sh', ['-c', script, process.execPath, program], {
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', PROVIDER_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)))
  const ended = endOf(child)
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
export async function startExample(
  environment: Readonly<Record<string, string>>,
  options?: LaunchOptions,
): Promise<RunningExample> {
  const { ended, output, stop } = launchExample(environment, options)
  const address = (name: string): string | undefined => new RegExp(`^${name}: (\\S+)$`, 'm').exec(output())?.[1]
  const isUp = (): boolean =>
    address('Example application') !== undefined &&
    (environment['SOCIAL_BASE_URL'] !== undefined || address('Fake provider') !== undefined)
  let hasEnded = false
  const early = ended.then((code) => {
    hasEnded = true
    return fail(`It ended with ${code}:\n${output()}`)
  })
  early.catch(() => {})
  await Promise.race([until(() => isUp() || hasEnded), early])
  return {
    appURL: address('Example application') ?? '',
    providerURL: address('Fake provider'),
    output,
    stop,
  }
}

/** Starts it in a terminal, which `close` closes like a window. */
export async function startInTerminal(
  environment: Readonly<Record<string, string>>,
): Promise<{ appURL: string; close(): void }> {
  const terminal = spawn(SCRIPT, ['-qfc', `exec '${process.execPath}' '${MAIN}'`, '/dev/null'], {
    env: { PATH: process.env['PATH'] ?? '', SHELL: '/bin/sh', PORT: '0', PROVIDER_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  running.add(terminal)
  let output = ''
  terminal.stdout.on('data', (chunk) => {
    output += String(chunk)
  })
  await until(() => output.includes('Fake provider: ') || terminal.exitCode !== null)
  const [, appURL] = /^Example application: (\S+)/m.exec(output) ?? fail(`It does not serve:\n${output}`)
  return { appURL: appURL ?? '', close: () => terminal.kill('SIGKILL') }
}

/** Runs it until it exits by itself, as it does with a wrong environment. */
export async function runExample(
  environment: Readonly<Record<string, string>>,
  options?: LaunchOptions,
): Promise<{ code: number; output: string }> {
  const { ended, output } = launchExample(environment, options)
  const code = await ended
  return { code: typeof code === 'number' ? code : -1, output: output() }
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

/** Waits for what only the output of a process can tell. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20))
}

function fail(message: string): never {
  throw new Error(message)
}
