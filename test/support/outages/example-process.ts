import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { cpuMs, memoryMB } from './process-usage'

const MAIN = join(__dirname, '../../../example-app/main.js')
const START_DEADLINE_MS = 30_000
const STOP_DEADLINE_MS = 60_000

/** The example application as a process that can be signalled and detects its own crashes. */
export class ExampleProcess {
  /** Whether it exited without being told to. */
  hasCrashed = false
  #port = 0
  outputBytes = 0
  #output = ''
  #isTold = false
  readonly #child: ChildProcess
  readonly #ended: Promise<void>

  private constructor(environment: Readonly<Record<string, string>>, preload: readonly string[]) {
    const flags = preload.flatMap((name) => ['--require', join(__dirname, `${name}.js`)])
    const child = spawn(process.execPath, ['--enable-source-maps', ...flags, MAIN], {
      env: { PATH: process.env['PATH'] ?? '', PORT: '0', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        this.outputBytes += Buffer.byteLength(String(chunk))
        this.#output = (this.#output + String(chunk)).slice(-200_000)
        this.#port ||= Number(/^Example application: http:\/\/\S+:(\d+)$/m.exec(this.#output)?.[1] ?? 0)
      })
    }
    this.#ended = new Promise((resolve) => {
      child.once('close', () => {
        this.hasCrashed = !this.#isTold
        resolve()
      })
    })
  }

  /** Resolves when it listens. `preload` names modules of this folder that are loaded before the application. */
  static async start(
    environment: Readonly<Record<string, string>>,
    preload: readonly string[] = [],
  ): Promise<ExampleProcess> {
    const started = new ExampleProcess(environment, preload)
    const deadline = Date.now() + START_DEADLINE_MS
    while (started.port === 0) {
      if (started.#child.exitCode !== null || Date.now() > deadline) {
        await started.kill()
        throw new Error(`The example did not start:\n${started.output}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return started
  }

  /** Its port; 0 before it listens. */
  get port(): number {
    return this.#port
  }

  /** The end of its output. */
  get output(): string {
    return this.#output
  }

  get cpuMs(): number {
    return cpuMs(this.#child.pid ?? 0)
  }

  get memoryMB(): number {
    return memoryMB(this.#child.pid ?? 0)
  }

  /** Stops it. @returns the seconds that this took; Infinity if it had to be killed */
  async terminate(): Promise<number> {
    const begin = performance.now()
    this.#isTold = true
    this.#child.kill('SIGTERM')
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.#child.kill('SIGKILL')
    }, STOP_DEADLINE_MS)
    await this.#ended
    clearTimeout(timer)
    return isLate ? Number.POSITIVE_INFINITY : (performance.now() - begin) / 1000
  }

  async kill(): Promise<void> {
    this.#isTold = true
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}
