import { join } from 'node:path'
import { type RunningExample, startExample } from '../example/example-app'

const STOP_DEADLINE_MS = 60_000

/** The example as a process of a deployment, which detects its own crashes. */
export class ExampleProcess {
  /** Whether it exited without being told to. */
  hasCrashed = false
  readonly port: number
  #isTold = false

  private constructor(readonly running: RunningExample) {
    this.port = Number(new URL(running.appURL).port)
    void running.ended.then(() => {
      this.hasCrashed = !this.#isTold
    })
  }

  /** @param preload modules of this folder that are loaded before the application */
  static async start(
    environment: Readonly<Record<string, string>>,
    preload: readonly string[] = [],
  ): Promise<ExampleProcess> {
    const NODE_OPTIONS = preload.map((name) => `--require ${join(__dirname, name)}`).join(' ')
    return new ExampleProcess(await startExample({ ...environment, NODE_OPTIONS }))
  }

  /** Stops it. @returns the seconds that this took; Infinity if it had to be killed */
  async terminate(): Promise<number> {
    const begin = performance.now()
    const killing = setTimeout(() => void this.kill(), STOP_DEADLINE_MS)
    this.#isTold = true
    const end = await this.running.stop('SIGTERM')
    clearTimeout(killing)
    return end === 'SIGKILL' ? Number.POSITIVE_INFINITY : (performance.now() - begin) / 1000
  }

  async kill(): Promise<void> {
    this.#isTold = true
    await this.running.stop('SIGKILL')
  }
}
