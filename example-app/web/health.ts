import { setTimeout as sleep } from 'node:timers/promises'
import { Router } from 'express'
import type { Database } from '../storage/database'
import type { Logger } from './logger'

const ANSWER_WITHIN_MS = 1500

/** The health check for load balancers. It fails when the database is unusable, and once the process is stopping. */
export function healthRoutes(database: Database, isStopping: () => boolean, logger: Logger): Router {
  let wasGood = true
  let running: Promise<boolean> | undefined
  const check = async (): Promise<boolean> => {
    const late = sleep(ANSWER_WITHIN_MS, { err: new Error('The database does not answer') }, { ref: false })
    const problem = await Promise.race([database.check(), late]).catch((error: unknown) => ({ err: error }))
    // Logs each outage only once, because load balancers may ask every second.
    if (problem && wasGood) logger.error(problem, 'the database cannot be used: 503 at /healthz')
    if (!problem && !wasGood) logger.info('the database can be used again')
    wasGood = !problem
    return wasGood
  }
  const router = Router()
  router.get('/healthz', async (_req, res) => {
    res.set('Cache-Control', 'no-store')
    if (isStopping()) return void res.status(503).json({ status: 'stopping' })
    // Requests share a check, because they would wait for each other: there is one connection for checks.
    running ??= check().finally(() => {
      running = undefined
    })
    const isGood = await running
    res.status(isGood ? 200 : 503).json({ status: isGood ? 'ok' : 'database unusable' })
  })
  return router
}
