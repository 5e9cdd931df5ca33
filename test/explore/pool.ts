import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Unreached } from './coverage'
import type { Result, Task } from './worker'

/** One process that explores. */
export class Worker {
  readonly #child: ChildProcess
  readonly #failed: Promise<never>

  /** @param folder where the compiled exploration is */
  constructor(folder: string) {
    this.#child = fork(join(folder, 'worker.js'), { serialization: 'advanced' })
    this.#failed = new Promise((_, reject) => {
      this.#child.once('exit', () => reject(new Error('a worker ended')))
    })
    // After its work it may end.
    this.#failed.catch(() => {})
  }

  explore(name: string, milliseconds: number): Promise<Result> {
    return this.#ask({ name, milliseconds })
  }

  unreached(): Promise<Unreached> {
    return this.#ask({ milliseconds: 0 })
  }

  stop(): void {
    this.#child.disconnect()
  }

  #ask<T>(task: Task): Promise<T> {
    const answered = new Promise<T>((resolve) => this.#child.once('message', (answer: T) => resolve(answer)))
    this.#child.send(task)
    return Promise.race([answered, this.#failed])
  }
}

/** Explores configurations one after the other in as many processes as there are processors, within the time. */
export async function exploreAll(
  names: readonly string[],
  milliseconds: number,
  done: (result: Result) => void,
): Promise<Unreached[]> {
  const end = performance.now() + milliseconds
  const queue = [...names]
  const count = Math.min(availableParallelism(), names.length)
  const workers = Array.from({ length: count }, () => new Worker(__dirname))
  const runs = workers.map(async (worker) => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      // What small worlds leave of their time, the later ones get.
      const share = ((end - performance.now()) * count) / (queue.length + count)
      done(await worker.explore(name, Math.max(share, 0)))
    }
    const unreached = await worker.unreached()
    worker.stop()
    return unreached
  })
  return Promise.all(runs)
}
