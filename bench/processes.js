import { execFileSync, fork, spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

/** Provider and load share one core, the app has the other for itself: neither can slow the other down unseen. */
export const CORES = { load: '0', app: '1' }

export const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-V']).status === 0

/** Binds the threads of this process to a core. */
export function pinThisProcess(core) {
  if (canPin) execFileSync('taskset', ['-acp', core, String(process.pid)], { stdio: 'ignore' })
}

/** A Node process of ours, bound to a core, that answers commands (see app/commands.js). */
export class Child {
  #process
  #pending = new Map()
  #lastID = 0
  #stopped = false

  /** @param {string} file relative to bench/ */
  static async start(file, { core, nodeOptions = [], env = {}, args = [] }) {
    const child = new Child(file, { core, nodeOptions, env, args })
    await child.#answerTo(0)
    return child
  }

  constructor(file, { core, nodeOptions, env, args }) {
    const path = fileURLToPath(new URL(file, import.meta.url))
    const pinned = { execPath: 'taskset', execArgv: ['-c', core, process.execPath, ...nodeOptions] }
    this.#process = fork(path, args, {
      ...(canPin ? pinned : { execArgv: nodeOptions }),
      env: { ...process.env, NODE_ENV: 'production', NODE_NO_WARNINGS: '1', ...env },
    })
    this.#process.on('message', ({ id, result, error }) => {
      const { resolve, reject } = this.#pending.get(id)
      this.#pending.delete(id)
      error === undefined ? resolve(result) : reject(new Error(`${file}: ${error}`))
    })
    this.#process.on('exit', (code, signal) => {
      if (this.#stopped) return
      for (const { reject } of this.#pending.values()) reject(new Error(`${file} ended: ${code ?? signal}`))
    })
  }

  /** Runs a command in the process. */
  async ask(name, input) {
    const id = ++this.#lastID
    const answer = this.#answerTo(id)
    this.#process.send({ id, name, input })
    return await answer
  }

  async stop() {
    this.#stopped = true
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    if (this.#process.connected) this.#process.disconnect()
    await ended
  }

  #answerTo(id) {
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }))
  }
}
