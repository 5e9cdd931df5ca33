import { type Request, Router } from 'express'
import type { Database } from '../storage/database'

const ANSWER_WITHIN_MS = 1500
const CHECK_EVERY_MS = 1000

/** The health check for load balancers. It fails when the database is unusable and as soon as the process is stopping. */
export function healthRoutes(database: Database, isStopping: () => boolean): Router {
  const health = new StorageHealth(database)
  let isDown = false
  // Logs each outage only once, because load balancers may ask every second.
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
 * Checks whether the database can store data. However many requests ask, there is at most one check a second and one at
 * a time, whose result they share. A check that takes too long counts as failed until it has finished.
 */
class StorageHealth {
  readonly #database: Database
  #check: Promise<Error | undefined> = Promise.resolve(undefined)
  #begun = Number.NEGATIVE_INFINITY
  #isUnderWay = false

  constructor(database: Database) {
    this.#database = database
  }

  /** Undefined while the database is usable. */
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
