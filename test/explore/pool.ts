import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { isDeep } from './configuration'
import type { Result, Sample, Task } from './worker'

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
    return this.#ask({ type: 'explore', name, milliseconds })
  }

  /** The lines that these paths do not reach. */
  unreached(samples: readonly Sample[]): Promise<string[]> {
    return this.#ask({ type: 'coverage', samples })
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

/**
 * Explores configurations one after the other in as many processes as there are processors.
 *
 * @param folder where the compiled exploration is
 * @param milliseconds of each processor
 * @param done returns whether to go on
 */
export async function exploreAll(
  folder: string,
  names: readonly string[],
  milliseconds: number,
  done: (result: Result) => boolean,
): Promise<void> {
  const queue = [...names]
  const count = Math.min(availableParallelism(), names.length)
  let left = milliseconds * count
  const workers = Array.from({ length: count }, () => new Worker(folder))
  const runs = workers.map(async (worker) => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const share = left / (queue.length + 1)
      const limit = isDeep(name) ? share : Math.min(2 * share, left)
      left -= limit
      const result = await worker.explore(name, limit)
      // What small worlds leave of their time, the later ones get.
      left += limit - result.milliseconds
      if (!done(result)) queue.length = 0
    }
    worker.stop()
  })
  await Promise.all(runs)
}
