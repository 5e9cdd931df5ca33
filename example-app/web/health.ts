import { type Request, Router } from 'express'
import type { Database } from '../storage/database'

const ANSWER_WITHIN_MS = 1500
const CHECK_EVERY_MS = 1000

/** For balancers: 200 while requests are welcome, 503 from the moment the process begins to stop. */
export function healthRoutes(database: Database, isStopping: () => boolean): Router {
  const health = new StorageHealth(database)
  let isDown = false
  // Once for each outage: balancers ask every second.
  const log = (req: Request, problem: Error | undefined): void => {
    if (isDown === (problem !== undefined)) return
    isDown = problem !== undefined
    if (problem) req.log.error({ err: problem }, 'the database cannot be used: 503 at /healthz')
    else req.log.info('the database can be used again')
  }

  const router = Router()
  router.get('/healthz', async (req, res) => {
    res.set('Cache-Control', 'no-store')
    if (isStopping()) return void res.status(503).json({ status: 'stopping' })
    const problem = await health.problem()
    log(req, problem)
    res.status(problem ? 503 : 200).json({ status: problem ? 'database unusable' : 'ok' })
  })
  return router
}

/**
 * Whether the database keeps what is written. However often that is asked, there is one check a second, and one at a
 * time: those who ask meanwhile share it. A check that takes too long counts as failed until it has ended.
 */
class StorageHealth {
  readonly #database: Database
  #check: Promise<Error | undefined> = Promise.resolve(undefined)
  #begun = Number.NEGATIVE_INFINITY
  #isUnderWay = false

  constructor(database: Database) {
    this.#database = database
  }

  /** What is wrong, if anything. */
  async problem(): Promise<Error | undefined> {
    if (!this.#isUnderWay && performance.now() - this.#begun > CHECK_EVERY_MS) this.#begin()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<Error>((resolve) => {
      timer = setTimeout(() => resolve(new Error('The database does not answer')), ANSWER_WITHIN_MS)
    })
    return Promise.race([this.#check, late]).finally(() => clearTimeout(timer))
  }

  #begin(): void {
    this.#begun = performance.now()
    this.#isUnderWay = true
    const failure = (error: unknown): Error => (error instanceof Error ? error : new Error('The check failed'))
    this.#check = this.#database
      .checkStorage()
      .then(() => undefined, failure)
      .finally(() => {
        this.#isUnderWay = false
      })
  }
}
