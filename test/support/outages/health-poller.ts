import { request } from 'node:http'
import type { Deployment } from './deployment'

/** One `/healthz` request to one process. */
interface Answer {
  readonly at: number
  readonly tookMs: number
  /** 0: no answer. */
  readonly status: number
}

const INTERVAL_MS = 200
const GIVEN_UP_MS = 30_000

/** Polls `/healthz` of every running process every 200 ms, and records the answers. */
export class HealthPoller {
  readonly answers: Answer[] = []
  readonly #underWay = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined

  constructor(private readonly deployment: Deployment) {}

  start(): void {
    this.#timer = setInterval(() => {
      for (const { port, hasCrashed } of this.deployment.processes) {
        if (hasCrashed) continue
        const at = Date.now()
        const asked = healthAt(port, GIVEN_UP_MS)
          .then((status) => void this.answers.push({ at, tookMs: Date.now() - at, status }))
          .finally(() => this.#underWay.delete(asked))
        this.#underWay.add(asked)
      }
    }, INTERVAL_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#underWay)
  }

  get longestMs(): number {
    return Math.max(0, ...this.answers.map(({ tookMs }) => tookMs))
  }
}

/** The status of `/healthz` of a process; 0 if there is no answer in time. */
export function healthAt(port: number, timeout: number): Promise<number> {
  return new Promise((resolve) => {
    const options = { port, host: '127.0.0.1', path: '/healthz', timeout, agent: false }
    const asked = request(options, (answer) => {
      answer.resume()
      answer.once('close', () => resolve(answer.statusCode ?? 0))
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(0))
    asked.end()
  })
}
