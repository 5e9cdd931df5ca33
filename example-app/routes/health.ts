import { type Request, Router } from 'express'
import type { Database } from '../storage/database'
import { StorageHealth } from '../storage/health'

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
