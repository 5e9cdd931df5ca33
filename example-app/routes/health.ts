import { Router } from 'express'
import type { Database } from '../storage/database'

/** For balancers: 200 while requests are welcome, 503 from the moment the process begins to stop. */
export function healthRoutes(database: Database, isStopping: () => boolean): Router {
  const router = Router()
  router.get('/healthz', async (_req, res) => {
    res.set('Cache-Control', 'no-store')
    if (isStopping()) return void res.status(503).json({ status: 'stopping' })
    try {
      await database.query('select 1 as ok')
      res.json({ status: 'ok' })
    } catch {
      res.status(503).json({ status: 'database unreachable' })
    }
  })
  return router
}
