import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Coverage, Message, Task } from './worker'

/** What became of a file of tests. */
export interface Outcome {
  /** The title of the first test that failed. */
  readonly failed: string | undefined
  readonly milliseconds: number
  readonly coverage: readonly Coverage[]
}

/** What makes a test wait for ever is noticed by that. */
const TIMEOUT_MS = 60_000
/** A file of which a test has failed may end within this time; its process is ended otherwise, and another costs a second. */
const GRACE_MS = 700
/** Each file leaves some memory behind. */
const MAX_FILES = 150

/** Runs files of tests, one after the other, in a process that is kept. */
export class Runner {
  readonly #folder: string
  #child: ChildProcess | undefined
  #files = 0
  #hasCoverage = false

  constructor(folder: string) {
    this.#folder = folder
  }

  async run(task: Task): Promise<Outcome> {
    this.#files += 1
    // A process that collects coverage goes on doing so, and one that does not cannot begin.
    if (this.#files > MAX_FILES || task.hasCoverage !== this.#hasCoverage) this.stop()
    this.#hasCoverage = task.hasCoverage
    const child = this.#child ?? (await this.#start())
    const start = performance.now()
    return new Promise((resolve) => {
      let failed: string | undefined
      let timer = setTimeout(() => end('it takes too long'), TIMEOUT_MS)
      const end = (reason?: string, coverage: readonly Coverage[] = []): void => {
        clearTimeout(timer)
        child.removeAllListeners()
        if (reason !== undefined) this.stop()
        resolve({ failed: failed ?? reason, milliseconds: performance.now() - start, coverage })
      }
      child.on('exit', () => end('it ends the process'))
      child.on('message', (message: Message) => {
        if (message.type === 'done') end(undefined, message.coverage)
        if (message.type !== 'failed' || failed !== undefined) return
        failed = message.title
        clearTimeout(timer)
        timer = setTimeout(() => end(failed), GRACE_MS)
      })
      child.send(task)
    })
  }

  stop(): void {
    this.#files = 0
    this.#child?.removeAllListeners()
    // With what it has started: its group, which is of its own.
    const { pid, exitCode, signalCode } = this.#child ?? {}
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
    this.#child = undefined
  }

  #start(): Promise<ChildProcess> {
    const child = fork(join(__dirname, 'worker.js'), {
      cwd: this.#folder,
      serialization: 'advanced',
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child = child
    return new Promise((resolve) => child.once('message', () => resolve(child)))
  }
}
